"""Which instruction files hold at a place, and what they say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from fsm_agent.runtime.instructions import CAP, Places, gather, read_instructions

GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main")


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run([*GIT, *arguments], cwd=cwd, check=True, capture_output=True)


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A person's home."""
    (tmp_path.resolve() / "person").mkdir()
    return tmp_path.resolve() / "person"


@pytest.fixture
def repository(person: Path) -> Path:
    """A repository below a person's home."""
    (person / "repository").mkdir()
    git("init", cwd=person / "repository")
    return person / "repository"


def found(cwd: Path, person: Path) -> list[str]:
    """What holds there: paths from the person's home, and faults."""
    files = gather(Places(cwd, person, person / ".config/fsm-agent"))
    return [" ".join([str(f.path.relative_to(person)), f.fault]).rstrip() for f in files]


def test_the_person_s_own_come_first_then_from_the_git_root_down(
    person: Path, repository: Path
) -> None:
    write(person / "AGENTS.md")
    write(person / ".config/fsm-agent/AGENTS.md")
    write(repository / "AGENTS.md")
    write(repository / "beside/AGENTS.md")
    write(repository / "a/b/AGENTS.md")

    assert found(repository / "a/b", person) == [
        ".config/fsm-agent/AGENTS.md",
        "repository/AGENTS.md",
        "repository/a/b/AGENTS.md",
    ]


def test_of_a_directory_the_first_by_name_counts(person: Path, repository: Path) -> None:
    names = ["AGENTS.md", "AGENT.md", "CLAUDE.md", ".claude/CLAUDE.md"]
    for name in names:
        write(repository / name)

    for name in names:
        assert found(repository, person) == [f"repository/{name}"]
        (repository / name).unlink()
    assert found(repository, person) == []


def test_outside_git_only_the_directory_itself(person: Path) -> None:
    write(person / "AGENTS.md")
    write(person / "notes/AGENTS.md")

    assert found(person / "notes", person) == ["notes/AGENTS.md"]


def test_a_home_under_git_is_no_project(person: Path) -> None:
    git("init", cwd=person)
    write(person / "AGENTS.md")
    write(person / "notes/deep/AGENTS.md")

    assert found(person / "notes/deep", person) == ["notes/deep/AGENTS.md"]
    assert found(person, person) == ["AGENTS.md"]


def test_a_repository_in_another_ends_at_its_own_root(person: Path, repository: Path) -> None:
    write(repository / "AGENTS.md")
    inner = repository / "inner"
    write(inner / "AGENTS.md")
    (inner / "src").mkdir()
    git("init", cwd=inner)

    assert found(inner / "src", person) == ["repository/inner/AGENTS.md"]


def test_a_worktree_has_a_root_of_its_own(person: Path, repository: Path) -> None:
    write(repository / "AGENTS.md")
    git("add", ".", cwd=repository)
    git("commit", "-m", "x", cwd=repository)
    git("worktree", "add", str(repository / "trees/one"), cwd=repository)
    (repository / "trees/one/src").mkdir()

    assert (repository / "trees/one/.git").is_file()
    assert found(repository / "trees/one/src", person) == ["repository/trees/one/AGENTS.md"]


def test_a_link_to_a_directory_is_that_directory(person: Path, repository: Path) -> None:
    write(repository / "AGENTS.md")
    write(person / "links/AGENTS.md")
    (repository / "src").mkdir()
    (person / "links/there").symlink_to(repository / "src")

    assert found(person / "links/there", person) == ["repository/AGENTS.md"]


def test_a_link_out_of_the_project_is_passed_over(person: Path, repository: Path) -> None:
    (repository / "AGENTS.md").symlink_to(write(person / "elsewhere"))
    (repository / "CLAUDE.md").symlink_to(write(repository / "inside"))

    assert found(repository, person) == [
        "repository/AGENTS.md is a link that leads out of the project",
        "repository/CLAUDE.md",
    ]


def test_the_person_s_own_may_be_a_link(person: Path) -> None:
    (person / ".config/fsm-agent").mkdir(parents=True)
    (person / ".config/fsm-agent/AGENTS.md").symlink_to(write(person / "dotfiles/agents"))

    assert found(person, person) == [".config/fsm-agent/AGENTS.md"]


def test_a_file_with_two_names_counts_once(person: Path, repository: Path) -> None:
    write(repository / "AGENTS.md")
    (repository / "src").mkdir()
    (repository / "src/AGENTS.md").symlink_to("../AGENTS.md")

    assert found(repository / "src", person) == ["repository/AGENTS.md"]


def test_what_is_no_file_is_said_and_the_next_name_counts(person: Path, repository: Path) -> None:
    (repository / "AGENTS.md").mkdir()
    os.mkfifo(repository / "AGENT.md")
    write(repository / "CLAUDE.md")

    assert found(repository, person) == [
        "repository/AGENTS.md is no file",
        "repository/AGENT.md is no file",
        "repository/CLAUDE.md",
    ]


@pytest.mark.parametrize("target", ["AGENTS.md", "nowhere"])
def test_a_link_that_leads_nowhere_is_no_file(target: str, person: Path, repository: Path) -> None:
    (repository / "AGENTS.md").symlink_to(target)

    assert found(repository, person) == ["repository/AGENTS.md is no file"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"one\ntwo\n", "one\ntwo\n"),
        (b"\xef\xbb\xbfone\ntwo\n", "one\ntwo\n"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"\xef\xbb\xbfone\r\ntwo\r\n", "one\ntwo\n"),
        (b"one\rtwo\r", "one\ntwo\n"),
        (b"one\ntwo", "one\ntwo"),
        (b"b\xffd", "b\ufffdd"),
        (b"", ""),
        (b"\xef\xbb\xbf", ""),
        (b"\x1b[2J", "\\x1b[2J"),
        ("seen\U000e0041\U000e0042".encode(), "seen[2 hidden characters removed]"),
    ],
)
def test_a_file_from_any_system_is_the_same_text(raw: bytes, text: str, workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_bytes(raw)

    assert read_instructions(path) == (path, text, "")


def test_what_is_no_text_is_said(workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_bytes("Use tabs.".encode("utf-16"))

    assert read_instructions(path) == (path, "", "is no text in UTF-8")


def test_what_cannot_be_read_is_said(workspace: Path) -> None:
    gone = workspace / "AGENTS.md"

    assert read_instructions(gone).fault == "cannot be read: No such file or directory"


def test_a_long_file_is_cut_between_characters_with_a_note(workspace: Path) -> None:
    path = workspace / "AGENTS.md"
    path.write_text("x" + "é" * CAP)

    text, _, note = read_instructions(path).text.partition("\n")

    assert text == "x" + "é" * ((CAP - 1) // 2)
    assert note == f"(cut: the file is longer than {CAP} bytes)"
