"""What a path leads to: a log, a directory's logs, or wrong usage."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fsm_agent.audit import Options, audit
from fsm_agent.errors import UsageError

Write = Callable[[bytes], Path]


@pytest.fixture
def raw(logs: Mapping[str, bytes]) -> bytes:
    return logs["test_a_turn_without_a_person_in_between[one tool]"]


def test_a_directory_is_its_log_or_those_below_it(write: Write, raw: bytes) -> None:
    one, other = write(raw), write(raw)

    assert len(audit([one.parent]).results) == 1
    assert [r.file for r in audit([one.parents[1]], Options(root=one.parents[1])).results] == [
        str(path.relative_to(one.parents[1])) for path in (one, other)
    ]


def test_only_files_below_a_directory_are_logs(write: Write, raw: bytes) -> None:
    path = write(raw)
    other = path.parents[1] / "other"
    other.mkdir()
    os.mkfifo(other / "events.jsonl")
    os.mkfifo(other / "pipe.json")

    assert len(audit([path.parents[1]]).results) == 1


def test_a_directory_that_cannot_be_looked_into_is_not_passed_over(
    write: Write, raw: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(raw)
    closed, scandir = str(path.parent), os.scandir

    def refuse(where: str) -> object:
        if str(where) == closed:
            raise PermissionError(13, "Permission denied", where)
        return scandir(where)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UsageError, match="session-0: Permission denied"):
        audit([path.parents[1]])


@pytest.mark.parametrize("what", ["nothing", "directory", "pipe"])
def test_what_leads_to_no_log_is_wrong_usage(tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "directory":
        path.mkdir()
    if what == "pipe":
        os.mkfifo(path)

    with pytest.raises(UsageError, match=what):
        audit([path])


def test_a_link_is_followed_and_said(tmp_path: Path, write: Write, raw: bytes) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(write(raw))
    report = audit([link])

    assert report.exit_code == 0
    assert "symbolic link to" in report.results[0].notes[0]
