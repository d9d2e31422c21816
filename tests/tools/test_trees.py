"""No process outlives its command, and no other one is touched."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.bash import bash_tool
from fsm_agent.tools.protocol import Workplace

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


LONG = f"47{os.getpid():07d}"
"""Seconds that a process of these tests sleeps; no other test run has the same."""


def left_running() -> list[str]:
    """Command lines of processes of these tests that run for long."""
    return [line for line in command_lines() if LONG in line]


def command_lines() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


async def run(call: Call, command: str, **arguments: object) -> ToolOutcome:
    """Run a command in which LONG stands for that number."""
    return await call("Bash", command=command.replace("LONG", LONG), **arguments)


def held() -> tuple[int, int]:
    """How many descriptors and threads this process has."""
    return len([*Path("/proc/self/fd").iterdir()]), len([*Path("/proc/self/task").iterdir()])


CHILDREN = {
    "sleep LONG & echo fin": "fin\n",
    "(while :; do echo tick >/dev/null; sleep 0.1; done; : LONG) & echo front": "front\n",
    "setsid sleep LONG & echo away": "away\n",
    "sleep LONG </dev/null >/dev/null & echo stderr": "stderr\n",
    "nohup sleep LONG & disown; echo left": "left\n",
    "(setsid sh -c 'sleep LONG & sleep LONG' >/dev/null 2>&1 &) ; echo twice": "twice\n",
}


@pytest.mark.parametrize("command", CHILDREN)
async def test_a_command_is_over_when_the_shell_is_and_its_children_are_ended(
    call: Call, command: str
) -> None:
    begun = time.monotonic()
    outcome = await run(call, command)

    assert outcome.output.startswith(CHILDREN[command])
    assert "[ended, for it was left running: " in outcome.output
    assert outcome.ok
    assert time.monotonic() - begun < 5
    assert not left_running()


async def test_late_output_of_a_child_is_not_in_a_later_result(call: Call) -> None:
    await call("Bash", command="(sleep 0.3; echo late) & echo first")
    outcome = await call("Bash", command="sleep 0.5; echo second")

    assert outcome.output == "second\n"


SHAPES = {
    "child": "sleep LONG",
    "background": "sleep LONG & sleep LONG",
    "pipeline": "sleep LONG | cat",
    "setsid": "setsid sleep LONG & sleep LONG",
    "nohup": "nohup sleep LONG >/dev/null 2>&1 & disown; sleep LONG",
    "double fork": "(setsid sh -c 'sleep LONG & exit' &); sleep LONG",
    "traps TERM": "trap '' TERM; while :; do sleep LONG; done",
    "coproc": "coproc sleep LONG; sleep LONG",
    "stopped": "sleep LONG & kill -STOP $!; kill -STOP $$",
    "no environment": "env -i setsid sleep LONG & sleep LONG",
    "always new": "f() { sleep LONG & f & wait; }; f",
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_nothing_survives_a_stop(place: Workplace, shape: str) -> None:
    command = f"echo begun; {SHAPES[shape]}".replace("LONG", LONG)
    running = await bash_tool().start({"command": command}, place)
    await asyncio.sleep(0.1)
    begun = time.monotonic()
    outcome = await running.stop()

    assert not outcome.ok
    assert outcome.output.startswith("begun\n")
    assert time.monotonic() - begun < 5
    assert not left_running()


async def test_nothing_survives_when_time_is_up_for_all_at_once(call: Call) -> None:
    outcomes = await asyncio.gather(
        *(run(call, f"echo begun; {shape}", timeout=1) for shape in SHAPES.values())
    )

    for outcome in outcomes:
        assert outcome.output.startswith("Error: timed out after 1 s and was ended\nbegun\n")
    assert not left_running()


async def test_ending_one_command_leaves_the_others_alone(call: Call, place: Workplace) -> None:
    own = await asyncio.create_subprocess_exec("sleep", "0.5", start_new_session=True)
    other = asyncio.create_task(call("Bash", command="sleep 0.6 & wait; echo whole"))
    running = await bash_tool().start({"command": "sleep 30"}, place)
    await asyncio.sleep(0.1)
    await running.stop()
    await call("Bash", command="sleep 30 &")

    assert (await other).output == "whole\n"
    assert await own.wait() == 0


async def test_nothing_is_held_after_100_commands(call: Call) -> None:
    async def all_kinds() -> None:
        await call("Bash", command="true")
        await call("Bash", command="setsid true & setsid -f true; true")
        await call("Bash", command="sleep 30 >/dev/null 2>&1 &", timeout=5)

    await all_kinds()
    before = held()
    for _ in range(33):
        await all_kinds()

    assert held() == before


async def test_dead_orphans_are_reaped_in_the_end(call: Call) -> None:
    await call("Bash", command="setsid -f sh -c true; sleep 0.1")
    await asyncio.sleep(1.1)
    await call("Bash", command="true")

    with pytest.raises(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)


async def test_a_shell_does_not_go_on_when_its_command_is_ended(place: Workplace) -> None:
    command = {"command": "(sleep 30; echo late); echo later"}
    running = [await bash_tool().start(command, place) for _ in range(20)]
    await asyncio.sleep(0.1)
    outcomes = await asyncio.gather(*(one.stop() for one in running))

    assert [outcome.output for outcome in outcomes] == [""] * 20


async def test_many_children_are_not_all_named(call: Call) -> None:
    outcome = await run(call, "for n in 1 2 3 4 5 6 7; do sleep LONG & done")

    assert outcome.output == (
        f"[ended, for it was left running: {', '.join([f'sleep {LONG}'] * 5)} and 2 more]"
    )


PROGRAM = """
import asyncio, os, sys
from fsm_agent.tools.bash import bash_tool
from fsm_agent.tools.protocol import Workplace

async def main():
    place = Workplace(os.getcwd(), dict(os.environ))
    for command in sys.argv[1:]:
        await bash_tool().start({"command": command}, place)
    print("begun", flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def test_nothing_survives_when_the_program_is_killed(workspace: Path) -> None:
    commands = (
        "(while :; do sleep LONG; done)",
        "setsid nohup sleep LONG & wait",
        "trap '' TERM; sleep LONG; sleep LONG",
    )
    argv = (sys.executable, "-c", PROGRAM, *(one.replace("LONG", LONG) for one in commands))
    with subprocess.Popen(argv, cwd=workspace, stdout=subprocess.PIPE) as program:
        assert program.stdout
        assert program.stdout.readline() == b"begun\n"
        until(lambda: sum(line.startswith("sleep") for line in left_running()) == 3)
        program.kill()
    until(lambda: not left_running())


def test_the_watcher_ends_with_the_program(workspace: Path) -> None:
    def watchers() -> list[str]:
        return [line for line in command_lines() if f"fsm-agent-watch /{program.pid}." in line]

    argv = (sys.executable, "-c", PROGRAM, "true")
    with subprocess.Popen(argv, cwd=workspace, stdout=subprocess.PIPE) as program:
        assert program.stdout
        program.stdout.readline()
        assert len(watchers()) == 1
        program.terminate()
    until(lambda: not watchers())


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_loop_that_ends_leaves_no_command(place: Workplace) -> None:
    async def leave_early() -> None:
        await bash_tool().start({"command": f"setsid sleep {LONG} & sleep {LONG}"}, place)
        await asyncio.sleep(0.1)
        assert len(left_running()) == 3

    asyncio.run(leave_early())

    assert not left_running()
