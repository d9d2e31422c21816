"""A small session's batches, and a directory that holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fsm_agent.events.derived import Blocks, SendRequest, SessionEnd, Transition
from fsm_agent.events.inputs import Completed, Event, Leave, SessionStart, Text, UserInput
from fsm_agent.events.lines import Line
from fsm_agent.log.writing import LogWriter

STATE = "0123456789abcdef"
INPUTS = ("session_start", "user_input", "text", "completed", "leave")
SEPARATORS = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\rh\r\ni"

Batches = Sequence[Sequence[Line]]


def lines(events: Sequence[Event], seq: int, second: int) -> list[Line]:
    """Events as the lines of one batch."""
    return [
        Line(
            number,
            f"2026-11-30T09:12:{second:02}.120Z",
            "input" if event.__struct_config__.tag in INPUTS else "derived",
            event,
        )
        for number, event in enumerate(events, seq)
    ]


def row(trigger: str, source: str, target: str) -> Transition:
    return Transition(instance="turn-1", row="T1", trigger=trigger, source=source, target=target)


@pytest.fixture
def batches() -> Batches:
    """Four batches: 1, 3, 4 and 2 lines."""
    start = SessionStart(v=1, session="s", program="1.0", semantics=1, tables={}, cwd="/w")
    asked = (
        UserInput(text=SEPARATORS),
        row("user_input", "compact", "call"),
        SendRequest(instance="turn-1", protocol="chat", model="m", digest="d", bytes=9),
    )
    answered = (
        Text(instance="turn-1", activity=3, n=0, text="two 🚀 words"),
        Completed(instance="turn-1", activity=3, stop="end_turn"),
        row("completed", "stream", "persist"),
        Blocks(instance="turn-1", of=3, kept=(4,)),
    )
    left = (Leave(), SessionEnd(code=0, reason="quit"))
    return [
        lines([start], 0, 1),
        lines(asked, 1, 2),
        lines(answered, 4, 2),
        lines(left, 8, 4),
    ]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Batches], Path]:
    """Write batches as a new session; gives its log."""

    def write(batches: Batches) -> Path:
        writer = LogWriter.create(tmp_path / "session")
        for batch in batches:
            writer.append(batch, STATE, durable=False)
        writer.close()
        return writer.path

    return write


@pytest.fixture
def log(write: Callable[[Batches], Path], batches: Batches) -> Path:
    """The log of a session of the four batches."""
    return write(batches)
