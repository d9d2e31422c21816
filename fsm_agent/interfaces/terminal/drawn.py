"""A terminal that is drawn on, and what its line is edited with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.interfaces.terminal.commands.table import Commands
from fsm_agent.interfaces.terminal.line.completing import LineCompleter
from fsm_agent.interfaces.terminal.line.editing import Editing, Editor
from fsm_agent.interfaces.terminal.line.filenames import FileNames
from fsm_agent.interfaces.terminal.line.history import NAME, LineHistory
from fsm_agent.interfaces.terminal.line.menu import Menu
from fsm_agent.interfaces.terminal.line.picturing import Pictures, spelled
from fsm_agent.interfaces.terminal.screen import Screen
from fsm_agent.interfaces.terminal.surface import Acts, Surface
from fsm_agent.interfaces.terminal.switching import Opened
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.redaction import Redactor


def drawn(
    current: Opened, commands: Commands, home: Path, redactor: Redactor, *, vi: bool
) -> Callable[[Acts], Surface]:
    """What makes the screen of a session; its line has vi's keys or emacs'."""
    cwd, directory = current.cwd, current.session.directory
    images = Images(directory)
    tools = Editing(
        LineHistory(directory.parent / NAME, lambda text: redactor.text(spelled(text, images))),
        Menu(LineCompleter(commands.told(), commands.words(home, cwd), FileNames(cwd))),
        Editor(ENVIRONMENT),
        Pictures(images, ENVIRONMENT),
        vi=vi,
    )
    return partial(Screen, editing=tools)
