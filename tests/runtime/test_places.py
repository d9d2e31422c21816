"""Where sessions lie, and the time as it is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.places import LOG, find_session, project_key, sessions


@pytest.mark.parametrize(
    ("cwd", "key"),
    [("/srv/dev/my app", "-srv-dev-my-app"), ("/opt/a--b/", "-opt-a-b"), ("/", "-")],
)
def test_a_project_s_directory_name(cwd: str, key: str) -> None:
    assert project_key(Path(cwd)) == key


def test_a_link_to_a_project_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert project_key(tmp_path / "link") == project_key(tmp_path / "real")


def test_sessions_come_newest_first_and_need_a_line_in_their_log(tmp_path: Path) -> None:
    cwd = tmp_path / "project"
    cwd.mkdir()
    place = tmp_path / "home" / "projects" / project_key(cwd)
    for name in ("old", "new", "without", "empty"):
        (place / name).mkdir(parents=True)
    (place / "empty" / LOG).touch()
    for age, name in enumerate(("new", "old")):
        (place / name / LOG).write_text("a line\n")
        stamp = 1_000_000_000 - age
        os.utime(place / name / LOG, (stamp, stamp))

    assert [p.name for p in sessions(tmp_path / "home", cwd)] == ["new", "old"]
    assert find_session(tmp_path / "home", "old") == place / "old"
    assert find_session(tmp_path / "home", "../old") is None
    assert list(sessions(tmp_path / "nowhere", cwd)) == []


def test_iso_time_is_cut_to_milliseconds() -> None:
    assert iso(1_764_493_964.1209) == "2025-11-30T09:12:44.120Z"
