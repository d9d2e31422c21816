"""One line of the log and one batch of lines, as bytes and back.

A line is `{"seq":…,"time":…,"kind":…,"type":…[,"cause":…],…}`: the keys of its place first, then
the event's own in the order its class declares. A batch's last line carries the seal; its hash
covers the hash before it and every byte of the batch up to `","hash":`, the state's digest too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import msgspec

from fsm_agent.events import inputs as i
from fsm_agent.events.derived import Derived, Note, Unknown
from fsm_agent.events.inputs import Event

FORMAT = 1
"""Version of the log format; `session_start.v`."""
GENESIS = hashlib.sha256(b"fsm-agent log v1").digest()
"""The hash before the first batch."""

Input: TypeAlias = (
    i.SessionStart
    | i.SessionResume
    | i.SessionFork
    | i.Crashed
    | i.Settings
    | i.Tools
    | i.PromptRead
    | i.UserInput
    | i.UserInject
    | i.UserTakeBack
    | i.Notice
    | i.Interrupt
    | i.Leave
    | i.Continue
    | i.PlanCommand
    | i.CompactCommand
    | i.Command
    | i.Seen
    | i.Opened
    | i.Rejected
    | i.Thinking
    | i.Text
    | i.ToolCall
    | i.Completed
    | i.Broken
    | i.Stopped
    | i.Waited
    | i.Finished
    | i.Approved
    | i.Declined
    | i.Summarised
)
Kind: TypeAlias = Literal["input", "derived", "note"]
AnyEvent: TypeAlias = Input | Derived | Note

_encode = msgspec.json.Encoder().encode


class Line(msgspec.Struct, frozen=True):
    """An event in its place. `time` is ISO 8601, UTC, milliseconds; `cause` the seq it follows."""

    seq: int
    time: str
    kind: Kind
    event: Event | Unknown
    cause: int | None = None


class Seal(msgspec.Struct, frozen=True):
    """Proof of a batch: digest of the small state (16 hex), chained hash (64 hex)."""

    state: str
    hash: str


class Batch(msgspec.Struct, frozen=True, dict=True):
    """The lines of one input, as read, with their seal and their exact bytes.

    A reader may leave lines undecoded: `at_hand` are the first ones, `rest` gives the others.
    """

    at_hand: tuple[Line, ...]
    seal: Seal
    raw: bytes
    rest: Callable[[], tuple[Line, ...]] | None = None

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All its lines.

        Raises:
            UnknownVersion: If one that was not decoded cannot be read.
        """
        return (*self.at_hand, *self.rest()) if self.rest else self.at_hand

    @property
    def count(self) -> int:
        """How many lines it has."""
        return self.raw.count(b"\n")


class _Head(msgspec.Struct, frozen=True):
    seq: int
    time: str
    kind: Kind
    type: str
    cause: int | None = None
    seal: Seal | None = None


_head = msgspec.json.Decoder(_Head).decode


def type_of(event: Event | Unknown) -> str:
    """The `type` of the event's line."""
    return event.type if isinstance(event, Unknown) else _TYPES[type(event)]


def encode(line: Line) -> bytes:
    """The line's bytes, without its end of line."""
    event, cause = line.event, line.cause
    kind = _TYPES.get(type(event)) or type_of(event)
    head = f'{{"seq":{line.seq},"time":"{line.time}","kind":"{line.kind}","type":"{kind}"'
    if cause is not None:
        head = f'{head},"cause":{cause}'
    return head.encode() + _encode(event)[len(kind) + 10 :]  # behind {"type":"…"


def seal(lines: Iterable[bytes], previous: bytes, state: str) -> tuple[bytes, bytes]:
    """Join encoded lines to a sealed batch.

    Args:
        lines: Encoded lines, without ends of line.
        previous: The hash of the batch before, 32 bytes.
        state: Digest of the small state after the batch, 16 hex digits.

    Returns:
        The batch's bytes with its last newline, and its hash (32 bytes).
    """
    body = b'%s,"seal":{"state":"%s' % (b"\n".join(lines)[:-1], state.encode())
    digest = hashlib.sha256(previous + body).digest()
    return b'%s","hash":"%s"}}\n' % (body, digest.hex().encode()), digest


def sealed(lines: Iterable[bytes], seal: Seal) -> bytes:
    """Join encoded lines to a batch with this seal, whatever it is worth."""
    end = b',"seal":{"state":"%s","hash":"%s"}}\n' % (seal.state.encode(), seal.hash.encode())
    return b"\n".join(lines)[:-1] + end


def decode(raw: bytes) -> tuple[Line, Seal | None]:
    """Read one line.

    Raises:
        msgspec.DecodeError: If it is no JSON object of a line, or a known type lacks a field.
    """
    head = _head(raw)
    return Line(head.seq, head.time, head.kind, _events[head.type](raw), head.cause), head.seal


def _types(union: object) -> dict[str, type[Event]]:
    return {str(c.__struct_config__.tag): c for c in get_args(union)}


INPUTS = _types(Input)
"""Input classes by their `type`."""
DERIVED = _types(Derived)
"""Derived classes by their `type`."""
NOTES = _types(Note)
"""Note classes by their `type`."""
KNOWN = {**INPUTS, **DERIVED, **NOTES}
"""All event classes by their `type`."""


class _Decoders(dict[str, Callable[[bytes], Event | Unknown]]):
    """What reads the event of a line, by `type`; made when the first such line is read."""

    def __missing__(self, kind: str) -> Callable[[bytes], Event | Unknown]:
        if kind not in KNOWN:
            return lambda _: Unknown(kind)
        self[kind] = decode = msgspec.json.Decoder(KNOWN[kind]).decode
        return decode


_events = _Decoders()
_TYPES: dict[type, str] = {kind: name for name, kind in KNOWN.items()}
