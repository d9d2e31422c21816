"""Bash: a command line run by a shell that has nobody to ask."""

from __future__ import annotations

import asyncio
import functools
import os
import shutil
import signal
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.calls import CommandTool, Job, Number, ToolFailure, failed, spec
from fsm_agent.tools.cleaning import clean_output
from fsm_agent.tools.commands import Command, Ending
from fsm_agent.tools.containment import check_root
from fsm_agent.tools.protocol import Workplace

NOBODY_THERE: Mapping[str, str] = {
    "DEBIAN_FRONTEND": "noninteractive",
    "EDITOR": "false",
    "GIT_ASKPASS": "false",
    "GIT_EDITOR": "false",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_PAGER": "cat",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "MANPAGER": "cat",
    "PAGER": "cat",
    "PIP_NO_INPUT": "1",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "never",
    "SYSTEMD_PAGER": "cat",
    "TERM": "dumb",
    "VISUAL": "false",
}
"""What makes editors, pagers and password prompts fail or pass through at once."""
_START_UP_FILES = ("BASH_ENV", "ENV")
_NAMED = 5  # processes that are named when they are ended


class Arguments(msgspec.Struct, frozen=True):
    """What Bash is asked."""

    command: str
    timeout: Annotated[Number, Meta(description="Seconds; 0: the default")] = 0


class Asked(Arguments, frozen=True):
    """What is understood, too, to be refused with a reason: the model is not told of it."""

    background: bool = False


def bash_tool() -> CommandTool[Asked]:
    """The tool Bash."""
    told = spec(
        "Bash",
        "Run a command with bash in the workspace. No input, no terminal; stdout and stderr "
        "together. What it leaves running in the background is ended.",
        Arguments,
    )
    return CommandTool(told, Asked, _begin)


def _begin(asked: Asked, place: Workplace) -> Job:
    if asked.background:
        raise ToolFailure("no background commands here: run it with a timeout")
    check_root(place)
    timeout_s = asked.timeout or place.tool_timeout_s
    shell = _shell(place.environment.get("PATH", os.defpath))
    kept = {name: value for name, value in place.environment.items() if name not in _START_UP_FILES}
    argv = (*shell, "-c", "--", asked.command)
    command = Command(argv, place.root, {**kept, **NOBODY_THERE}, timeout_s)
    return Job(_outcome(command, timeout_s), command.stop)


@functools.cache
def _shell(path: str) -> tuple[str, ...]:
    bash = shutil.which("bash", path=path)
    return ("bash", "--norc", "--noprofile") if bash else ("sh",)


async def _outcome(command: Command, timeout_s: float) -> ToolOutcome:
    """A first line that says what went wrong, if something did; the output; what was ended."""
    ending = await command.ending()
    output = await asyncio.to_thread(clean_output, ending.output)
    if ending.left:
        end = "" if output.endswith("\n") or not output else "\n"
        names = ", ".join(ending.left[:_NAMED])
        more = f" and {len(ending.left) - _NAMED} more" if len(ending.left) > _NAMED else ""
        output += f"{end}[ended, for it was left running: {names}{more}]"
    if trouble := _trouble(ending, timeout_s):
        return failed(f"{trouble}\n{output}")
    return ToolOutcome(output, ok=ending.cause == "exited")


def _trouble(ending: Ending, timeout_s: float) -> str:
    if ending.code is None:
        return "the command could not be ended"
    if ending.cause == "timed out":
        return f"timed out after {timeout_s:g} s and was ended"
    if ending.cause == "stopped" or ending.code == 0:
        return ""
    if ending.code < 0:
        return f"ended by {signal.Signals(-ending.code).name}"
    return f"exit code {ending.code}"
