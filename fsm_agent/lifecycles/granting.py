"""Standing answers of a person: how they are given and taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from fsm_agent.events import inputs as i
from fsm_agent.lifecycles.world import World
from fsm_agent.policy.grants import Grants

REVOKE = "revoke"
"""The command that takes back; its arguments are the grants that are taken."""


def approved(world: World, event: i.Approved, _: int) -> None:
    """The person said yes, maybe to more than this call."""
    call = world.turn.calls.get(event.instance)
    if call and world.open.get(event.instance) == event.activity:
        world.grants = world.grants.with_answer(event, call.line, world.cwd)


def revoked(world: World, event: i.Command, _: int) -> None:
    """What is taken back is named, not counted: the list may have grown since it was read."""
    if event.name == REVOKE:
        world.grants = world.grants.without(msgspec.convert(event.arguments, Grants))


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    (i.Approved, approved),
    (i.Command, revoked),
)
"""What each line changes of what a person has allowed."""
