"""`/model` and `/mode`: who is asked, and what runs unasked, from now on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.runtime.pricing import models, renamed
from fsm_agent.settings import Permission

MODES = (
    ("ask", "changes and commands ask first"),
    ("edits", "edits in the workspace run unasked"),
    ("allow", "everything runs unasked"),
    ("read", "nothing is changed"),
    ("plan", "nothing is changed but a draft"),
)
"""What `/mode` takes."""


def _model(desk: Desk, name: str) -> None:
    settings = desk.session.world.settings
    if name:
        desk.give([renamed(settings, name, desk.home)])
    else:
        desk.print(Text(f"  {escape_line(settings.model)} ({settings.protocol})"))


def _mode(desk: Desk, name: str) -> None:
    """Say what runs unasked, or change it; it holds for what is being asked now, too.

    Raises:
        UsageError: If there is no such mode.
    """
    settings, modes = desk.session.world.settings, get_args(Permission)
    if not name:
        desk.print(Text(f"  {settings.permission}; /mode {'|'.join(modes)} changes it"))
    elif name in modes:
        desk.give([msgspec.structs.replace(settings, permission=name)])
    else:
        raise UsageError(f"it takes {', '.join(modes)}, not '{name}'")


def _model_names(home: Path, _: Path) -> Iterator[tuple[str, str]]:
    for name, model in models(home).items():
        yield name.partition("/")[2], f"{model.window:,} tokens" if model.window else ""


COMMANDS = (
    Command("model", "NAME: ask this model from now on", _model, waits=True, words=_model_names),
    Command(
        "mode",
        "ask, edits, allow, read or plan: what runs unasked",
        _mode,
        words=lambda _, __: MODES,
    ),
)
