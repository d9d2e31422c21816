"""A signal ends a run at any moment, its log, and all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Ended, Program, ended

CODES = {"HUP": 129, "INT": 130, "TERM": 143}
TREE = "sleep 60 & setsid sleep 60 & nohup sleep 60 & echo $! begun; sleep 60"
MOMENTS = {
    "stream": ("text: Half an answer\nhang", "read_answer"),
    "wait": ("error: 503 busy\ntext: never", "sleep"),
    "tool": (f'---\ncall: Bash {{"command": "{TREE}"}}\n---\ntext: never', "run_tool"),
}


def until_logged(program: Program, process: subprocess.Popen[bytes], kind: str) -> None:
    """Wait until the log has a line of this type."""
    needle = f'"type":"{kind}"'.encode()
    while not any(needle in (s / "events.jsonl").read_bytes() for s in program.sessions):
        assert process.poll() is None
        time.sleep(0.01)


def descendants(pid: int) -> set[int]:
    """The living processes below this one."""
    children = {int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    return children.union(*map(descendants, children))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def check_end(program: Program, run: Ended, name: str) -> None:
    """The run ended by this signal, and its log says so exactly once."""
    ends = program.log("session_end")
    assert run.code == CODES[name]
    assert [(end["code"], end["reason"]) for end in ends] == [(CODES[name], name.lower())]
    assert program.log()[-1] == ends[0]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_ends_the_run_at_once(moment: str, name: str, program: Program) -> None:
    script, kind = MOMENTS[moment]
    program.environment["FSM_AGENT_RETRY_BASE_MS"] = "60000"
    process = program.start("--script", program.script(script), "go")
    until_logged(program, process, kind)
    if moment == "tool":
        while len(descendants(process.pid)) < 4:  # the shell becomes the last of them
            time.sleep(0.01)
    below = descendants(process.pid)

    began = time.monotonic()
    process.send_signal(getattr(signal, f"SIG{name}"))
    run = ended(process)

    assert time.monotonic() - began < 10
    check_end(program, run, name)
    assert not [pid for pid in below if alive(pid)]
    if moment == "stream":
        assert run.out == b"Half an answer\n"


@pytest.mark.parametrize("name", CODES)
def test_a_signal_before_any_byte_of_an_answer(name: str, program: Program) -> None:
    silent = Reply(openai([]), framing="raw", ending="stall").first(0, "stall")
    with ModelServer(silent) as server:
        process = program.start("--base-url", server.url, "-m", "m", "go")
        until_logged(program, process, "send_request")
        process.send_signal(getattr(signal, f"SIG{name}"))
        run = ended(process)

    check_end(program, run, name)


def test_a_second_signal_changes_nothing(program: Program) -> None:
    script = '---\ncall: Bash {"command": "trap \'\' TERM; echo deaf; sleep 60"}\n---\ntext: never'
    process = program.start("--script", program.script(script), "go")
    until_logged(program, process, "run_tool")
    below: set[int] = set()
    while not below:
        below = descendants(process.pid)

    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    run = ended(process)

    assert run.code in (130, 143)
    assert len(program.log("session_end")) == 1
    assert not [pid for pid in below if alive(pid)]


def test_signals_from_the_first_moment_on_leave_a_whole_log_or_none(program: Program) -> None:
    """At 12 moments of the start, 3 ms apart or so: what was begun has an end."""
    for step in range(12):
        process = program.start("--script", program.script("text: Hello.\nhang"), "go")
        if step:
            until_started(process)
            time.sleep(step * 0.012)
        process.send_signal(signal.SIGTERM)
        run = ended(process)
        assert run.code in (143, -signal.SIGTERM)
    for session in program.sessions:
        if lines := program.log(session=session):
            assert lines[-1]["type"] == "session_end"


def until_started(process: subprocess.Popen[bytes]) -> None:
    """Wait until the interpreter runs the program."""
    while b"fsm_agent" not in Path(f"/proc/{process.pid}/cmdline").read_bytes():
        time.sleep(0.001)


def test_a_stopped_program_goes_on(program: Program) -> None:
    process = program.start("--script", program.script("text: a\ndelay: 0.3\ntext: b"), "go")
    until_logged(program, process, "read_answer")

    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.4)
    os.kill(process.pid, signal.SIGCONT)

    assert ended(process) == Ended(0, b"ab\n", "")
