"""What tools and commands changed in a session, for `diff` and `undo`."""

from __future__ import annotations

import msgspec

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import FileChange

UNDO = "undo"
"""Name of the command whose changes take others back."""


class ChangeSet(msgspec.Struct, frozen=True):
    """The files that one call changed; `of` is the seq of the line that says so."""

    of: int
    changes: tuple[FileChange, ...]

    def reversed(self) -> tuple[FileChange, ...]:
        """The changes that take these back."""
        return tuple(FileChange(c.path, c.after, c.before) for c in self.changes[::-1])


class Changes:
    """Every change of a file that the lines so far tell of.

    Attributes:
        command: The last line that changes files, if it is a command.
    """

    def __init__(self) -> None:
        self._sets: dict[int, ChangeSet] = {}
        self._net: dict[str, FileChange] = {}
        self.command: i.Command | None = None

    def take(self, line: Line) -> None:
        """Take the next line in."""
        match line.event:
            case i.Finished(changes=changes) | i.Stopped(changes=changes) if changes:
                self._sets[line.seq] = ChangeSet(line.seq, changes)
            case i.Command(name=name, changes=changes, arguments={"of": of}) if name == UNDO:
                self._sets.pop(of, None)
            case i.Command(changes=changes) if changes:
                self._sets[line.seq] = ChangeSet(line.seq, changes)
            case _:
                return
        self.command = line.event if isinstance(line.event, i.Command) else None
        for change in changes:
            first = self._net.get(change.path, change)
            self._net[change.path] = FileChange(change.path, first.before, change.after)

    def newest(self) -> ChangeSet | None:
        """The last set that was not taken back."""
        return next(reversed(self._sets.values()), None)

    def net(self) -> list[FileChange]:
        """Each changed file: as it was first, as it was left last; without those left as found."""
        return [change for change in self._net.values() if change.before != change.after]
