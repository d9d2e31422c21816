"""Where a fork begins, and how two runs differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Batch, Line
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.replay import take
from fsm_agent.lifecycles.world import World
from fsm_agent.runtime.salvage import Legacy, legacy


class StartingPoint(msgspec.Struct, frozen=True):
    """What a fork takes over.

    Attributes:
        at: Seq of the last line it takes over.
        left: The conversation up to there, and what stands beside it.
        line: What the person said next, if they said something.
        settings: The settings then.
        moves: What followed in the original, until the session rested again: see `moves`.
    """

    at: int
    left: Legacy
    line: i.UserInput | None
    settings: i.Settings
    moves: tuple[str, ...]


def starting_point(
    batches: Iterable[Batch], blobs: Callable[[Blob], str], seq: int
) -> StartingPoint:
    """The last rest before `seq`: a fork never begins in the middle of a turn.

    Raises:
        UsageError: If there is no such line.
    """
    world, at, left = World(blobs), -1, Legacy()
    line: i.UserInput | None = None
    since: list[Line] = []
    for batch in batches:
        for one in batch.lines:
            take(world, one)
            since.append(one)
            if line is None and isinstance(one.event, i.UserInput):
                line = one.event
        rests = world.at.get("session", "idle") != "busy"
        if rests and line is not None and world.seq > seq:
            break
        if rests:
            at, left, line, since = world.seq - 1, legacy(world, world.messages), None, []
    if seq >= world.seq:
        raise UsageError(f"there is no line {seq}; the last is {world.seq - 1}")
    return StartingPoint(at, left, line, world.settings, tuple(moves(since)))


def moves(lines: Iterable[Line]) -> Iterator[str]:
    """What was said and done, in words that two runs can be compared by."""
    for line in lines:
        match line.event:
            case i.Text(text=text):
                yield f"text {text!r}"
            case i.ToolCall(name=name, input=given):
                yield f"call {name} {msgspec.json.encode(given).decode()}"
            case d.ToolResult(name=name, content=content):
                yield f"result of {name} {content!r}"
            case d.Error(error=error):
                yield f"error {error}"
            case d.Retry(error=error):
                yield f"retry after {error}"
            case _:
                continue


def first_difference(one: Iterable[str], other: Iterable[str]) -> str:
    """The first move that is not the same; empty if all are."""
    left, right = list(one), list(other)
    for old, new in zip(left, right, strict=False):
        if old != new:
            return new
    if len(left) == len(right):
        return ""
    return right[len(left)] if len(right) > len(left) else "(ended earlier)"
