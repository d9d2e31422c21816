"""A session is taken up again: which one, with its calls, and where."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from fsm_agent.events.values import CallBlock, TextBlock
from fsm_agent.lifecycles.replay import verify
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.testing import ModelServer, Received, Reply, openai
from fsm_agent.testing.program import Program, ended
from fsm_agent.testing.replies import refused

TWO = "---\ntext: One.\n---\ntext: Two."
THREE = f"{TWO}\n---\ntext: Three."


@pytest.fixture
def session(program: Program) -> Path:
    """A session of two turns."""
    program.play(TWO, "first")
    program.play(TWO, "-c", "second")
    return program.sessions[-1]


# -- which one ---------------------------------------------------------------------------------


def test_the_newest_session_is_meant_unless_one_is_named(program: Program) -> None:
    program.play("text: Old.", "an old question")
    program.play("text: New.", "a new question")
    old, new = program.sessions

    program.play(TWO, "-c", "more")
    program.play(TWO, "--resume", old.name, "more")

    assert [line["text"] for line in program.log("user_input", new)] == ["a new question", "more"]
    assert [line["text"] for line in program.log("user_input", old)] == ["an old question", "more"]
    listed = program.run("sessions").out.decode().splitlines()
    assert [line.split()[0] for line in listed] == [old.name, new.name]
    assert "an old question" in listed[0]


def test_two_directories_with_one_key_keep_their_sessions(program: Program) -> None:
    one, other = program.cwd / "a b", program.cwd / "a-b"
    for place in (one, other):
        place.mkdir()
    program.play("text: One.", "in one", cwd=one)

    run = program.play("text: Other.", "-c", "in other", cwd=other)

    assert run.code == 2
    assert program.run("sessions", cwd=other).out == b""
    assert b"in one" in program.run("sessions", cwd=one).out


def test_going_on_with_nothing_cut_short_is_refused_and_not_logged(
    program: Program, session: Path
) -> None:
    before = (session / "events.jsonl").read_bytes()

    run = program.play(TWO, "-c")

    assert run.code == 2
    assert "nothing was cut short" in run.err
    assert (session / "events.jsonl").read_bytes() == before


# -- somebody else has it ------------------------------------------------------------------------


def test_a_session_in_use_is_not_opened_and_its_owner_is_named(program: Program) -> None:
    link = program.cwd.with_name("link")
    link.symlink_to(program.cwd)
    program.play("text: One.", "first")
    slow = program.script("---\ntext: One.\n---\ntext: Two.\nhang")
    owner = program.start("--script", slow, "-c", "second")
    while not program.log("read_answer")[1:]:
        time.sleep(0.01)
    before = program.log()

    for place in (program.cwd, link):
        run = program.run("--script", slow, "-c", "third", cwd=place)
        assert run.code == 2
        assert f"process {owner.pid} is using this session" in run.err
    assert program.log() == before

    owner.kill()
    owner.communicate()
    taken = program.play(TWO, "-c", "third", cwd=link)
    assert (taken.code, taken.out) == (0, b"Two.\n")
    lines = program.log()
    assert [line["seq"] for line in lines] == list(range(len(lines)))


def test_of_two_that_start_at_once_one_goes_on(program: Program, session: Path) -> None:
    script = program.script("---\ntext: One.\n---\ntext: Two.\n---\ndelay: 0.5\ntext: Three.")
    both = [program.start("--script", script, "-c", "third") for _ in range(2)]

    codes = sorted(ended(process).code for process in both)

    assert codes == [0, 2]
    lines = program.log(session=session)
    assert [line["seq"] for line in lines] == list(range(len(lines)))


# -- its calls -----------------------------------------------------------------------------------


def paired(request: Received) -> Reply:
    """Refuse, as servers do, a request in which a call has no result directly behind it."""
    messages = request.json()["messages"]
    for place, message in enumerate(messages):
        asked = [call["id"] for call in message.get("tool_calls", ())]
        behind = messages[place + 1 : place + 1 + len(asked)]
        if asked != [m.get("tool_call_id") for m in behind]:
            return refused(400, {"error": {"message": f"no result behind {asked}"}})
    return Reply(openai([TextBlock("I see.")]))


ENDS = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "hangup": signal.SIGHUP}


@pytest.mark.parametrize("name", ENDS)
def test_calls_that_were_cut_off_are_closed_once_and_never_run_again(
    name: str, program: Program
) -> None:
    command = "echo x >> count; sleep 3"
    answer = openai(
        [CallBlock("Bash", "c1", {"command": command}), CallBlock("Read", "c2", {"path": "count"})]
    )
    with ModelServer(Reply(answer), paired, paired, paired) as server:
        options = ("--base-url", server.url, "-m", "m")
        process = program.start(*options, "go")
        while not (program.cwd / "count").exists():
            time.sleep(0.01)
        process.send_signal(ENDS[name])
        process.communicate(timeout=10)
        first = program.run(*options, "-c")
        again = program.run(*options, "-c", "go on")

    assert (first.code, again.code, again.out) == (0, 0, b"I see.\n")
    assert (program.cwd / "count").read_text() == "x\n"
    results = {line["id"]: line["content"] for line in program.log("tool_result")}
    assert len(program.log("tool_result")) == 2
    if name == "kill":
        assert "outcome unknown" in results["c1"]
        assert len(program.log("crashed")) == 1
    else:
        assert "interrupted" in results["c1"]
    directory = program.sessions[-1]
    verify(list(read(directory / "events.jsonl")), BlobStore(directory).text)


# -- its directory -------------------------------------------------------------------------------

GONE = """\
---
call: Bash {"command": "mv ../workspace ../away"}
---
call: Bash {"command": "pwd"}
call: Read {"path": "a.txt"}
call: Grep {"pattern": "x"}
call: Write {"path": "b.txt", "content": "x"}
---
text: Gone.
---
text: Back.
"""


def test_a_directory_that_disappears_is_said_by_every_tool_and_the_session_survives(
    program: Program,
) -> None:
    run = program.play(GONE, "go")
    session = program.sessions[-1]
    elsewhere = program.cwd.with_name("away")

    assert (run.code, run.out) == (0, b"Gone.\n")
    contents = [line["content"] for line in program.log("tool_result")][1:]
    assert len(contents) == 4
    assert all(f"{program.cwd} no longer exists" in content for content in contents)
    assert not (elsewhere / "b.txt").exists()

    elsewhere_run = program.play(GONE, "--resume", session.name, "back?", cwd=elsewhere)
    shown = program.run("log", session.name, cwd=elsewhere)
    assert elsewhere_run.code == 2
    assert f"{program.cwd}, which is no longer there" in elsewhere_run.err
    program.cwd.symlink_to(elsewhere)
    assert program.play(GONE, "--resume", session.name, "back?").code == 2
    program.cwd.unlink()
    assert shown.out == (session / "events.jsonl").read_bytes()

    elsewhere.rename(program.cwd)
    back = program.play(GONE, "--resume", session.name, "back?", cwd=program.home)
    assert (back.code, back.out) == (0, b"Back.\n")
    assert f"goes on in {program.cwd}" in back.err


def test_a_run_in_a_directory_that_is_gone_already(program: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    def leave() -> None:
        os.chdir(gone)
        gone.rmdir()

    for arguments in (["--script", "x", "go"], ["--script", "x", "-c"], ["sessions"], ["log"]):
        gone.mkdir()
        run = program.run(*arguments, cwd=None, preexec_fn=leave)
        assert run.code == 2
        assert "the working directory cannot be used" in run.err
    assert program.sessions == []
