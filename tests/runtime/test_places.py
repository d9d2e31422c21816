"""Where sessions lie, what a line brings in, and what the prompt is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.expanding import CAP, expand, with_stdin
from fsm_agent.runtime.places import LOG, find_session, project_key, sessions
from fsm_agent.runtime.surroundings import Watch, instruction_files, language, read_text


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


def test_a_mention_is_replaced_by_the_file(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n")
    (workspace / "b c.txt").write_text("no newline")

    line, warnings = expand('see @a.py, @"b c.txt" and x@a.py.', workspace)

    assert line == (
        'see <file path="a.py">\nx = 1\n</file>, '
        '<file path="b c.txt">\nno newline\n</file> and x@a.py.'
    )
    assert warnings == []


def test_what_is_no_file_stays_and_is_said(workspace: Path) -> None:
    (workspace / "folder").mkdir()

    line, warnings = expand("@nowhere.py @folder", workspace)

    assert line == "@nowhere.py @folder"
    assert len(warnings) == 2


def test_a_name_that_no_file_can_have_is_said(workspace: Path) -> None:
    line, warnings = expand("x @a\0b", workspace)

    assert line == "x @a\0b"
    assert len(warnings) == 1


def test_a_long_file_is_cut_with_a_note(workspace: Path) -> None:
    (workspace / "big").write_bytes(b"\xff" * (CAP + 1))

    line, _ = expand("@big", workspace)

    assert "(cut: the file is longer" in line
    assert "\ufffd" in line


def test_stdin_joins_the_prompt() -> None:
    assert with_stdin("review", "diff\n") == "review\n\n<stdin>\ndiff\n</stdin>"
    assert with_stdin("", "question\n") == "question\n"
    assert with_stdin("review", " \n") == "review"


def test_instruction_files_from_the_git_root_down(workspace: Path) -> None:
    below = workspace / "a" / "b"
    below.mkdir(parents=True)
    (workspace.parent / "AGENTS.md").write_text("never read")
    (workspace / ".git").mkdir()
    (workspace / "AGENTS.md").write_text("root")
    (workspace / "CLAUDE.md").write_text("not beside AGENTS.md")
    (workspace / "a" / "CLAUDE.md").write_text("fallback")

    found = [path.relative_to(workspace).as_posix() for path in instruction_files(below)]

    assert found == ["AGENTS.md", "a/CLAUDE.md"]


def test_outside_git_only_the_directory_itself(workspace: Path) -> None:
    (workspace.parent / "AGENTS.md").write_text("never read")
    (workspace / "AGENTS.md").write_text("mine")

    assert [path.parent for path in instruction_files(workspace)] == [workspace]


def test_a_link_out_of_the_project_is_no_instruction_file(workspace: Path) -> None:
    (workspace.parent / "elsewhere").write_text("not for a model")
    (workspace / "AGENTS.md").symlink_to(workspace.parent / "elsewhere")
    assert list(instruction_files(workspace)) == []

    (workspace / "AGENTS.md").unlink()
    (workspace / "docs.md").write_text("inside")
    (workspace / "AGENTS.md").symlink_to("docs.md")
    assert list(instruction_files(workspace)) == [workspace / "AGENTS.md"]


def test_an_instruction_file_from_another_system(workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\xff\r\n")

    assert read_text(path) == "one\ntwo\ufffd\n"


def test_the_watch_says_what_changed_once(workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_text("one")
    watch = Watch(workspace)
    assert watch.changes() == []

    path.write_text("another")
    assert [seen.text for seen in watch.changes()] == ["another"]
    assert watch.changes() == []

    path.unlink()
    assert [seen.text for seen in watch.changes()] == [None]


def test_the_watch_sees_a_new_file_and_not_a_touched_one(workspace: Path) -> None:
    watch = Watch(workspace)
    (workspace / "AGENTS.md").write_text("new")
    assert [seen.text for seen in watch.changes()] == ["new"]

    os.utime(workspace / "AGENTS.md", (1, 1))
    assert watch.changes() == []


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en_US"),
        ({"LANG": "C.UTF-8"}, "en_US"),
        ({"LANG": "de_DE.UTF-8"}, "de_DE"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh_CN"),
    ],
)
def test_the_locale_s_language(environment: dict[str, str], expected: str) -> None:
    assert language(environment) == expected
