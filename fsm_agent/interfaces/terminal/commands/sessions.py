"""`/sessions`: what can be taken up again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rich.text import Text

from fsm_agent.interfaces.listing import listed
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.runtime.places import sessions

LISTED = 20
"""Sessions that are listed."""


def _sessions(desk: Desk, _: str) -> None:
    for directory, line in listed(islice(sessions(desk.home, desk.cwd), LISTED)):
        mark = "*" if directory == desk.session.directory else " "
        desk.print(Text(f"{mark} {line}"))
    desk.print(Text("  fsm-agent --resume ID takes one up", "quiet"))


def session_names(home: Path, cwd: Path) -> Iterator[tuple[str, str]]:
    """This directory's sessions, newest first, and what each is about."""
    for directory, line in listed(islice(sessions(home, cwd), LISTED)):
        yield directory.name, line.removeprefix(directory.name).strip()


COMMANDS = (Command("sessions", "this directory's sessions", _sessions),)
