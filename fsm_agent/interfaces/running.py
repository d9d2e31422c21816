"""A run: one shot or REPL, from the command line to the exit code."""

from __future__ import annotations

import argparse
import os
import select
import sys

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.assembly import Wanted
from fsm_agent.interfaces.configuring import configure, home, working_directory
from fsm_agent.interfaces.outlets import aside
from fsm_agent.runtime.expanding import joined, with_stdin

PATIENCE_S = 2.0
"""How long nothing may come out of a pipe before that is said, in seconds."""


def run(given: argparse.Namespace) -> int:
    """Run what the command line asks for; return the exit code."""
    if given.version:
        return _version()
    cwd = working_directory()
    words = joined(given.prompt, cwd)
    piped = "" if sys.stdin.isatty() else read_stdin()
    prompt = with_stdin(words, piped)
    one_shot = given.print or bool(prompt.strip()) or not _at_terminal()
    person = not one_shot or has_terminal()
    settings = configure(given, person=person)
    wanted = Wanted(given.go_on, given.resume)
    if not one_shot:
        from fsm_agent.interfaces.terminal.app import run_terminal  # noqa: PLC0415 - start-up

        return run_terminal(settings, wanted, home(), cwd)
    going_on = given.go_on or given.resume is not None
    if not prompt.strip() and not going_on:
        raise UsageError('there is no prompt; say what to do: fsm-agent "fix the failing test"')
    from fsm_agent.interfaces.headless import OneShot, run_one_shot  # noqa: PLC0415 - start-up

    shot = OneShot(
        words=words,
        piped=piped,
        cwd=cwd,
        output=given.output_format,
        deltas=given.include_deltas,
        person=person,
    )
    return run_one_shot(shot, settings, wanted, home())


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
    return sys.stdin.isatty() and sys.stderr.isatty()


def _version() -> int:
    from fsm_agent.version import __version__  # noqa: PLC0415 - start-up

    print(f"fsm-agent {__version__}")
    return 0
