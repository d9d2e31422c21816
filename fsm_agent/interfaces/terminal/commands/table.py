"""Slash commands: which is meant, and what becomes of it."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from rich.text import Text

from fsm_agent.errors import FsmAgentError, UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.commands import (
    choosing,
    permitting,
    recording,
    reloading,
    remembering,
    sessions,
    showing,
    steering,
    undoing,
)
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.custom import CustomCommands
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.interfaces.terminal.commands.helping import KEYS, explained, listed
from fsm_agent.runtime.instructions import Places

GROUPS: Mapping[str, Sequence[Command]] = {
    "Model and permissions": (*choosing.COMMANDS, *permitting.COMMANDS),
    "Turn, plan and context": steering.COMMANDS,
    "Looking": showing.COMMANDS,
    "Sessions": sessions.COMMANDS,
    "Record": recording.COMMANDS,
    "Files": undoing.COMMANDS,
    "Memory and files that are read": (*remembering.COMMANDS, *reloading.COMMANDS),
}
"""Commands by what they are about, in the order in which `/help` lists them."""
CARRIED_OUT: Mapping[str, Callable[[Desk, i.Command], None]] = {
    **undoing.CARRIED_OUT,
    remembering.MEMORY: remembering.memory_now,
    reloading.RELOAD: reloading.reload_now,
}
"""What is done about commands that were logged first."""

ELSEWHERE: Mapping[str, str] = {
    "branch": "fork",
    "clear": "new",
    "cost": "usage",
    "context": "usage",
    "rewind": "undo",
    "status": "usage",
}
"""Names that other programs have for such commands, and ours."""


class Commands:
    """The commands that can be typed.

    Attributes:
        named: Each by its name.
        custom: Those of the person's own, and of the project.
    """

    def __init__(self, places: Places | None = None) -> None:
        """Look for prompt files at `places`, if there are any."""
        self.groups = {"Here": (self._help_command(), _QUIT), **GROUPS}
        self.named = {c.name: c for commands in self.groups.values() for c in commands}
        self.custom = CustomCommands(places, self.named)

    def told(self) -> Mapping[str, str]:
        """What each does, by its name; it is kept up to date."""
        named = {name: command.what for name, command in self.named.items()}
        return ChainMap(self.custom.told, named)

    def acts(self, line: str) -> bool:
        """Whether a line is a command that acts here; the others are handed in."""
        return is_command(line) and not self.custom.asks(line)

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
            desk.print(Text(f"{self._unknown(name)} Nothing was sent.", "error"))
            return
        command = self.named[name]
        try:
            if argument and not command.takes:
                raise UsageError("it takes nothing")
            command.run(desk, argument)
        except (FsmAgentError, OSError) as error:
            desk.print(Text(escape_line(f"/{name}: {error}"), "error"))

    def _unknown(self, name: str) -> str:
        wanted = ELSEWHERE.get(name.lower(), name.lower())
        near = " or ".join(f"/{one}" for one in get_close_matches(wanted, self.told(), n=2))
        meant = f" Did you mean {near}?" if near else " /help lists them."
        return f"there is no command /{escape_line(name)}.{meant}"

    def _help_command(self) -> Command:
        return Command(
            "help",
            "what can be typed here",
            self._help,
            words=lambda _, __: [("keys", "what the keys do"), *self.told().items()],
            takes="[NAME|keys]",
            more="With the name of a command it says how that is written, what it does, and when.",
            example="/help compact",
        )

    def _help(self, desk: Desk, name: str) -> None:
        """List the commands, or say more of one.

        Raises:
            UsageError: If there is no such command.
        """
        name = name.removeprefix("/")
        if not name:
            desk.print(*listed(self.groups, self.custom.told))
        elif name == "keys":
            desk.print(Text(KEYS))
        elif command := self.named.get(name):
            words = () if name == "help" else command.words(desk.home, desk.cwd)
            desk.print(*explained(command, words))
        elif told := list(self.custom.explained(name)):
            desk.print(*told)
        else:
            raise UsageError(self._unknown(name))


def is_command(line: str) -> bool:
    """Whether the line is a command: `/name …`, `!command`, or a plain word that leaves.

    A path (`/etc/hosts`) and what begins as comments of programs do is none.
    """
    if line.startswith("/"):
        return not re.match(r"/(\*|\S*/)", line)
    return line.startswith("!") or line in ("exit", "quit")


def _parts(line: str) -> tuple[str, str]:
    name, _, argument = line.removeprefix("/").strip().partition(" ")
    return ("quit" if name == "exit" else name), argument.strip()


def _quit(desk: Desk, _: str) -> None:
    desk.give([i.Leave(reason="quit")])


_QUIT = Command(
    "quit",
    "leave; the session can be taken up again",
    _quit,
    more="/exit, and the words exit and quit alone, do the same, and so does Ctrl-D in an empty line.",
    example="/quit",
)
