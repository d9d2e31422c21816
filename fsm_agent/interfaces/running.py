"""A run: one shot or REPL, from the command line to the exit code."""

from __future__ import annotations

import argparse
import os
import select
import sys
from pathlib import Path

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.assembly import Wanted
from fsm_agent.interfaces.configuring import configure, home, keys, plain, working_directory
from fsm_agent.interfaces.outlets import aside
from fsm_agent.runtime.expanding import joined, with_stdin

PATIENCE_S = 2.0
"""How long nothing may come out of a pipe before that is said, in seconds."""


def run(given: argparse.Namespace) -> int:
    """Run what the command line asks for; return the exit code."""
    if given.version:
        return _version()
    about_plan = _about_plan(given)
    cwd = working_directory()
    words = joined(given.prompt, cwd)
    piped = "" if sys.stdin.isatty() else read_stdin()
    prompt = with_stdin(words, piped)
    one_shot = given.print or about_plan or bool(prompt.strip()) or not _at_terminal()
    person = not one_shot or has_terminal()
    if one_shot and given.resume == "":
        raise UsageError("--resume needs the ID of a session here; `fsm-agent sessions` lists them")
    settings = configure(given)
    wanted = Wanted(given.go_on, given.resume)
    if not one_shot:
        from fsm_agent.interfaces.terminal.opening import run_terminal  # noqa: PLC0415 - start-up

        vi, lines = keys(given.keys) == "vi", plain(given=given.plain)
        return run_terminal(settings, wanted, home(), cwd, vi=vi, plain=lines)
    going_on = given.go_on or given.resume is not None
    if not prompt.strip() and not going_on and not given.execute_plan:
        raise UsageError('there is no prompt; say what to do: fsm-agent "fix the failing test"')
    from fsm_agent.interfaces import headless, planned  # noqa: PLC0415 - start-up

    agreed = None
    if given.execute_plan:
        agreed = planned.read_agreed(Path(given.execute_plan), given.plan_hash)
        lifted = "ask" if person else "allow"
        settings = msgspec.structs.replace(settings, permission=settings.permission or lifted)
        words = words if prompt.strip() else planned.CARRY_OUT
    shot = headless.OneShot(
        words=words,
        asked=headless.asked_for(words, cwd),
        piped=piped,
        cwd=cwd,
        output=given.output_format,
        deltas=given.include_deltas,
        person=person,
        plan_only=given.plan_only,
        agreed=agreed,
        plain=plain(given=given.plain),
    )
    return headless.run_one_shot(shot, settings, wanted, home())


def _about_plan(given: argparse.Namespace) -> bool:
    """Whether the run is to draft a plan, or to carry one out; what else is said must fit that.

    Raises:
        UsageError: If it does not.
    """
    if given.plan_only:
        if given.execute_plan or given.auto_approve or given.permission not in (None, "plan"):
            raise UsageError("--plan-only changes nothing: it goes with no other permission")
        given.permission = "plan"
    if bool(given.execute_plan) != bool(given.plan_hash):
        raise UsageError("--execute-plan FILE and --plan-hash SHA256 go together")
    if given.execute_plan and given.permission in ("plan", "read"):
        raise UsageError("nothing can be carried out in this mode; choose another --permission")
    return bool(given.plan_only or given.execute_plan)


def read_stdin() -> str:
    """What was piped in, bad bytes shown as such."""
    if not select.select([sys.stdin], [], [], PATIENCE_S)[0]:
        aside("fsm-agent: waiting for what is piped in; if that is nothing, add </dev/null")
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace")


def has_terminal() -> bool:
    """Whether somebody can be asked: a terminal is there, wherever the standard files lead."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _at_terminal() -> bool:
    return sys.stdin.isatty() and (sys.stdout.isatty() or sys.stderr.isatty())


def _version() -> int:
    from fsm_agent.version import __version__  # noqa: PLC0415 - start-up

    print(f"fsm-agent {__version__}")
    return 0
