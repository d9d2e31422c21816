"""Files are found with and without git, matched, and written as mentions."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.terminal.line import filenames
from fsm_agent.interfaces.terminal.line.filenames import OFFERED, FileNames, written
from fsm_agent.runtime.mentions import MENTION, meanings


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(workspace: Path) -> Path:
    git(workspace, "init", "-q")
    (workspace / "src").mkdir()
    for name in ("src/app.py", "src/a b.txt", "new.py", "app.log", ".env", "müll.txt"):
        (workspace / name).touch()
    (workspace / ".gitignore").write_text("*.log\n")
    git(workspace, "add", "src", ".gitignore")
    return workspace


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1))
def test_a_written_name_is_a_mention_of_that_name(name: str) -> None:
    (found,) = re.finditer(MENTION, f"see @{written(name)}")

    assert next(meanings(found)).name == name


def test_git_s_files_are_found_tracked_or_not_but_for_ignored_ones(repository: Path) -> None:
    found = FileNames(repository).matching("")

    assert sorted(found) == [
        *(".env", ".gitignore", "müll.txt", "new.py", "src/", "src/a b.txt", "src/app.py")
    ]


def test_without_git_they_are_walked_to(workspace: Path) -> None:
    for folder in ("sub/deep", "node_modules", ".hidden"):
        (workspace / folder).mkdir(parents=True)
        (workspace / folder / "a.txt").touch()

    assert sorted(FileNames(workspace).matching("a.txt")) == ["sub/deep/a.txt"]


def test_a_walk_is_bounded_and_near_files_come_first(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filenames, "WALKED", 2 * OFFERED)
    for number in range(5):
        (workspace / "a" / f"{number}").mkdir(parents=True)
        for inner in range(OFFERED):
            (workspace / "a" / f"{number}" / f"f{inner}").touch()
    (workspace / "z").mkdir()
    (workspace / "z" / "near.txt").touch()
    names = FileNames(workspace)

    assert names.matching("near") == ["z/near.txt"]
    assert len(names.matching("f")) == OFFERED
    assert names.matching("4/f") == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("src/a", ["src/app.py", "src/a b.txt"]),
        ("app", ["src/app.py"]),
        ("APP", ["src/app.py"]),
        ("pp", ["src/app.py"]),
        ("n", ["new.py"]),
        ("nope", []),
    ],
)
def test_what_begins_so_comes_before_what_has_it_in_it(
    repository: Path, typed: str, found: list[str]
) -> None:
    assert FileNames(repository).matching(typed)[: len(found) or None] == found


def test_a_path_that_is_written_out_leads_anywhere(repository: Path) -> None:
    outside = repository.parent
    (outside / "note.txt").touch()
    names = FileNames(repository)

    assert names.matching("../no") == ["../note.txt"]
    assert names.matching(f"{outside}/no") == [f"{outside}/note.txt"]
    assert names.matching("./app") == ["./app.log"]
    assert names.matching("../nowhere/x") == []


def test_names_that_steer_or_are_no_text_are_not_offered(workspace: Path) -> None:
    for name in (b"good", b"\x1b[2J", b"a\nb", b"\xff\xfe", "a\u202eb".encode()):
        (workspace / name.decode("utf-8", "surrogateescape")).touch()

    assert FileNames(workspace).matching("") == ["good"]


def test_two_hundred_thousand_files_take_about_a_second(repository: Path) -> None:
    """They are in git's index only: it lists what is deleted, too."""
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=repository,
        input=b"",
        capture_output=True,
        check=True,
    ).stdout.decode()
    entries = "".join(f"100644 {blob.strip()}\td{n % 500}/file{n}.py\n" for n in range(200_000))
    subprocess.run(
        ["git", "update-index", "--index-info"],
        cwd=repository,
        input=entries.encode(),
        check=True,
    )
    names = FileNames(repository)
    began = time.monotonic()

    assert names.matching("file199999") == ["d499/file199999.py"]
    assert time.monotonic() - began < 30
    began = time.monotonic()
    assert names.matching("d7/file1")[0] == "d7/file1007.py"
    assert time.monotonic() - began < 10
