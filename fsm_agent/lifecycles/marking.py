"""A world marked, so that a decision can be taken back.

What only grows (conversation, call ids, parts of bodies) is not copied but cut back, so that a
mark costs the same however long the session is.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import msgspec

from fsm_agent.events.values import AssistantMessage, CallBlock
from fsm_agent.lifecycles.world import World


class Mark(NamedTuple):
    """A world as it was, and how many messages it had."""

    world: World
    messages: int


def mark(world: World) -> Mark:
    """What `back` needs to undo all that comes."""
    calls = {name: copy(call) for name, call in world.turn.calls.items()}
    was = msgspec.structs.replace(
        world,
        at=dict(world.at),
        open=dict(world.open),
        asker=dict(world.asker),
        heard={of: list(lines) for of, lines in world.heard.items()},
        waiting=dict(world.waiting),
        pending=dict(world.pending),
        news=set(world.news),
        fresh=dict(world.fresh),
        begun=dict(world.begun),
        turn=msgspec.structs.replace(world.turn, calls=calls),
        cutting=copy(world.cutting),
        plans=copy(world.plans),
        spoken=copy(world.spoken),
        body=world.body.branch(),
    )
    return Mark(was, len(world.messages))


def back(world: World, marked: Mark) -> None:
    """Put the world back to where it was marked; each mark is good for one way back.

    A cut makes a new list of messages; the old one has only grown, if at all.
    """
    was, kept = marked
    for message in was.messages[kept:]:
        if isinstance(message, AssistantMessage):
            world.ids -= {block.id for block in message.blocks if isinstance(block, CallBlock)}
    del was.messages[kept:]
    del was.sums[kept:]
    was.body.cut_back()
    for name in world.__struct_fields__:
        setattr(world, name, getattr(was, name))
