"""A world marked, so that a decision can be taken back.

What only grows (conversation, call ids, parts of bodies) is not copied but cut back, so that a
mark costs the same however long the session is.
"""

from __future__ import annotations

from copy import copy

import msgspec

from fsm_agent.events.values import AssistantMessage, CallBlock
from fsm_agent.lifecycles.world import World


def mark(world: World) -> World:
    """What `back` needs to undo all that comes."""
    calls = {name: copy(call) for name, call in world.turn.calls.items()}
    return msgspec.structs.replace(
        world,
        at=dict(world.at),
        open=dict(world.open),
        asker=dict(world.asker),
        heard={of: list(lines) for of, lines in world.heard.items()},
        waiting=dict(world.waiting),
        pending=dict(world.pending),
        turn=msgspec.structs.replace(world.turn, calls=calls),
        spoken=copy(world.spoken),
        body=world.body.branch(),
    )


def back(world: World, marked: World) -> None:
    """Put the world back to where it was marked; each mark is good for one way back."""
    for message in world.messages[marked.spoken.count :]:
        if isinstance(message, AssistantMessage):
            world.ids -= {block.id for block in message.blocks if isinstance(block, CallBlock)}
    del world.messages[marked.spoken.count :]
    marked.body.cut_back()
    for name in world.__struct_fields__:
        setattr(world, name, getattr(marked, name))
