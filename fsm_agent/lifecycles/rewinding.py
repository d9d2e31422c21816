"""Rewinding: the conversation as it was before a turn, and back again.

What is left was sent before in just these bytes, so no epoch begins: a cache still holds it, and
reasoning in it is still bound to what stands before it. The machines, usage and the plan go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.lifecycles.cuts import context_now
from fsm_agent.lifecycles.prompts import changed
from fsm_agent.lifecycles.world import World

UNDO, REDO = "undo", "redo"
"""Commands; with `talk` among their arguments they rewind the conversation to before `turn`."""

_REWOUND = (
    *("messages", "sums", "begun", "common", "context", "measured"),
    *("cutting", "unfinished", "rewound"),
)
"""What a rewind changes."""


def can_return(world: World) -> bool:
    """Whether the conversation can be had back as it was before it was rewound."""
    return bool(world.rewound) and world.rewound["prefix"] == world.prefix


def command(world: World, event: i.Command, seq: int) -> None:
    """A command may have a word to the model, and rewind the conversation."""
    if isinstance(note := event.arguments.get("note"), str):
        world.pending[seq] = note
    if event.arguments.get("talk") is not True or world.at.get("session") == "busy":
        return
    turn = event.arguments.get("turn")
    if event.name == UNDO and isinstance(turn, int) and turn in world.begun:
        _rewind(world, turn)
        if world.fresh:  # told of in what is gone, maybe
            files = ((path, text) for path, (_, text) in world.fresh.items())
            world.pending[seq] = "\n".join(changed(world, path, text) for path, text in files)
    elif event.name == REDO and can_return(world):
        was = world.rewound
        for name in _REWOUND:
            setattr(world, name, was[name])
        world.body.forget()


def _rewind(world: World, turn: int) -> None:
    was = {name: getattr(world, name) for name in (*_REWOUND, "prefix")}
    cutting, at, now = copy(world.cutting), world.begun[turn], context_now(world)
    if at < cutting.kept and turn in cutting.begun:
        cutting.before, cutting.kept = cutting.before[: cutting.begun[turn]], at
    cutting.begun, cutting.nudged = _before(turn, cutting.begun), False
    gone = _sum_of(world, len(world.messages)) - _sum_of(world, at)
    world.messages, world.sums = world.messages[:at], world.sums[:at]
    world.begun = _before(turn, world.begun)
    world.cutting, world.unfinished = cutting, False
    world.common = at if world.common is None else min(at, world.common)
    if world.context:
        world.context, world.measured = max(now - gone, 1), at
    world.rewound = was
    world.body.forget()


def _before(turn: int, begun: Mapping[int, int]) -> dict[int, int]:
    return {one: at for one, at in begun.items() if one < turn}


def _sum_of(world: World, count: int) -> int:
    """Tokens of the first messages."""
    return world.sums[count - 1] if count else 0


def began(world: World, event: d.Transition, _: int) -> None:
    """A turn begins: what was rewound is gone for good."""
    if event.source == "ready" and event.instance.startswith("turn-"):
        world.begun[world.turns], world.rewound = len(world.messages), {}


def user_line(world: World, _: d.UserLine, __: int) -> None:
    """What the model was told before the person's line stays where the turn is taken back."""
    world.begun[world.turns] = len(world.messages) - 1


def asked(world: World, _: d.SendRequest, __: int) -> None:
    """A request has all of the conversation."""
    world.common = None


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    (i.Command, command),
    (d.Transition, began),
    (d.UserLine, user_line),
    (d.SendRequest, asked),
)
"""What each line changes of where the conversation can be rewound to."""
