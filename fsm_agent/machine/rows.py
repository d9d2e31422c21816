"""What a table is made of: states, questions, rows; a row as it is taken."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class State(msgspec.Struct, frozen=True):
    """A condition an instance can rest in, or pass through."""

    caption: str
    final: bool = False
    does: str | None = None
    """The activity that is open while the state is current."""
    on_crash: str | None = None
    """The trigger that resume feeds to an instance found here."""
    line: int = 1
    violation: bool = False
    """In a watcher: being here is a finding."""


class Ask(msgspec.Struct, frozen=True):
    """A question to recorded facts, with a closed list of answers."""

    of: tuple[str, ...]
    caption: str
    bounded: tuple[str, ...] = ()
    """Answers that can be given only finitely often before there is progress."""
    line: int = 1


class Row(msgspec.Struct, frozen=True):
    """One sentence of a machine: from a state, on a trigger, to a state."""

    id: str
    source: tuple[str, ...]
    on: str
    to: str | None
    """None: the state stays, and nothing in it is restarted."""
    when: Mapping[str, tuple[str, ...]]
    """The answers this row takes, by question."""
    emits: tuple[str, ...]
    sends: tuple[str, ...]
    line: int = 1

    def fits(self, answers: Mapping[str, str]) -> bool:
        """Whether the row takes these answers; there must be one to each of its questions."""
        return all(answers[ask] in taken for ask, taken in self.when.items())


class Move(msgspec.Struct, frozen=True):
    """A row as it is taken in one of its states."""

    row: Row
    target: str
    does: str | None
    """The activity that begins."""
    enters: bool
    """Whether a pass-through state is entered: its row comes next."""
