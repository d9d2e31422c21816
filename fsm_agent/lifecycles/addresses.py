"""Who is meant: by an input, and by an address in `sends`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import type_of
from fsm_agent.lifecycles.plans import TOOLS
from fsm_agent.lifecycles.world import FINAL_TOOL, World
from fsm_agent.machine import Table

Aim = tuple[str, str]
"""An instance and the trigger for it."""

TO_SESSION = frozenset(
    {
        i.UserInput,
        i.Notice,
        i.Interrupt,
        i.Leave,
        i.Continue,
        i.PlanCommand,
        i.CompactCommand,
        i.SessionResume,
    }
)
TO_INSTANCE = frozenset(
    {
        i.Opened,
        i.Rejected,
        i.Completed,
        i.Broken,
        i.Stopped,
        i.Waited,
        i.Finished,
        i.Approved,
        i.Declined,
        i.Summarised,
    }
)


@lru_cache(64)
def machine_of(instance: str) -> str:
    """`tool-3.1` → `tool`."""
    return instance.partition("-")[0]


def addressed(world: World, event: Event) -> list[Aim]:
    """Whom the input moves; an answer to an activity that was let go moves nobody."""
    of = type(event)
    if of in TO_INSTANCE and isinstance(event, i.Outcome):
        due = world.open.get(event.instance) == event.activity
        return [(event.instance, type_of(event))] if due else []
    if of in TO_SESSION:
        return [("session", type_of(event))]
    if isinstance(event, i.Seen):
        return [("plan", "REVISE")] if event.what == "draft" else []
    return crashed(world.at, world.tables) if of is i.Crashed else []


def crashed(at: Mapping[str, str], tables: Mapping[str, Table]) -> list[Aim]:
    """All that rested when the process died, in the order turn, compaction, tools by number."""
    order = {"turn": 0, "compaction": 1, "tool": 2}
    resting = sorted(
        (order.get(machine_of(name), 3), _number(name), name, state) for name, state in at.items()
    )
    aims = []
    for _, _, name, state in resting:
        trigger = tables[machine_of(name)].states[state].on_crash
        if trigger:
            aims.append((name, trigger))
    return aims


def _number(instance: str) -> tuple[int, ...]:
    return tuple(int(n) for n in instance.partition("-")[2].split(".") if n)


def receivers(world: World, sender: str, address: str, given: Event) -> list[Aim]:
    """The instances behind an address of the sender's row."""
    who, _, trigger = address.partition(".")
    calls = world.turn.calls
    match who, trigger:
        case "turn", "user_input" | "woken":
            return [(f"turn-{world.turns + 1}", trigger)]
        case "turn", _:
            return [(f"turn-{world.turns}", trigger)]
        case "tools", "next":
            return [(name, trigger) for name in calls if world.at[name] == "requested"]
        case "tools", _:
            return [(name, trigger) for name in calls if world.at[name] not in FINAL_TOOL]
        case "asker", _:
            return [(world.asker[sender], trigger)]
        case "plan", "VERB":
            told = given.verb if isinstance(given, i.PlanCommand) else None
            return [("plan", told or TOOLS[calls[sender].line.name])]
        case _:
            return [(who, trigger)]
