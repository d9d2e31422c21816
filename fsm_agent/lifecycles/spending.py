"""What requests have used and cost, and how large the context is by that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import INPUTS
from fsm_agent.lifecycles.world import World


def spent(world: World, event: Any, _: int) -> None:  # noqa: ANN401 - whatever has a usage
    """Usage counts even when the answer comes too late to be acted on."""
    if event.usage is not None:
        world.usage += event.usage
        if event.instance.startswith("turn-") and (prompt := event.usage.prompt):
            world.context, world.measured = prompt, len(world.messages)
            requests, tokens = world.asked
            world.asked = requests + 1, tokens + prompt
    elif isinstance(event, i.Rejected) or event.instance.startswith("tool-"):
        return  # nobody answered
    if event.usage is not None and world.price is not None:
        world.cost += world.price.cost(event.usage)
    else:
        world.unpriced += 1


def priced(world: World, _: d.SendRequest | d.Summarise, __: int) -> None:
    """The settings may be others when the answer has come."""
    world.price = world.settings.economy.price


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    *((of, spent) for of in INPUTS.values() if "usage" in of.__struct_fields__),
    (d.SendRequest, priced),
    (d.Summarise, priced),
)
"""What each line changes of what is known of use and cost."""
