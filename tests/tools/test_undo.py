"""Undo restores files exactly, unless somebody has changed them since."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.undo import Undone, present, undo

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


@pytest.fixture
async def changes(call: Call, workspace: Path) -> list[Change]:
    """A new file, and one that was edited and then replaced."""
    (workspace / "old").write_bytes(b"a\r\n\xff")
    (workspace / "old").chmod(0o751)
    outcomes = [
        await call("Write", path="src/new", content="n"),
        await call("Edit", path="old", old_string="a", new_string="b"),
        await call("Write", path="./old", content="c"),
    ]
    return [change for outcome in outcomes for change in outcome.changes]


def test_changes_are_taken_back_as_one(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    assert undo(changes, place) == Undone(restored=("old",), removed=("src/new",))
    assert (workspace / "old").read_bytes() == b"a\r\n\xff"
    assert (workspace / "old").stat().st_mode & 0o777 == 0o751
    assert not (workspace / "src/new").exists()


def test_only_the_last_change_may_be_taken_back(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    assert undo(changes[2:], place) == Undone(restored=("old",))
    assert (workspace / "old").read_bytes() == b"b\r\n\xff"


def test_nothing_is_undone_where_a_file_has_changed_since(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "old").write_text("by a person")

    assert undo(changes, place) == Undone(refused=("old has changed since",))
    assert (workspace / "src/new").read_text() == "n"


def test_a_file_that_was_removed_since_is_not_made_again(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "src/new").unlink()
    (workspace / "src").rmdir()

    assert undo(changes, place) == Undone(refused=("src/new has changed since",))


def test_a_link_that_came_since_leads_nowhere(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    outside = workspace.parent / "outside"
    outside.write_text("c")
    (workspace / "old").unlink()
    (workspace / "old").symlink_to(outside)

    assert undo(changes, place) == Undone(refused=("old leads outside the workspace",))
    assert outside.read_text() == "c"


def test_nothing_is_put_back_into_what_steers_other_programs(
    workspace: Path, place: Workplace
) -> None:
    (workspace / ".git/hooks").mkdir(parents=True)
    (workspace / "githooks").symlink_to(".git/hooks")
    hook = Change("githooks/post-commit", b"#!/bin/sh", None)

    assert undo([hook], place) == Undone(
        refused=("githooks/post-commit steers other programs; a person must edit it",)
    )
    assert not list((workspace / ".git/hooks").iterdir())


def test_what_cannot_be_written_is_told_with_what_was(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "src/new").unlink()
    (workspace / "src/new").mkdir()
    dead = [*changes[1:], Change("gone", b"x", None)]

    assert undo(dead, place) == Undone(restored=("old", "gone"))
    assert (workspace / "gone").read_text() == "x"


def test_a_link_to_the_same_bytes_elsewhere_in_the_workspace_is_not_followed(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "other").write_text("c")
    (workspace / "old").unlink()
    (workspace / "old").symlink_to("other")

    assert undo(changes, place) == Undone(refused=("old is a link now",))
    assert (workspace / "other").read_text() == "c"


def test_a_file_that_is_a_directory_now_is_left_alone(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "old").unlink()
    (workspace / "old").mkdir()

    assert undo(changes, place) == Undone(refused=("old is a directory, not a regular file",))
    assert (workspace / "src/new").read_text() == "n"


def test_a_directory_that_is_a_file_now_is_left_alone(
    changes: list[Change], workspace: Path, place: Workplace
) -> None:
    (workspace / "src/new").unlink()
    (workspace / "src").rmdir()
    (workspace / "src").write_text("a file")

    assert undo(changes, place) == Undone(refused=("src/new: Not a directory",))
    assert (workspace / "old").read_text() == "c"


def test_a_directory_that_is_gone_is_made_again(workspace: Path, place: Workplace) -> None:
    assert present("src/deep/new", place) is None
    assert undo([Change("src/deep/new", b"\0n", None)], place) == Undone(restored=("src/deep/new",))
    assert (workspace / "src/deep/new").read_bytes() == b"\0n"


def test_what_comes_to_nothing_needs_nothing(workspace: Path, place: Workplace) -> None:
    (workspace / "x").write_text("a person's")
    there_and_back = [Change("x", b"1", b"2"), Change("x", b"2", b"1")]

    assert undo(there_and_back, place) == Undone()


CHILD = """
import os, sys
from fsm_agent.events.outcome import Change
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.undo import undo

os.setgroups([])
os.setgid(65534)
os.setuid(65534)
print(*undo([Change("new", None, b"n")], Workplace(sys.argv[1], {})).refused)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
def test_a_file_that_cannot_be_removed_is_told_of(workspace: Path) -> None:
    for folder in workspace.parents:
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    workspace.chmod(0o755)
    (workspace / "new").write_text("n")
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, workspace], capture_output=True, text=True, check=False
    )

    assert ended.stdout == "new was not removed: Permission denied\n", ended.stderr
