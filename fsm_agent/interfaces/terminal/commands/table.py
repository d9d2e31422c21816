"""Slash commands: which is meant, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from rich.text import Text

from fsm_agent.errors import FsmAgentError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.commands import (
    choosing,
    remembering,
    sessions,
    showing,
    steering,
    undoing,
)
from fsm_agent.interfaces.terminal.commands.changes import UNDO
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk

GROUPS = (choosing, steering, showing, sessions, undoing, remembering)
"""Modules with commands, in the order in which `/help` lists them."""
CARRIED_OUT: Mapping[str, Callable[[Desk, i.Command], None]] = {
    UNDO: undoing.undo_now,
    remembering.MEMORY: remembering.memory_now,
}
"""What is done about commands that were logged first."""
KEYS = """\
  Enter hands the line in; while a turn runs, it waits for the turn's end
  Alt-Enter, or Esc Enter, starts a new line; Tab completes /commands and @files
  Ctrl-T shows the last result in full; Ctrl-Z stops the program until the shell's `fg`
  Ctrl-O puts the line into the running turn; ↑ takes the last waiting line back
  Ctrl-R searches what was typed in this project; Ctrl-G opens $VISUAL or $EDITOR
  !command runs in your shell, unasked; !!command tells the model what came of it
  Esc or Ctrl-C stops what runs; Ctrl-C twice leaves, and so does Ctrl-D"""


class Commands:
    """The commands that can be typed.

    Attributes:
        named: Each by its name.
    """

    def __init__(self, more: Iterable[Command] = ()) -> None:
        self.named = {
            command.name: command
            for command in (
                Command("help", "what can be typed here", self._help),
                Command("quit", "leave; the session can be taken up again", _quit),
                *(command for group in GROUPS for command in group.COMMANDS),
                *more,
            )
        }

    def told(self) -> dict[str, str]:
        """What each does, by its name."""
        return {name: command.what for name, command in self.named.items()}

    def words(self, home: Path, cwd: Path) -> dict[str, Callable[[], Iterable[tuple[str, str]]]]:
        """What they take, by their names; it is looked up when it is asked for."""
        return {name: partial(command.words, home, cwd) for name, command in self.named.items()}

    def waits(self, line: str) -> bool:
        """Whether the command of this line needs the session at rest; the others act at once."""
        name, argument = _parts(line)
        return name in self.named and self.named[name].must_wait(argument)

    def run(self, line: str, desk: Desk) -> None:
        """Do what the command says, or say why not."""
        if line.startswith("!"):
            desk.shell(line)
            return
        name, argument = _parts(line)
        if name not in self.named:
            desk.print(Text(self._unknown(name), "error"))
            return
        try:
            self.named[name].run(desk, argument)
        except (FsmAgentError, OSError) as error:
            desk.print(Text(escape_line(f"/{name}: {error}"), "error"))

    def _unknown(self, name: str) -> str:
        near = " or ".join(f"/{one}" for one in get_close_matches(name, self.named, n=2))
        meant = f" Did you mean {near}?" if near else " /help lists them."
        return f"there is no command /{escape_line(name)}.{meant} Nothing was sent."

    def _help(self, desk: Desk, _: str) -> None:
        lines = (Text(f"  /{name:9} {command.what}") for name, command in self.named.items())
        desk.print(*lines, Text(KEYS))


def is_command(line: str) -> bool:
    """Whether the line is a command: `/name …`, `!command`, or a plain word that leaves."""
    return line.startswith(("/", "!")) or line in ("exit", "quit")


def _parts(line: str) -> tuple[str, str]:
    name, _, argument = line.removeprefix("/").strip().partition(" ")
    return ("quit" if line == "exit" else name), argument.strip()


def _quit(desk: Desk, _: str) -> None:
    desk.give([i.Leave(reason="quit")])
