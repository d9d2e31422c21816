"""A command ends, whole and with its tree, and never waits for a person."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.bash import bash_tool
from fsm_agent.tools.protocol import Workplace

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


async def test_output_of_both_streams_comes_in_order(call: Call) -> None:
    outcome = await call("Bash", command="echo one; echo two >&2; echo three")

    assert outcome == ToolOutcome("one\ntwo\nthree\n")


async def test_it_runs_in_the_workspace_with_the_given_environment(workspace: Path) -> None:
    place = Workplace(str(workspace), {"PATH": os.environ["PATH"], "WORD": "said", "ENV": "./x"})
    running = await bash_tool().start({"command": "pwd; echo $WORD$ENV; env | sort"}, place)
    output = (await running.wait()).output

    assert output.startswith(f"{workspace}\nsaid\n")
    assert {line.partition("=")[0] for line in output.splitlines()[2:]} - {"_", "SHLVL", "PWD"} == {
        *("DEBIAN_FRONTEND", "EDITOR", "FSM_AGENT_CALL", "GIT_ASKPASS", "GIT_EDITOR"),
        *("GIT_MERGE_AUTOEDIT", "GIT_PAGER", "GIT_SEQUENCE_EDITOR", "GIT_TERMINAL_PROMPT"),
        *("MANPAGER", "PAGER", "PATH", "PIP_NO_INPUT", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"),
        *("SYSTEMD_PAGER", "TERM", "VISUAL", "WORD"),
    }


async def test_sh_is_taken_where_there_is_no_bash(workspace: Path) -> None:
    (workspace / "bin").mkdir()
    (workspace / "bin/sh").symlink_to("/bin/sh")
    place = Workplace(str(workspace), {"PATH": f"{workspace}/bin"})
    outcome = await (await bash_tool().start({"command": "echo ${BASH-none}"}, place)).wait()

    assert outcome.output == "none\n"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("echo no; exit 3", "Error: exit code 3\nno\n"),
        ("false", "Error: exit code 1\n"),
        ("kill -KILL $$", "Error: ended by SIGKILL\n"),
        ("no-such-command", "Error: exit code 127\nbash: line 1: no-such-command"),
        ("echo 'Error: mine'; exit 1", "Error: exit code 1\nError: mine\n"),
    ],
)
async def test_a_failure_is_told_once_before_the_output(
    call: Call, command: str, output: str
) -> None:
    outcome = await call("Bash", command=command)

    assert not outcome.ok
    assert outcome.output.startswith(output)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "Error: wrong arguments: Object missing required field `command`"),
        ({"command": 3}, "Error: wrong arguments: Expected `str`, got `int` - at `$.command`"),
        ({"command": "a\0b"}, "Error: bash cannot be started: a NUL or a lone surrogate"),
        ({"command": "\ud800"}, "Error: bash cannot be started: a NUL or a lone surrogate"),
        ({"command": "true", "timeout": 10**400}, "Error: wrong arguments: Expected `int` <= "),
        ({"command": "x" * 200_000}, "Error: bash cannot be started: Argument list too long"),
        ({"command": "true", "background": True}, "Error: no background commands"),
    ],
)
async def test_a_call_that_cannot_run_is_an_outcome(
    call: Call, arguments: dict[str, object], why: str
) -> None:
    outcome = await call("Bash", **arguments)

    assert not outcome.ok
    assert outcome.output.startswith(why)


async def test_time_is_up_and_what_was_printed_stays(call: Call) -> None:
    begun = time.monotonic()
    outcome = await call("Bash", command="echo early; sleep 30; echo late", timeout="1")

    assert outcome.output == "Error: timed out after 1 s and was ended\nearly\n"
    assert not outcome.ok
    assert time.monotonic() - begun < 10


WAITERS = {
    "cat": "",
    "read v; echo got:$v": "got:\n",
    "python3": "",
    "less file": "text\n",
    "exec 3<>/dev/tty": "No such device or address",
    "git -c user.name=a -c user.email=a@b commit": "editor 'false'",
    "git -c credential.helper= ls-remote http://127.0.0.1:9/x": "Error: exit code 128",
    "tty": "not a tty",
    "$EDITOR file || $VISUAL file || echo none": "none\n",
    "yes | head -c 4 | $PAGER": "y\ny\n",
}


@pytest.mark.parametrize("command", WAITERS)
async def test_a_command_that_asks_a_person_ends_at_once(
    call: Call, workspace: Path, command: str
) -> None:
    (workspace / "file").write_text("text\n")
    subprocess.run("git init -q && git add file", shell=True, cwd=workspace, check=True)
    outcome = await call("Bash", command=command, timeout=5)

    assert WAITERS[command] in outcome.output
    assert "timed out" not in outcome.output


async def test_output_of_a_process_substitution_is_waited_for(call: Call) -> None:
    outcome = await call("Bash", command="echo x > >(cat)")

    assert outcome.output == "x\n"


async def test_waiting_may_be_given_up_without_ending_the_command(place: Workplace) -> None:
    running = await bash_tool().start({"command": "sleep 0.2; echo done"}, place)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(running.wait(), 0.05)

    assert (await running.wait()).output == "done\n"
    assert (await running.stop()).output == "done\n"


async def test_commands_run_side_by_side(call: Call) -> None:
    begun = time.monotonic()
    outcomes = await asyncio.gather(
        *(call("Bash", command=f"sleep 0.3; echo {n}") for n in range(8))
    )

    assert [outcome.output for outcome in outcomes] == [f"{n}\n" for n in range(8)]
    assert time.monotonic() - begun < 2


async def test_endless_output_is_bounded(call: Call) -> None:
    outcome = await call("Bash", command="seq 1 400000; echo last")

    assert outcome.output.startswith("1\n2\n3\n")
    assert outcome.output.endswith("\n400000\nlast\n")
    assert 1_100_000 < len(outcome.output) < 1_150_000
    assert " bytes left out …]" in outcome.output


async def test_a_flood_can_be_stopped(place: Workplace) -> None:
    running = await bash_tool().start({"command": "yes & yes"}, place)
    await asyncio.sleep(0.2)
    outcome = await running.stop()

    assert outcome.output.startswith("y\ny\n")
    assert len(outcome.output) < 1_200_000


async def test_output_is_cleaned(call: Call) -> None:
    outcome = await call("Bash", command=r"printf '\033[31mred\033[0m\n 5%%\r100%%\n\xff\a'")

    assert outcome.output == "red\n100%\n\ufffd\\x07"


async def test_a_working_directory_that_is_gone_is_named(call: Call, workspace: Path) -> None:
    outcome = await call("Bash", command=f"cd .. && rm -rf {workspace.name}")
    assert outcome.ok

    gone = f"Error: working directory {workspace} no longer exists"
    for name, arguments in {
        "Bash": {"command": "pwd"},
        "Read": {"path": "f"},
        "Write": {"path": "f", "content": ""},
        "Edit": {"path": "f", "old_string": "a", "new_string": "b"},
        "Glob": {"pattern": "*"},
        "Grep": {"pattern": "x"},
    }.items():
        assert (await call(name, **arguments)).output == gone

    workspace.mkdir()
    assert (await call("Bash", command="pwd")).output == f"{workspace}\n"
