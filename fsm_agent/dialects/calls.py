"""A tool call put together out of the pieces in which it comes."""

from __future__ import annotations

import io
from typing import Any

import msgspec

from fsm_agent.dialects.spelling import clean, encode, one_line
from fsm_agent.events.values import NO_NATIVE, CallBlock

ARGUMENTS_LIMIT = 1 << 20
"""Characters of one call's arguments; what is longer is malformed."""
DEPTH_LIMIT = 64
"""Levels of JSON in one call's arguments; what is deeper is malformed."""

_decode = msgspec.json.Decoder().decode


class OpenCall:
    """A call whose arguments are still coming."""

    def __init__(self, name: str, id: str) -> None:  # noqa: A002  the wire's word
        self.name = name
        self.id = id
        self.begun = False
        self._text = io.StringIO()
        self._size = 0
        self._last = ""

    def add(self, piece: str) -> None:
        """Take a piece of the arguments."""
        self.begun = True
        self._last = piece
        self._size += len(piece)
        if self._size <= ARGUMENTS_LIMIT:
            self._text.write(piece)

    def whole(self) -> bool:
        """Whether the arguments so far are one JSON object."""
        return self._last.rstrip().endswith("}") and self._object(self._text.getvalue()) is not None

    def block(self, *, cut: bool, stopped: bool = True) -> CallBlock:
        """The call as it stands.

        Args:
            cut: The answer was cut short: arguments that are no object are unfinished, not wrong.
            stopped: The end of this call was seen.
        """
        text = clean(self._text.getvalue())
        if not text.strip():
            return CallBlock(self.name, self.id, {}, partial=not stopped)
        value = self._object(text)
        if value is None:
            return CallBlock(self.name, self.id, {}, malformed=text, partial=cut or not stopped)
        raw = one_line(text.encode())
        native = NO_NATIVE if raw == encode(value) else msgspec.Raw(raw)
        return CallBlock(self.name, self.id, value, native, partial=not stopped)

    def _object(self, text: str) -> dict[str, Any] | None:
        if self._size > ARGUMENTS_LIMIT:
            return None
        try:
            value = _decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return None
        return value if isinstance(value, dict) and not _deeper(value, DEPTH_LIMIT) else None


def _deeper(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        children = list(value.values())
    elif isinstance(value, list):
        children = value
    else:
        return False
    return levels == 0 or any(_deeper(child, levels - 1) for child in children)
