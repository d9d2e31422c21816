"""Lines up to a seal, and whether it proves them.

A batch is proved by its seal, compared byte by byte, whose hash must follow from the hash before
it. All is done on bytes, split at LF only, in one pass; memory is bounded by the longest batch.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.errors import UnknownVersion
from fsm_agent.events.lines import FORMAT, GENESIS, Batch, Line, Seal, decode

_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")

UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What `decode` raises for bytes that are no line; the second for nesting without end."""

_SEAL = rb',"seal":\{"state":"([0-9a-f]{16})","hash":"([0-9a-f]{64})"\}\}'
_AT_END = re.compile(_SEAL + rb"\n")
_NOT_AT_END = re.compile(_SEAL + rb"[^\0]")
_FIRST = b',"seal":{'
_INPUT = re.compile(rb'{"seq":\d+,("time":"[^"\\]+","kind":)"input",')
_SIZE = 112
_NOT_HASHED = len('","hash":""}}\n') + 64


class End(msgspec.Struct, frozen=True):
    """The end of what is proved, where a writer goes on.

    Attributes:
        offset: Bytes of the file before it.
        seq: That of the next line, and so the number of lines before it.
        time: That of the last line; empty when there is none.
        hash: That of the last batch.
    """

    offset: int = 0
    seq: int = 0
    time: str = ""
    hash: bytes = GENESIS


class Gap(msgspec.Struct, frozen=True):
    """Bytes that are not proved.

    Attributes:
        first: Number of their first line, from 1.
        last: Number of their last line.
        offset: Where they begin in the file, from 0.
        bytes: How many they are.
        why: What is wrong with them.
    """

    first: int
    last: int
    offset: int
    bytes: int
    why: str


class Run(msgspec.Struct, frozen=True):
    """Lines up to the next seal, which ends the last of them; without one, to the file's end."""

    lines: list[bytes]
    first: int
    offset: int
    seal: Seal | None

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + len(self.lines) - 1

    @property
    def torn(self) -> bool:
        """Whether an append that was cut short leaves this: no whole seal stands in it."""
        return self.seal is None and not any(map(_NOT_AT_END.search, self.lines))

    def batch(self, before: bytes, path: Path) -> Batch | None:
        """The batch, if its seal's hash follows from the hash `before`; else None.

        Raises:
            UnknownVersion: If it is proved and a line cannot be read all the same.
        """
        raw = self.proved(before)
        return Batch(self.decoded(path), self.seal, raw) if raw and self.seal else None

    def proved(self, before: bytes) -> bytes:
        """All bytes, if the seal's hash follows from the hash `before`; else none."""
        raw = b"".join(self.lines)
        if self.seal and sha256(before + raw[:-_NOT_HASHED]).hexdigest() == self.seal.hash:
            return raw
        return b""

    def decoded(self, path: Path, start: int = 0, stop: int | None = None) -> tuple[Line, ...]:
        """The lines, or some of them; they are proved.

        Raises:
            UnknownVersion: If one cannot be read all the same.
        """
        try:
            return tuple([decode(line)[0] for line in self.lines[start:stop]])
        except UNREADABLE as error:
            raise UnknownVersion(
                f"{path}:{self.first + self.fault()[0]}: not damaged, but written by another "
                f"version of fsm-agent: {error}"
            ) from error

    def inputs(self, seq: int) -> int:
        """How many inputs it begins with, if all else is derived and in place from `seq` on.

        That is told by how the lines begin; 0 where it cannot be told so.
        """
        found = _INPUT.match(self.lines[0])
        if not found:
            return 0
        count, inputs = 0, True
        for number, raw in enumerate(self.lines, seq):
            place = b'{"seq":%d,%b' % (number, found[1])
            inputs = inputs and raw.startswith(place + b'"input",')
            if not inputs and not raw.startswith(place + b'"derived",'):
                return 0
            count += inputs
        return count

    def fault(self, seq: int | None = None) -> tuple[int, str]:
        """Find what is wrong with lines that are not proved.

        Args:
            seq: What the first line's must be, if that is known.

        Returns:
            The index of the line where it shows, and what it is.
        """
        for index, raw in enumerate(self.lines):
            try:
                line, _ = decode(raw)
            except UNREADABLE:
                return index, "not a line of a log"
            if seq is not None and line.seq != seq:
                return index, f"seq {line.seq} where {seq} is due"
            seq = line.seq + 1
        if self.seal is None:
            return 0, "a seal does not end its line"
        return 0, f"the lines to {self.last} do not match their seal"

    def gap(self, why: str) -> Gap:
        """These bytes as a gap."""
        return Gap(self.first, self.last, self.offset, sum(map(len, self.lines)), why)


def runs(file: Iterable[bytes], longest: int = sys.maxsize) -> Iterator[Run]:
    """Cut a log, given as its lines, behind each seal.

    Args:
        file: The lines.
        longest: Give up where more bytes than this have no seal; they are the last run then.
    """
    lines: list[bytes] = []
    first, offset, size = 1, 0, 0
    for raw in file:
        lines.append(raw)
        size += len(raw)
        at = len(raw) - _SIZE
        if raw.startswith(_FIRST, at) and (found := _AT_END.fullmatch(raw, at)):
            yield Run(lines, first, offset, Seal(found[1].decode(), found[2].decode()))
            first, offset, size, lines = first + len(lines), offset + size, 0, []
        elif size > longest:
            break
    if lines:
        yield Run(lines, first, offset, None)


class _First(msgspec.Struct, frozen=True):
    type: str
    seq: int
    v: Any = FORMAT
    program: Any = None


_first = msgspec.json.Decoder(_First).decode


def check_version(path: Path, raw: bytes) -> None:
    """Look at a log's first line before anything of it is judged.

    Raises:
        UnknownVersion: If it names a later format, or the log begins without `session_start`.
    """
    try:
        first = _first(raw)
    except UNREADABLE:
        return  # for the proof to judge
    if first.type != "session_start":
        if first.seq:
            raise headless(path)
    elif not isinstance(first.v, int) or first.v > FORMAT:
        raise UnknownVersion(
            f"{path}: log format {first.v} (fsm-agent {first.program}); this program reads "
            f"up to format {FORMAT}. Nothing was changed. Update fsm-agent to open it."
        )


def is_time(text: str) -> bool:
    """Whether this is a moment as a log writes it: ISO 8601, in UTC."""
    if not _UTC.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:  # a day or an hour that there is not
        return False
    return True


def headless(path: Path) -> UnknownVersion:
    """The error for a log that does not begin with its version."""
    return UnknownVersion(
        f"{path}: begins without session_start, so its format is not known. Nothing was changed."
    )
