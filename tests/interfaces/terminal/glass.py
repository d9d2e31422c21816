"""The glass of a terminal, the size of which may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyte
from pyte.modes import DECAWM
from pyte.screens import Char, StaticDefaultDict

Row = Mapping[int, Char]
FLAG = -1
"""A cell beside the row: that it was full, and what came next stands in the row below."""
BROKEN = Char("broken")


class Glass(pyte.HistoryScreen):
    """What is on the glass, and all that went up beyond it.

    A line that has become too wide is broken, and whole again once there is room for it, as most
    terminals do; `pyte` itself would cut it.

    Args:
        answer: Takes what the terminal says by itself.
    """

    def __init__(self, answer: Callable[[str], Any], columns: int = 80, lines: int = 24) -> None:
        super().__init__(columns, lines, history=1000)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        """Say where the cursor is, when the program asks."""
        self._answer(data)

    def text(self) -> str:
        """All that was ever on it, and is not painted over."""
        return "\n".join("".join(self._cells(row)).rstrip() for row in self._rows(self.lines))

    def draw(self, data: str) -> None:
        """Remember which rows are broken."""
        for letter in data:
            row = self.buffer[self.cursor.y]
            if self.cursor.x == self.columns and DECAWM in self.mode:
                row[FLAG] = BROKEN
            super().draw(letter)

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """A row that ends here does not go on."""
        super().erase_in_line(how, private)
        if how != 1:
            self.buffer[self.cursor.y].pop(FLAG, None)

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        """Break all lines anew; the cursor stays at its letter, empty rows below it may go."""
        lines, columns = lines or self.lines, columns or self.columns
        rows: list[dict[int, Char]] = []
        cursor = self.cursor
        for line, place in self._lines():
            if place is not None:
                cursor.y, cursor.x = len(rows) + place // columns, place % columns
            for begin in range(0, max(len(line), 1), columns):
                rows.append(dict(enumerate(line[begin : begin + columns])))
                if begin + columns < len(line):
                    rows[-1][FLAG] = BROKEN
            rows += [{} for _ in range(cursor.y + 1 - len(rows)) if place is not None]
        above = max(0, len(rows) - lines)
        self.history.top.clear()
        self.history.top.extend(map(self._row, rows[:above]))
        self.buffer.clear()
        self.buffer.update(enumerate(map(self._row, rows[above:])))
        cursor.y -= above
        self.lines, self.columns = lines, columns

    def _lines(self) -> Iterator[tuple[list[Char], int | None]]:
        """Lines as they were before they were broken, and where in them the cursor is."""
        used = max([self.cursor.y, *(y for y, row in self.buffer.items() if self._width(row))])
        line: list[Char] = []
        place = None
        for y, row in enumerate(self._rows(used + 1), -len(self.history.top)):
            if y == self.cursor.y:
                place = len(line) + self.cursor.x
            broken = row[FLAG] is BROKEN
            line += [row[x] for x in range(self.columns if broken else self._width(row))]
            if not broken:
                yield line, place
                line, place = [], None

    def _rows(self, shown: int) -> list[Row]:
        return [*self.history.top, *(self.buffer[y] for y in range(shown))]

    def _cells(self, row: Row) -> list[str]:
        return [row[x].data for x in range(self.columns)]

    def _width(self, row: Row) -> int:
        return len("".join(text or "\0" for text in self._cells(row)).rstrip())

    def _row(self, cells: dict[int, Char]) -> StaticDefaultDict[int, Char]:
        row = StaticDefaultDict[int, Char](self.default_char)
        row.update(cells)
        return row
