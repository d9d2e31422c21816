"""A log is written as things happen, and ends as the run does."""

from __future__ import annotations

import threading
import time
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from fsm_agent.testing.program import Program, ended

CALLS = "".join(
    f'---\ncall: Bash {{"command": "sleep 0.03; echo {number}"}}\n' for number in range(30)
)


def test_a_follower_sees_each_line_within_a_second(program: Program) -> None:
    """Of thirty calls one after the other; and never half a line."""
    process = program.start("--script", program.script(f"{CALLS}---\ntext: Done."), "go")
    while not program.sessions or not program.log():
        time.sleep(0.01)
    follower = program.start("log", "-f")
    assert follower.stdout
    late, lines = [], []
    for raw in follower.stdout:
        line = msgspec.json.decode(raw)
        lines.append(raw)
        late.append(time.time() - datetime.fromisoformat(line["time"]).timestamp())
        if line["type"] == "session_end":
            break
    follower.terminate()

    assert ended(process).code == 0
    follower.communicate()
    assert b"".join(lines) == (program.sessions[-1] / "events.jsonl").read_bytes()
    assert len([raw for raw in lines if b'"type":"tool_result"' in raw]) == 30
    assert max(late) < 1


def test_a_log_is_followed_until_the_reader_leaves(program: Program) -> None:
    program.play("text: Hello.", "go")
    follower = program.start("log", "-f")
    assert follower.stdout
    assert follower.stdout.readline().startswith(b'{"seq":0,')
    follower.stdout.close()
    follower.stdout = None
    threading.Timer(0.2, program.play, ["---\ntext: Hello.\n---\ntext: More.", "-c", "go"]).start()

    assert ended(follower).code == 0


ENDS = {
    "it answers": ("text: Hello.", [], 0, "done"),
    "a limit is met": (CALLS, ["--max-turns", "2"], 8, "done"),
    "the model is lost": ("error: 401 no", [], 1, "done"),
    "the model declines": ("text: No.\nstop: refusal", [], 1, "done"),
    "the answer is cut": ("text: Half\nstop: max_tokens", [], 1, "done"),
    "nobody can be asked": (
        '---\ncall: Bash {"command": "true"}\n---\ntext: Then not.',
        ["--permission", "ask"],
        9,
        "done",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_each_end_is_logged_once_with_its_code(name: str, program: Program) -> None:
    script, options, code, reason = ENDS[name]

    run = program.play(script, *options, "go")

    assert run.code == code
    assert [(end["code"], end["reason"]) for end in program.log("session_end")] == [(code, reason)]
    assert program.log()[-1]["type"] == "session_end"
    assert bool(run.err) == bool(code)


FAULT = """\
from fsm_agent.interfaces.headless import Printer
from fsm_agent.tools.calls import CommandTool

def fail(*_):
    raise ZeroDivisionError("of all things")

async def fail_later(*_):
    fail()

{}
"""
FAULTY = {
    "a tool": ("CommandTool.start = fail_later", 0),
    "the printer": ("Printer._aside = fail", 7),
}


@pytest.mark.parametrize("name", FAULTY)
def test_our_own_fault_has_an_end_too(name: str, program: Program, tmp_path: Path) -> None:
    """The fault is put in from outside, by a module that Python loads at its start."""
    fault, code = FAULTY[name]
    (tmp_path / "sitecustomize.py").write_text(FAULT.format(fault))
    program.environment["PYTHONPATH"] = f"{tmp_path}:{program.environment.get('PYTHONPATH', '')}"

    run = program.play('---\ncall: Bash {"command": "true"}\n---\ntext: Done.', "go")

    assert run.code == code
    assert [end["code"] for end in program.log("session_end")] == [code]
    said = run.err if code else program.log("tool_result")[0]["content"]
    assert "ZeroDivisionError: of all things" in said


def test_a_log_is_shown_by_id_directory_or_file(program: Program) -> None:
    program.play("text: Hello.", "go")
    session = program.sessions[-1]
    log = session / "events.jsonl"

    for named in (session.name, str(session), str(log)):
        assert program.run("log", named).out == log.read_bytes()
