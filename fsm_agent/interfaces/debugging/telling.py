"""A line of the log in one line, and the lines that led to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from fsm_agent.events.derived import Blocks
from fsm_agent.events.inputs import Crashed, Outcome, ToolCall
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.painting.escaping import escape_line, shorten

WIDTH = 120
"""Characters of a line that is told."""
_UNTOLD = frozenset({"seq", "time", "kind", "type", "cause", "instance", "seal", "native"})
"""Fields that are told by the line's place, or would only be in the way."""


def told(raw: bytes) -> str:
    """A line, given as its bytes: seq, time of day, kind, type, whose, and what it says."""
    line: dict[str, Any] = msgspec.json.decode(raw)
    says = _move(line) if line["type"] == "transition" else _fields(line)
    place = f"{line['time'][11:23]} {line['kind']:7}"
    rest = escape_line(f"{line['type']} {line.get('instance', '')} {says}")
    return shorten(f"{line['seq']:>5} {place} {rest}", WIDTH)


def _move(line: dict[str, Any]) -> str:
    answers = "".join(f" {ask}={answer}" for ask, answer in line.get("answers", {}).items())
    by = f" by {line['by']}" if "by" in line else ""
    return f"{line['from']} → {line['to']} on {line['trigger']}{by} ({line['row']}){answers}"


def _fields(line: dict[str, Any]) -> str:
    return " ".join(
        f"{name}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in line.items()
        if name not in _UNTOLD
    )


def causes(lines: Sequence[Line], seq: int) -> list[int]:
    """The seqs of the lines that led to this one, nearest first, itself included.

    A derived line follows its cause; an outcome what it is the outcome of. Before the first line of
    a tool comes the model's call. Behind a crash comes what it cut short. It ends at what nobody
    asked for: a person's line.
    """
    calls = _calls(lines[: seq + 1])
    chain: list[int] = []
    after, at = None, seq
    while True:
        chain.append(at)
        if at in calls:
            chain.append(calls[at])
        before = _led_to(lines, at, after)
        if before is None or not 0 <= before < at:  # a forged line may name any
            return chain
        after, at = at, before


def _led_to(lines: Sequence[Line], at: int, after: int | None) -> int | None:
    event = lines[at].event
    if isinstance(event, Crashed) and after is not None:
        who = _who(lines[after])
        return next((seq for seq in reversed(range(at)) if _who(lines[seq]) == who), None)
    return event.activity if isinstance(event, Outcome) else lines[at].cause


def _who(line: Line) -> str | None:
    return getattr(line.event, "instance", None)


def _calls(lines: Sequence[Line]) -> dict[int, int]:
    """Where the model said each call, by the first line of the call's instance."""
    found: dict[int, int] = {}
    said: dict[str, int] = {}
    for line in lines:
        if isinstance(line.event, Blocks):
            kept = (seq for seq in line.event.kept if 0 <= seq < line.seq)
            calls = (seq for seq in kept if isinstance(lines[seq].event, ToolCall))
            said.update(zip(line.event.calls, calls, strict=False))
        elif (who := _who(line)) in said:
            found[line.seq] = said.pop(who)
    return found
