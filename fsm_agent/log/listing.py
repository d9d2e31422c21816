"""What of a log can be read at all: for lists, previews and `log`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from fsm_agent.events.lines import Line, decode
from fsm_agent.log.proof import UNREADABLE

_BLOCK = 1 << 16


class Listing:
    """Every readable line with its number, proved or not; nothing may be resumed from it.

    Attributes:
        skipped: Numbers of the lines that could not be read, from 1, once the pass is over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped: list[int] = []

    def __iter__(self) -> Iterator[tuple[int, Line]]:
        """Give each line with its number, from 1.

        Raises:
            OSError: If the file cannot be read.
        """
        self.skipped = []
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                line = _line(raw)
                if line is None:
                    self.skipped.append(number)
                else:
                    yield number, line


def head(path: Path) -> Line | None:
    """The first line, if it can be read."""
    with path.open("rb") as file:
        return _line(file.readline())


def tail(path: Path, count: int) -> list[Line]:
    """The last `count` lines that can be read, in order; only the file's end is looked at."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        block = _BLOCK
        while True:
            file.seek(max(0, size - block))
            raws = file.read().split(b"\n")
            if size > block:
                del raws[0]  # begins before the block
            lines = _lines(raws)
            if len(lines) >= count or size <= block:
                return lines[-count:]
            block *= 4


def _lines(raws: Iterable[bytes]) -> list[Line]:
    return [line for line in map(_line, raws) if line is not None]


def _line(raw: bytes) -> Line | None:
    try:
        return decode(raw)[0]
    except UNREADABLE:
        return None
