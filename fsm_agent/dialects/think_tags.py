"""Reasoning that a server leaves inline, between `<think>` and `</think>`."""

from __future__ import annotations

from typing import Literal

_OPEN, _CLOSE = "<think>", "</think>"


class ThinkTags:
    """Parts a text that comes in pieces; only a tag that opens the answer counts.

    White space around the tags belongs to neither part.
    """

    def __init__(self) -> None:
        self._state: Literal["undecided", "inside", "between", "outside"] = "undecided"
        self._held = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """Take a piece; return what is sure by now: thinking, text."""
        if self._state == "outside":
            return "", piece
        self._held += piece
        if self._state == "undecided":
            self._decide()
        thinking = self._inside() if self._state == "inside" else ""
        if self._state == "between":
            self._held = self._held.lstrip()
            self._state = "outside" if self._held else "between"
        if self._state != "outside":
            return thinking, ""
        text, self._held = self._held, ""
        return thinking, text

    def rest(self) -> tuple[str, str]:
        """What is still held back: thinking, text."""
        return (self._held, "") if self._state == "inside" else ("", self._held)

    def _decide(self) -> None:
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            self._state, self._held = "inside", start.removeprefix(_OPEN)
        elif not _OPEN.startswith(start):
            self._state = "outside"

    def _inside(self) -> str:
        thinking, tag, after = self._held.partition(_CLOSE)
        if tag:
            self._state, self._held = "between", after
            return thinking
        # The end may be the beginning of the closing tag.
        keep = next(n for n in range(len(_CLOSE) - 1, -1, -1) if self._held.endswith(_CLOSE[:n]))
        thinking = self._held[: len(self._held) - keep]
        self._held = self._held[len(thinking) :]
        return thinking
