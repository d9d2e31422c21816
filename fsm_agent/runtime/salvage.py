"""What a log leaves to a session that goes on from it, a damaged one too."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator

import msgspec

from fsm_agent.events.lines import Line
from fsm_agent.events.values import (
    AssistantMessage,
    Blob,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
)
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.world import World

LOST = "Error: outcome unknown: the log was damaged here. Look at the state of things."


class Legacy(msgspec.Struct, frozen=True):
    """The conversation, and the texts that stand beside it; those that there are not are empty.

    Attributes:
        plan: The plan in force.
        draft: The draft of another.
        summary: What stands for messages that were cut.
    """

    messages: tuple[Message, ...] = ()
    plan: str = ""
    draft: str = ""
    summary: str = ""


def legacy(world: World, messages: Iterable[Message]) -> Legacy:
    """What this world leaves, with these of its messages."""
    return Legacy(
        tuple(messages),
        plan=world.text(world.plans.plan),
        draft=world.text(world.plans.draft),
        summary=world.text(world.cutting.summary),
    )


def salvaged(lines: Iterable[Line], blobs: Callable[[Blob], str]) -> Legacy:
    """Fold what is readable; each call without a result is closed with "outcome unknown"."""
    world = World(blobs)
    for line in lines:
        with contextlib.suppress(LookupError, StopIteration, RuntimeError):
            apply(world, line)  # a line may speak of one that is lost
    known = {c.id: c.result.content for c in world.turn.calls.values() if c.result}
    return legacy(world, _paired(world.messages, known))


def _paired(messages: list[Message], known: dict[str, str]) -> Iterator[Message]:
    for place, message in enumerate(messages):
        if isinstance(message, ResultsMessage):
            continue  # given behind the calls they answer
        yield message
        if not isinstance(message, AssistantMessage):
            continue
        calls = [block for block in message.blocks if isinstance(block, CallBlock)]
        following = messages[place + 1 : place + 2]
        found = {
            result.call: result
            for given in following
            if isinstance(given, ResultsMessage)
            for result in given.results
        }
        results = tuple(
            found.get(c.id, Result(c.id, c.name, known.get(c.id, LOST), ok=c.id in known))
            for c in calls
        )
        if results:
            yield ResultsMessage(results)
