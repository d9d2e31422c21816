"""A session is opened at a terminal."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from prompt_toolkit.utils import is_dumb_terminal

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.assembly import Wanted, open_session, place_of
from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.interfaces.terminal.app import Terminal
from fsm_agent.interfaces.terminal.commands.table import Commands
from fsm_agent.interfaces.terminal.line.completing import LineCompleter
from fsm_agent.interfaces.terminal.line.editing import Editing, Editor
from fsm_agent.interfaces.terminal.line.filenames import FileNames
from fsm_agent.interfaces.terminal.line.history import NAME, LineHistory
from fsm_agent.interfaces.terminal.screen import Screen
from fsm_agent.runtime.redaction import Redactor, secrets_of
from fsm_agent.settings import RunSettings


def run_terminal(settings: RunSettings, wanted: Wanted, home: Path, cwd: Path, *, vi: bool) -> int:
    """Talk until the person leaves, who types with vi's keys or emacs'; return the exit code.

    Raises:
        UsageError: If this is no terminal that a prompt can be drawn on.
    """
    if is_dumb_terminal() or not sys.stdout.isatty():
        raise UsageError("the prompt needs a terminal that can move its cursor; give a prompt: -p")
    session = open_session(wanted, home, cwd)
    try:
        cwd = place_of(session, cwd)
        commands = Commands()
        redactor = Redactor(secrets_of(ENVIRONMENT, settings.api_key))
        tools = Editing(
            LineHistory(session.directory.parent / NAME, redactor.text),
            LineCompleter(commands.told(), commands.words(home, cwd), FileNames(cwd)),
            Editor(ENVIRONMENT),
            vi=vi,
        )
        return asyncio.run(
            Terminal(session, home, cwd, partial(Screen, editing=tools), commands).run(settings)
        )
    finally:
        session.close()
