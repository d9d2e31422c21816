"""A list of sessions to choose from, as lines lower than the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.cells import cell_len, set_cell_size

from fsm_agent.interfaces.amounts import age
from fsm_agent.interfaces.listing import Glance
from fsm_agent.interfaces.terminal.live import GREY, Lines

LISTED = 10
"""Sessions that are seen at once."""
PREVIEW = 4
"""Lines that are told of the chosen one, where the screen has room for them."""
ROOMY = 12
"""Rows from which on it has."""
WIDE = 50
"""Columns from which on ages stand beside first lines."""


@dataclass
class Choices:
    """What can be chosen, and what is.

    Attributes:
        cwd: This directory.
        everywhere: Whether sessions of other directories are among them.
        found: The sessions, newest first.
        excerpts: Where the text that is looked for stands in them.
        glances: What is known of them so far.
        at: The place of the chosen one.
        looking: Whether more may be found.
        fault: Why nothing could be found.
    """

    cwd: str
    everywhere: bool = False
    found: list[Path] = field(default_factory=list)
    excerpts: dict[Path, str] = field(default_factory=dict)
    glances: dict[Path, Glance] = field(default_factory=dict)
    at: int = 0
    looking: bool = False
    fault: str = ""

    @property
    def chosen(self) -> Path | None:
        """The one that Enter takes."""
        return self.found[self.at] if self.found else None

    def move(self, by: int) -> None:
        """Choose another one, so many further down."""
        self.at = max(0, min(self.at + by, len(self.found) - 1))

    def seen(self, rows: int) -> list[Path]:
        """Those that a screen of so many rows shows, with the chosen one among them."""
        room = max(1, min(LISTED, rows - 3 - (PREVIEW if rows >= ROOMY else 0)))
        start = max(0, min(self.at - room // 2, len(self.found) - room))
        return self.found[start : start + room]

    def lines(self, size: tuple[int, int], now: float) -> Lines:
        """The list and what is told of the chosen one, for so many columns and rows."""
        columns, rows = size
        made = [*self._list(size, now)]
        if rows >= ROOMY:
            made += [("", ""), *self._preview(now)]
        return [(style, _cut(text, columns - 1)) for style, text in made]

    def _list(self, size: tuple[int, int], now: float) -> Iterator[tuple[str, str]]:
        columns, rows = size
        for directory in self.seen(rows):
            mark = ">" if directory == self.chosen else " "
            told = self._told(directory, now if columns >= WIDE else None)
            yield "bold" if mark == ">" else "", f"{mark} {told}"
        scope = "all directories" if self.everywhere else "this directory"
        other = "this directory only" if self.everywhere else "all directories"
        count = f"{len(self.found):,}{'…' if self.looking else ''}"
        yield GREY, self.fault or f"  {count} of {scope} · Tab: {other} · Enter · Esc"

    def _told(self, directory: Path, now: float | None) -> str:
        seen = self.glances.get(directory)
        if seen is None:
            return f"{directory.name} …"
        return seen.first if now is None else f"{_age(seen, now):>12}  {seen.first}"

    def _preview(self, now: float) -> Iterator[tuple[str, str]]:
        seen = self.glances.get(self.chosen) if self.chosen else None
        if seen is None or self.chosen is None:
            return
        turns = f" · {seen.turns} turn{'s' if seen.turns != 1 else ''}" if seen.turns else ""
        where = f" · {seen.cwd}" if seen.cwd != self.cwd else ""
        yield GREY, f"  {_age(seen, now)} · {seen.name}{turns}{where}"
        if seen.last:
            yield GREY, f"  last: {seen.last}"
        if excerpt := self.excerpts.get(self.chosen):
            yield GREY, f"  found: {excerpt}"


def _age(seen: Glance, now: float) -> str:
    return age(now - seen.changed) if seen.changed else "?"


def _cut(text: str, columns: int) -> str:
    """The text on one line of so many columns."""
    if cell_len(text) <= columns:
        return text
    return f"{set_cell_size(text, max(0, columns - 1))}…"
