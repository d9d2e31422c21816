"""What tools and commands changed in a session, for `diff` and `undo`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import FileChange
from fsm_agent.interfaces.terminal.commands.turns import Turns, turn_of
from fsm_agent.lifecycles.rewinding import REDO, UNDO

AGAIN = "again"
"""Name of the command that finishes one which a death of the program has cut short."""


class ChangeSet(msgspec.Struct, frozen=True):
    """The files that one call changed; `of` is the seq of the line that says so.

    `turn` is the turn whose call it was; 0 of a person's own command.
    """

    of: int
    changes: tuple[FileChange, ...]
    turn: int = 0


class Undone(msgspec.Struct, frozen=True):
    """What one command took back: its own seq, its line, and the sets that it was about."""

    of: int
    command: i.Command
    sets: tuple[ChangeSet, ...]


class Changes:
    """Every change of a file that the lines so far tell of.

    Attributes:
        command: The last line that changes files, if it is a command.
        turns: What the turns were about.
        undone: What was taken back since the last turn began, the newest at the end.
    """

    def __init__(self) -> None:
        self._sets: dict[int, ChangeSet] = {}
        self._net: dict[str, FileChange] = {}
        self.command: i.Command | None = None
        self.turns = Turns()
        self.undone: list[Undone] = []

    def take(self, line: Line) -> None:
        """Take the next line in."""
        self.turns.take(line)
        match line.event:
            case (
                i.Finished(changes=changes, instance=name)
                | i.Stopped(changes=changes, instance=name)
            ) if changes:
                self._sets[line.seq] = ChangeSet(line.seq, changes, turn_of(name))
                self.command = None
            case i.Command(changes=changes) as command if changes or command.name in (UNDO, REDO):
                self._command(line.seq, command)
                self.command = command if changes else None
            case d.Transition(source="ready", instance=name) if name.startswith("turn-"):
                self.undone.clear()
                return
            case _:
                return
        for change in changes:
            first = self._net.get(change.path, change)
            self._net[change.path] = FileChange(change.path, first.before, change.after)

    def _command(self, seq: int, command: i.Command) -> None:
        of: Any = command.arguments.get("of")
        match command.name:
            case "undo":
                every = of if isinstance(of, list) else [of]  # older logs have one
                sets = [self._sets.pop(one, None) for one in every if isinstance(one, int)]
                self.undone.append(Undone(seq, command, tuple(filter(None, sets))))
            case "redo":
                for undone in [one for one in self.undone if one.of == of]:
                    self.undone.remove(undone)
                    back = {each.of: each for each in undone.sets}
                    self._sets = dict(sorted({**self._sets, **back}.items()))
            case "again":
                pass
            case _:
                self._sets[seq] = ChangeSet(seq, command.changes)

    def newest(self) -> ChangeSet | None:
        """The last set that was not taken back."""
        return next(reversed(self._sets.values()), None)

    def since(self, seq: int) -> list[ChangeSet]:
        """The sets from this line of the log on that were not taken back."""
        return [each for each in self._sets.values() if each.of >= seq]

    def net(self) -> list[FileChange]:
        """Each changed file: as it was first, as it was left last; without those left as found."""
        return [change for change in self._net.values() if change.before != change.after]


def together(sets: Iterable[ChangeSet]) -> tuple[list[FileChange], list[str]]:
    """What takes all of them back as one, latest first; and the files changed in between.

    A file was changed in between if a set did not find it as the one before has left it.
    """
    whole: dict[str, FileChange] = {}
    torn: list[str] = []
    for change in (change for each in sets for change in each.changes):
        first = whole.pop(change.path, change)
        if first is not change and first.after != change.before and change.path not in torn:
            torn.append(change.path)
        whole[change.path] = FileChange(change.path, first.before, change.after)
    back = [FileChange(c.path, c.after, c.before) for c in reversed(whole.values())]
    return [change for change in back if change.before != change.after], torn
