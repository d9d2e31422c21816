"""A text found in all logs: whose, which line, and where in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.log.proof import UNREADABLE

AROUND = 40
"""Characters of an excerpt before what was found, and behind it."""
_PLACE = frozenset({"seq", "time", "kind", "type", "seal", "native"})
"""Fields in which nothing is looked for: no text, or one that stands in the line as well."""


_SAID = frozenset({"user_input", "user_inject", "text", "thinking", "tool_call", "tool_result"})
"""Lines of what was said, called and given: not what each session begins with."""


class Found(msgspec.Struct, frozen=True):
    """A line in which the text stands; all is escaped."""

    session: str
    seq: int
    type: str
    excerpt: str


def search(log: Path, text: str, *, loosely: bool = False) -> Iterator[Found]:
    """Find a text in the lines of a log, whether they are proved or not; one line in memory.

    Texts above 4 KiB that stand in blobs are not looked into: those of prompts, tools and files.

    Args:
        log: The log's file.
        text: As it is: no pattern.
        loosely: Big and small letters are the same, and only what was said, called and given is
            looked into.

    Raises:
        OSError: If the log cannot be read.
    """
    # what is in no line's bytes needs no reading of the line; JSON writes a text in one way here
    text = text.lower() if loosely else text
    written = msgspec.json.encode(text)[1:-1]
    with log.open("rb") as file:
        for raw in file:
            if written in (_lower(raw) if loosely else raw) and (
                found := _found(log.parent.name, raw, text, loosely=loosely)
            ):
                yield found


def _lower(raw: bytes) -> bytes:
    return raw.lower() if raw.isascii() else raw.decode(errors="replace").lower().encode()


def _found(session: str, raw: bytes, text: str, *, loosely: bool) -> Found | None:
    try:
        line = msgspec.json.decode(raw, type=dict[str, Any])
        seq, kind = int(line["seq"]), str(line["type"])
    except (*UNREADABLE, LookupError, TypeError, ValueError):
        return None  # damaged, or no line of a log
    if loosely and kind not in _SAID:
        return None
    for value in _texts({name: v for name, v in line.items() if name not in _PLACE}):
        at = (value.lower() if loosely else value).find(text)
        if at >= 0:
            return Found(
                escape_line(session), seq, escape_line(kind), _excerpt(value, at, at + len(text))
            )
    return None


def _texts(value: object) -> Iterator[str]:
    """All texts in a JSON value."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
        case _:
            pass


def _excerpt(text: str, begin: int, end: int) -> str:
    before, after = max(0, begin - AROUND), min(len(text), end + AROUND)
    head, tail = "…" * (before > 0), "…" * (after < len(text))
    return f"{head}{escape_line(text[before:after])}{tail}"
