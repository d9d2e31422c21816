"""What the prompt is told of machine and project, and when that changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.runtime.instructions import Places
from fsm_agent.runtime.surroundings import Watch, language, read_surroundings


def watch(cwd: Path) -> Watch:
    return Watch(Places(cwd, home=cwd.parent / "home", config=cwd.parent / "config"))


def test_the_watch_says_what_changed_once(workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_text("one")
    watching = watch(workspace)
    assert watching.changes() == []

    path.write_text("another")
    assert [(seen.path, seen.text) for seen in watching.changes()] == [(str(path), "another")]
    assert watching.changes() == []

    path.unlink()
    assert [seen.text for seen in watching.changes()] == [None]


def test_the_watch_sees_a_new_file_and_not_a_touched_one(workspace: Path) -> None:
    watching = watch(workspace)
    (workspace / "AGENTS.md").write_text("new")
    assert [seen.text for seen in watching.changes()] == ["new"]

    os.utime(workspace / "AGENTS.md", (1, 1))
    assert watching.changes() == []


def test_a_file_that_another_comes_before_is_gone(workspace: Path) -> None:
    (workspace / "CLAUDE.md").write_text("second")
    watching = watch(workspace)
    (workspace / "AGENTS.md").write_text("first")

    seen = {Path(one.path).name: one.text for one in watching.changes()}

    assert seen == {"AGENTS.md": "first", "CLAUDE.md": None}


def test_a_file_that_is_no_text_any_more_is_gone(workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("text")
    watching = watch(workspace)
    (workspace / "AGENTS.md").write_bytes(b"\0")

    assert [seen.text for seen in watching.changes()] == [None]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en_US"),
        ({"LANG": "C.UTF-8"}, "en_US"),
        ({"LANG": "de_DE.UTF-8"}, "de_DE"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR"}, "fr_FR"),
        ({"LANG": "x\n</environment>"}, "en_US"),
    ],
)
def test_the_locale_s_language(environment: dict[str, str], expected: str) -> None:
    assert language(environment) == expected


def test_a_language_that_is_asked_for_overrides_the_locale(workspace: Path) -> None:
    around = read_surroundings(workspace, {"LANG": "de_DE"}, (), "ja_JP")

    assert around.language == "ja_JP"
