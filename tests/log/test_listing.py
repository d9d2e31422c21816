"""A list of sessions reads what can be read, and only the ends of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fsm_agent.events.lines import Line
from fsm_agent.log import listing
from fsm_agent.log.listing import Listing, head, tail

Batches = Sequence[Sequence[Line]]


def test_every_readable_line_is_listed_and_the_others_are_numbered(log: Path) -> None:
    lines = log.read_bytes().split(b"\n")[:-1]
    lines[3] = lines[3][:50]
    changed = [*lines[:6], b"", *lines[6:8], b"42", b'"x"', b"[]", b"\xff", *lines[8:]]
    log.write_bytes(b"\r\n".join(changed)[:-9])
    found = Listing(log)
    assert [(n, line.seq) for n, line in found] == [
        (1, 0),
        (2, 1),
        (3, 2),
        (5, 4),
        (6, 5),
        (8, 6),
        (9, 7),
        (14, 8),
    ]
    assert found.skipped == [4, 7, 10, 11, 12, 13, 15]


def test_head_and_tail_are_the_first_and_the_last_lines(log: Path, batches: Batches) -> None:
    lines = [line for batch in batches for line in batch]
    assert head(log) == lines[0]
    assert tail(log, 1) == lines[-1:]
    assert tail(log, 3) == lines[-3:]
    assert tail(log, 99) == lines


@pytest.mark.parametrize("block", [1, 7, 64, 500])
def test_the_tail_does_not_depend_on_where_a_block_begins(
    log: Path, batches: Batches, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(listing, "_BLOCK", block)
    lines = [line for batch in batches for line in batch]
    for count in range(1, 12):
        assert tail(log, count) == lines[-count:]


def test_a_torn_tail_does_not_hide_the_last_time(log: Path, batches: Batches) -> None:
    log.write_bytes(log.read_bytes()[:-20] + b"\0" * 9000)
    assert tail(log, 1) == [batches[3][0]]


def test_an_empty_or_alien_file_has_neither(tmp_path: Path) -> None:
    for content in (b"", b"\0" * 70_000, b"hello\nworld\n"):
        (tmp_path / "log").write_bytes(content)
        assert head(tmp_path / "log") is None
        assert tail(tmp_path / "log", 2) == []
