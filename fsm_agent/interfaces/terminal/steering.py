"""Slash commands for the mode, the plan and the context."""

from __future__ import annotations

from typing import get_args

import msgspec
from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.amounts import cost
from fsm_agent.interfaces.terminal.desk import Desk
from fsm_agent.interfaces.terminal.escaping import escape
from fsm_agent.lifecycles.cuts import UNCOMPACT, context_now
from fsm_agent.lifecycles.world import sha256
from fsm_agent.settings import Permission

VERBS: dict[str, i.Verb] = {"confirm": "CONFIRM", "cancel": "CANCEL", "clear": "CLEAR"}
"""Words to `/plan`, and what they ask of it."""


def plan(desk: Desk, word: str) -> None:
    """Show draft and plan, or say a word about them.

    A yes is one to the draft as it is when it is said.

    Raises:
        UsageError: If it is no such word.
    """
    if word in VERBS:
        desk.give([i.PlanCommand(verb=VERBS[word])])
    elif word in ("", "show"):
        _show(desk)
    else:
        raise UsageError(f"it takes {', '.join(VERBS)} or show, not '{word}'")


def standing(desk: Desk) -> str:
    """What there is to know of the plan; empty where there is none."""
    return _STANDS.get(desk.session.world.at.get("plan", "none"), "")


def _show(desk: Desk) -> None:
    world, plans = desk.session.world, desk.session.world.plans
    desk.print(Text(f"  {standing(desk) or 'there is no draft and no plan'}"))
    for name, text in (("draft", plans.draft), ("plan", plans.plan)):
        if shown := world.text(text).strip():
            desk.print(Text(f"  {name}, sha256 {sha256(text)}", "quiet"), Text(escape(shown)))


_STANDS = {
    "drafting": "a draft waits for /plan confirm or /plan cancel",
    "executing": "a plan is in force",
}


def mode(desk: Desk, name: str) -> None:
    """Say what runs unasked, or change it; it holds for what is being asked now, too.

    Raises:
        UsageError: If there is no such mode.
    """
    settings, modes = desk.session.world.settings, get_args(Permission)
    if not name:
        desk.print(Text(f"  {settings.permission}; /mode {'|'.join(modes)} changes it"))
    elif name in modes:
        desk.give([msgspec.structs.replace(settings, permission=name)])
    else:
        raise UsageError(f"it takes {', '.join(modes)}, not '{name}'")


def compact(desk: Desk, instruction: str) -> None:
    """Have the oldest messages summed up, with a word to the summary."""
    desk.give([i.CompactCommand(instruction=instruction)])


def uncompact(desk: Desk, _: str) -> None:
    """Take the last cut back."""
    if desk.session.world.cutting.before:
        desk.give([i.Command(name=UNCOMPACT)])
    else:
        desk.print(Text("there is no cut to take back", "error"))


def usage(desk: Desk, _: str) -> None:
    """Say what was used, what it cost, and how full the context is."""
    world = desk.session.world
    used, window = world.usage, world.settings.economy.window
    rows = {
        "fresh input": used.input,
        "read from cache": used.cache_read,
        "written to cache": used.cache_write,
        "output": used.output,
        "requests": world.requests,
        "context now": context_now(world),
    }
    if window:
        rows["context window"] = window
    rows["context cuts"] = world.cutting.cuts
    desk.print(*(Text(f"  {name:16} {count:>12,}") for name, count in rows.items()))
    desk.print(Text(f"  {'cost':16} {cost(world.cost, world.unpriced):>12}"))
