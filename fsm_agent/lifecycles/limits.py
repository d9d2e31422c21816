"""What is said where the context cannot be cut any further."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from fsm_agent.context.economy import size
from fsm_agent.context.prompt import render
from fsm_agent.context.wording import IRREDUCIBLE_HINT, irreducible
from fsm_agent.events import derived as d
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Failure
from fsm_agent.lifecycles.cuts import asked_by
from fsm_agent.lifecycles.world import World


def told(world: World, name: str, failure: Failure) -> Failure:
    """The failure; of a context that is too long and cannot be cut, what takes the room, too."""
    if failure.error != "context_overflow" or name == "compaction":
        return failure
    message = f"{_irreducible(world)}. The server: {failure.message}"
    return msgspec.structs.replace(failure, message=message, hint=IRREDUCIBLE_HINT)


def refusal(world: World, name: str, _: Event) -> Iterator[Event]:
    """A person who asks for a cut hears that there is nothing to cut; nobody else waits for it."""
    if asked_by(world) == "manual":
        why = f"nothing was cut: {_irreducible(world)}"
        yield d.Refusal(instance=name, what="compact", why=why)


def _irreducible(world: World) -> str:
    return irreducible(
        tools=size(len(msgspec.json.encode(world.tools))),
        instructions=size(len(render(world.sections, world.text).encode())),
        conversation=world.sums[-1] if world.sums else 0,
    )
