"""Read: lines of a file as they are, in bounded memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.bounded import Bounded
from fsm_agent.tools.calls import FunctionTool, Number, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_text
from fsm_agent.tools.containment import Location, locate
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.seen import Seen

LIMIT = 1 << 28
"""Bytes of the largest file that is read."""
_CHUNK = 1 << 20
_SNIFFED = 8000  # bytes looked at for a NUL, as git does


class Arguments(msgspec.Struct, frozen=True):
    """What Read is asked."""

    path: str
    offset: Annotated[Number, Meta(description="First line, from 1")] = 1
    limit: Annotated[Number, Meta(description="Number of lines; 0: to the end")] = 0


class _Text(msgspec.Struct, frozen=True):
    """What came of reading: the wanted part as bytes; lines, bytes, digest of the whole file."""

    part: bytes
    lines: int
    size: int
    digest: bytes


def read_tool(seen: Seen) -> FunctionTool[Arguments]:
    """The tool Read."""

    def act(arguments: Arguments, place: Workplace) -> ToolOutcome:
        with locate(arguments.path, place) as location:
            text = _read(location, max(arguments.offset, 1), arguments.limit)
            seen.note(location, text.digest)
            return _outcome(arguments, text, location.shown)

    told = spec(
        "Read",
        "Read a text file: its raw lines, without line numbers. Long results are cut in the "
        "middle: read the part you need.",
        Arguments,
    )
    return FunctionTool(told, Arguments, act)


def count_lines(content: bytes) -> int:
    """How many lines these bytes are; a last line without its end counts."""
    return content.count(b"\n") + bool(content and not content.endswith(b"\n"))


def _read(location: Location, first: int, limit: int) -> _Text:
    digest, part, breaks, size, end = hashlib.sha256(), Bounded(), 0, 0, b"\n"
    for chunk in _chunks(location):
        if size == 0 and b"\0" in chunk[:_SNIFFED]:
            raise ToolFailure(f"{location.shown} is binary: look at it with Bash (file, xxd)")
        digest.update(chunk)
        start = _behind(chunk, first - 1 - breaks)
        stop = _behind(chunk, first - 1 + limit - breaks) if limit else len(chunk)
        part.add(chunk[start:stop])
        breaks, size, end = breaks + chunk.count(b"\n"), size + len(chunk), chunk[-1:]
    lines = breaks + (end != b"\n")
    if first > max(lines, 1):
        raise ToolFailure(f"offset {first} is past the end: {location.shown} has {lines} lines")
    return _Text(part.value(), lines, size, digest.digest())


def _chunks(location: Location) -> Iterator[bytes]:
    with os.fdopen(location.open(), "rb", buffering=0) as file:
        if (size := os.fstat(file.fileno()).st_size) > LIMIT:
            raise ToolFailure(
                f"{location.shown} has {size} bytes, Read takes up to {LIMIT}: "
                "take a part of it with Bash (sed -n 1,200p)"
            )
        while chunk := file.read(_CHUNK):
            yield chunk


def _behind(chunk: bytes, breaks: int) -> int:
    """The place behind so many line breaks, the end of the chunk if it has fewer."""
    if breaks <= 0:
        return 0
    rest = chunk.split(b"\n", breaks)
    return len(chunk) - len(rest[breaks]) if len(rest) > breaks else len(chunk)


def _outcome(arguments: Arguments, text: _Text, shown: str) -> ToolOutcome:
    asked = f", offset={arguments.offset}" if arguments.offset > 1 else ""
    asked += f", limit={arguments.limit}" if arguments.limit else ""
    return ToolOutcome(
        clean_text(_decoded(text.part)),
        display=f"Read({shown}) [{text.lines} lines, {text.size} bytes{asked}]",
    )


def _decoded(part: bytes) -> str:
    try:
        return part.decode()
    except UnicodeDecodeError:
        end = "" if part.endswith(b"\n") else "\n"
        return f"{part.decode(errors='replace')}{end}[not UTF-8: its other bytes are shown as �]"
