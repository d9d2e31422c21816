"""Markdown cut into blocks as it arrives, each to be painted once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from fsm_agent.interfaces.painting.items import Item

LONGEST = {"prose": 8_000, "fence": 4_000, "plain": 16_000}
"""Characters after which a block is cut, so that no picture takes long to paint."""
RENDERED = 100_000
"""Characters of one answer that are painted as Markdown; what comes after them is plain text."""

Kind = Literal["prose", "fence", "plain"]

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<language>[\w+#.-]*)")
_INDENTED_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<language>[\w+#.-]*)")
_BULLET = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_FIRST_BULLET = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_INDENT = re.compile(r"[ \t]{2,}")


class Piece(Item, frozen=True):
    """A block of an answer, as the model wrote it.

    `gap`: an empty line stands before it. `language` is that of a fence, and of all its pieces.
    """

    source: str
    kind: Kind = "prose"
    gap: bool = False
    language: str = ""


class Splitter:
    """Takes text in as it comes; gives each block once nothing can be added to it.

    However the text is cut into pieces on its way, the blocks are the same, and the sources of all
    of them are the text without the empty lines between them.
    """

    def __init__(self) -> None:
        self._open = ""
        self._buffer: list[str] = []
        self._size = self._seen = 0
        self._gap = True
        self._blank = False
        self._in_list = False
        self._kind: Kind = "prose"
        self._mark = self._language = ""

    @property
    def rest(self) -> str:
        """What has come of the block that is not closed yet."""
        return "".join(self._buffer) + self._open

    def feed(self, text: str) -> Iterator[Piece]:
        """Take text in; the blocks that are finished by it."""
        *whole, self._open = f"{self._open}{text}".split("\n")
        for line in whole:
            yield from self._line(f"{line}\n")
        while len(self._open) + self._size > (longest := LONGEST[self._kind]):
            if self._buffer:
                yield from self._cut()
            else:
                head, self._open = self._open[:longest], self._open[longest:]
                yield from self._line(head)
                yield from self._cut()

    def end(self) -> Iterator[Piece]:
        """What is left, now that nothing more comes."""
        if self._open:
            line, self._open = self._open, ""
            yield from self._line(line)
        yield from self._cut()

    def _line(self, line: str) -> Iterator[Piece]:
        if self._mark:
            self._add(line)
            if _closes(line, self._mark):
                self._mark = ""
                if not self._in_list:
                    yield from self._cut()
        elif not line.strip():
            self._blank = bool(self._buffer)
            if not self._in_list:
                yield from self._cut()
                self._gap, self._blank = True, False
        else:
            yield from self._content(line)
        if self._size >= LONGEST[self._kind]:
            yield from self._cut()

    def _content(self, line: str) -> Iterator[Piece]:
        belongs = self._in_list and bool(_INDENT.match(line) or _BULLET.match(line))
        begun = _INDENTED_FENCE.match(line) if belongs else _FENCE.match(line)
        begins = begun or _HEADING.match(line) or _FIRST_BULLET.match(line)
        if not belongs and (self._blank or begins):
            yield from self._cut()
        if self._blank:
            self._gap, self._blank = self._gap or not belongs, False
            if belongs:
                self._add("\n")
        if not self._buffer:
            self._in_list = bool(_BULLET.match(line))
        if begun:
            self._mark = begun["mark"]
            if not belongs:
                self._kind, self._language = self._fitting("fence"), begun["language"]
        self._add(line)
        if _HEADING.match(line) and not belongs:
            yield from self._cut()

    def _add(self, line: str) -> None:
        self._buffer.append(line)
        self._size += len(line)

    def _cut(self) -> Iterator[Piece]:
        """Close the block; a fence that is still open goes on in the next one."""
        if self._buffer:
            yield Piece("".join(self._buffer), self._kind, self._gap, self._language)
            self._gap = False
            self._seen += self._size
            self._buffer.clear()
            self._size = 0
        self._in_list = False
        if not self._mark:
            self._kind, self._language = self._fitting("prose"), ""
        else:
            self._kind = self._fitting("fence") if self._kind == "fence" else "plain"

    def _fitting(self, kind: Kind) -> Kind:
        return kind if self._seen < RENDERED else "plain"


def opens(line: str) -> bool:
    """Whether a line begins code, or ends it."""
    return bool(_FENCE.match(line))


def _closes(line: str, mark: str) -> bool:
    told = line.strip()
    return len(told) >= len(mark) and not told.strip(mark[0])


def pieces(text: str) -> Iterator[Piece]:
    """The blocks of a whole text."""
    splitter = Splitter()
    yield from splitter.feed(text)
    yield from splitter.end()
