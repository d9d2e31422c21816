"""Which program wrote a file, and its events, a line or a step at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.audit.peers.atif import Atif
from fsm_agent.audit.peers.claude_code import ClaudeCode
from fsm_agent.audit.peers.codex import Codex
from fsm_agent.audit.peers.telling import Teller
from fsm_agent.audit.proving import LONGEST, Fault
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import INPUTS, Kind, Line
from fsm_agent.log.proof import UNREADABLE

_START = 1 << 20
"""Bytes of a file that tell who wrote it: Codex opens with a line of all its instructions."""
_LINES = 50
_TRAJECTORY = re.compile(rb'\A\s*\{.*?"schema_version"\s*:\s*"ATIF-v', re.DOTALL)
_ROLLOUT = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_INPUTS = tuple(INPUTS.values())


def teller_of(path: Path) -> Teller[Any] | None:
    """Who tells a file; None if it is of no other program that we know, or cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return None
    if start.startswith(b'{"seq":'):
        return None
    for raw in start.split(b"\n", _LINES)[:_LINES]:
        try:
            entry = msgspec.json.decode(raw)
        except UNREADABLE:
            continue
        match entry:
            case {"type": str(kind), "payload": dict()} if kind in _ROLLOUT:
                return Codex()
            case {"type": "user" | "assistant", "message": dict(), "sessionId": str()}:
                return ClaudeCode()
            case _:
                pass
    return Atif() if _TRAJECTORY.match(start) else None


def told(path: Path, teller: Teller[Any]) -> Iterator[list[Line] | Fault]:
    """What a file says, and what of it cannot be understood, in its order.

    Raises:
        Fault: If it is a trajectory that cannot be understood at all.
        OSError: If it cannot be read.
    """
    decode = msgspec.json.Decoder(teller.shape).decode
    for number, offset, raw in _steps(path) if isinstance(teller, Atif) else _lines(path):
        if len(raw) > LONGEST:
            yield Fault("FSA001", number, offset, f"longer than {LONGEST >> 20} MiB")
            return
        try:
            time, events = teller.told(decode(raw))
        except msgspec.ValidationError as error:
            yield _strange(raw, number, offset, error)
        except UNREADABLE as error:
            torn = number and not raw.endswith(b"\n")
            why = "the last line is cut short" if torn else f"no JSON: {error}"
            yield Fault("FSA005" if torn else "FSA001", number, offset, why)
        else:
            yield [_line(number, time, event) for event in events]


def _strange(raw: bytes, number: int, offset: int, error: msgspec.ValidationError) -> Fault:
    """What is JSON may be of a later form; what is none is damage, wherever that shows."""
    try:
        msgspec.json.decode(raw)
    except UNREADABLE as broken:
        return Fault("FSA001", number, offset, f"no JSON: {broken}")
    return Fault("FSA082", number, offset, f"not of the form that is known: {error}")


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Number, offset and bytes of each line that says something."""
    offset = 0
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, LONGEST + 1), b""), 1):
            if not raw.isspace():
                yield number, offset, raw
            offset += len(raw)


class _Trajectory(msgspec.Struct):
    steps: list[msgspec.Raw]


def _steps(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Each step on a line of its own, which has no number."""
    with path.open("rb") as file:
        whole = file.read(LONGEST + 1)
    try:
        steps = msgspec.json.decode(whole, type=_Trajectory).steps
    except UNREADABLE as error:
        raise Fault("FSA001", 0, 0, f"no whole trajectory: {error}") from error
    for step in steps:
        yield 0, 0, msgspec.json.format(bytes(step), indent=-1)


def _line(number: int, time: str, event: Event) -> Line:
    kind: Kind = "input" if isinstance(event, _INPUTS) else "derived"
    return Line(number - 1, time, kind, event)
