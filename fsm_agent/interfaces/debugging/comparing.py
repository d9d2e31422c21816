"""What differs between two worlds of one log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

import msgspec

from fsm_agent.interfaces.debugging.printing import message
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.lifecycles.world import World, sha256


def differences(first: World, second: World) -> Iterator[str]:
    """States, then counters and settings, then what one conversation has and the other has not."""
    for facts in (_states, _figures, _settings):
        yield from _changed(facts(first), facts(second))
    old, new = (list(map(message, world.messages)) for world in (first, second))
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    del old[:common], new[:common]  # mostly, all that the first one has
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for mark, said in (("-", old[a:b]), ("+", new[c:d])) if old[a:b] != new[c:d] else ():
            yield from (f"{mark} {line}" for text in said for line in text.split("\n"))


def _changed(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys([*first, *second]):
        old, new = first.get(name, "-"), second.get(name, "-")
        if old != new:
            yield escape_line(f"{name}: {old} → {new}")


def _states(world: World) -> dict[str, str]:
    return world.at


def _figures(world: World) -> dict[str, Any]:
    return {
        "turns": world.turns,
        "requests": world.requests,
        "steps of the turn": world.turn.steps,
        "tries of the request": world.turn.tries,
        "context tokens": world.context,
        "cuts": world.cutting.cuts,
        "draft": sha256(world.plans.draft)[:16],
        "plan in force": sha256(world.plans.plan)[:16],
        **{f"tokens {name}": count for name, count in msgspec.structs.asdict(world.usage).items()},
        "open activities": sorted(world.open.values()),
        "waiting lines": list(world.waiting),
        "notes not yet told": list(world.pending),
        "messages": len(world.messages),
    }


def _settings(world: World) -> dict[str, Any]:
    told = {f"setting {n}": v for n, v in msgspec.structs.asdict(world.settings).items()}
    return {**told, "epoch": world.prefix, "tools": [tool.name for tool in world.tools]}
