"""A session is begun again from a point; the original stays as it is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fsm_agent.events.values import TextBlock
from fsm_agent.runtime.places import sessions
from fsm_agent.testing import ModelServer, Reply, openai
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
FOURTH = "---\ntext: No.\n" * 4 + "---\ntext: Four."


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
        (["@99999"], "there is no line 99999; the last is"),
        (["@" + "9" * 5000], "a number of 5000 digits"),
        (["@3", "--edit", "line="], "says nothing"),
    ],
)
def test_what_cannot_be(program: Program, original: Path, arguments: list[str], said: str) -> None:
    script = str(program.home.parent / "model.script")
    ended = program.run("fork", *arguments, "--script", script)

    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_each_run_in_a_revision_has_a_worktree_of_its_own(program: Program, original: Path) -> None:
    script = SCRIPT.replace("cat note.txt", "cat note.txt; echo more >> note.txt")
    (program.home.parent / "model.script").write_text(script)

    _, *rows = fork(program, original, "--workspace", "git:HEAD", "--times", "2")
    _, again = fork(program, original, "--workspace", "git:HEAD")

    for row in (*rows, again):
        result = program.log(
            "tool_result", next(program.home.glob(f"projects/*/{row.split()[1]}"))
        )[0]
        assert "as it was" in result["content"]
        assert "more" not in result["content"]


def test_a_fork_is_not_taken_for_the_session_until_it_is_gone_on_with(
    program: Program, original: Path
) -> None:
    _, row = fork(program, original)
    forked = row.split()[1]

    assert program.run("log", "--path").out.decode().strip() == str(original)
    assert forked.encode() in program.run("sessions").out
    assert program.play(FOURTH, "-c", "four").code == 0
    assert b'"text":"four"' in original.read_bytes()

    assert program.play(FOURTH, "--resume", forked, "five").code == 0
    assert forked in program.run("log", "--path").out.decode()


def test_a_server_that_only_the_log_names_gets_no_key(program: Program) -> None:
    program.environment["OPENAI_API_KEY"] = "sk-0123456789abcdef"
    done = Reply(openai([TextBlock("Done.")]))
    with ModelServer(done, done) as server:
        program.run("--base-url", server.url, "-m", "m-1", "--effort", "low", "one")
        session = next(sessions(program.home, program.cwd)).name
        ended = program.run("fork", f"{session}@3", "--edit", "line=two")
        assert ended.code == 0, ended.err
        first, forked = server.requests

    assert first.headers["authorization"] == "Bearer sk-0123456789abcdef"
    assert "authorization" not in forked.headers
    assert (forked.json()["model"], forked.json()["reasoning_effort"]) == ("m-1", "low")
