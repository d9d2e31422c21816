"""A session is begun again from a point; the original stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fsm_agent.runtime.places import sessions
from fsm_agent.testing.program import Program

SCRIPT = """\
--- first
text: One.
--- second
call: Bash {"command": "cat note.txt"}
--- third
text: Two.
--- fourth
text: Three.
"""


@pytest.fixture
def original(program: Program) -> Path:
    """A session of two turns in a repository, and its log."""
    (program.cwd / "note.txt").write_text("as it was\n")
    git = ["git", "-C", str(program.cwd), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "note.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    (program.home.parent / "model.script").write_text(SCRIPT)
    for line in ("one", "two"):
        going_on = ["-c"] if line == "two" else []
        ended = program.run("--script", str(program.home.parent / "model.script"), *going_on, line)
        assert ended.code == 0, ended.err
    return next(sessions(program.home, program.cwd)) / "events.jsonl"


def fork(program: Program, original: Path, *more: str) -> list[str]:
    seq = next(
        n for n, line in enumerate(original.read_bytes().split(b"\n")) if b'"text":"two"' in line
    )
    script = str(program.home.parent / "model.script")
    point = f"{original.parent.name}@{seq}"
    ended = program.run("fork", point, "--script", script, *more)
    assert ended.code == 0, ended.err
    return ended.out.decode().splitlines()


def test_the_same_again_differs_in_nothing(program: Program, original: Path) -> None:
    before = original.read_bytes()

    head, first, second = fork(program, original, "--times", "2")

    assert head.split() == ["session", "end", "exit", "requests", "tokens", "differs"]
    for row in (first, second):
        assert row.split()[2:4] == ["answered", "0"]
        assert row.endswith("nothing  [Bash×1]")
    assert original.read_bytes() == before
    session = first.split()[1]
    assert program.run("replay", session, "--verify").code == 0
    log = program.run("log", session).out
    assert b'"type":"session_fork","source":"%s"' % original.parent.name.encode() in log


def test_files_lie_as_they_are_or_as_a_revision_has_them(program: Program, original: Path) -> None:
    (program.cwd / "note.txt").write_text("changed\n")

    _, here = fork(program, original)
    _, there = fork(program, original, "--workspace", "git:HEAD")

    assert "result of Bash 'changed" in here
    assert "nothing" in there


def test_another_line_may_be_said(program: Program, original: Path) -> None:
    _, row = fork(program, original, "--edit", "line=something else")

    session = row.split()[1]
    assert b'"text":"something else"' in program.run("log", session).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "is no point of a session"),
        (["nowhere@3"], "is no session"),
        (["@3", "--edit", "x"], "--edit takes"),
        (["@3", "--edit", "prompt=nowhere"], "is no file"),
        (["@3", "--workspace", "svn:1"], "--workspace takes"),
        (["@3", "--workspace", "git:nowhere"], "git cannot check out"),
        (["@99999"], "nothing was said behind that point"),
    ],
)
def test_what_cannot_be(program: Program, original: Path, arguments: list[str], said: str) -> None:
    script = str(program.home.parent / "model.script")
    ended = program.run("fork", *arguments, "--script", script)

    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
