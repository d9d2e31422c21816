"""The plan: questions about it, its lines, what they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event, Verb
from fsm_agent.lifecycles.world import World, sha256

TOOLS: dict[str, Verb] = {"PlanConfirm": "CONFIRM", "PlanCancel": "CANCEL", "PlanClear": "CLEAR"}
"""Tools that the plan settles, and what each asks of it."""


# -- questions -----------------------------------------------------------------------------------


def draft(world: World, _: str) -> str:
    """Is there anything but white space in the draft?"""
    return "written" if world.text(world.plans.draft).strip() else "blank"


def in_force(world: World, _: str) -> str:
    """Is a confirmed plan in force?"""
    return "yes" if world.plans.plan else "no"


def moved(world: World, name: str) -> str:
    """Has the draft changed since it was confirmed? One that was emptied is done with."""
    plans = world.plans
    same = sha256(plans.draft) == sha256(plans.confirmed) or draft(world, name) == "blank"
    return "no" if same else "yes"


def said(world: World, _: str) -> str:
    """Has a person spoken after the draft last changed?"""
    return "yes" if world.plans.spoke > world.plans.drafted else "no"


# -- what is emitted -----------------------------------------------------------------------------


def plan(world: World, name: str, _: Event) -> Iterator[Event]:
    """Where the plan is now, and of which texts."""
    plans = world.plans
    yield d.Plan(
        instance=name,
        state=world.at[name],
        draft=sha256(plans.draft) if draft(world, name) == "written" else "",
        plan=sha256(plans.plan),
    )


def refusal(world: World, name: str, given: Event) -> Iterator[Event]:
    """Why the command does not fit."""
    state = world.at.get(name, "none")
    if isinstance(given, i.Interrupt | i.Crashed):
        why = "it was cut short before the context was cut; draft and plan are as they were"
    elif state == "drafting" and said(world, name) == "no":
        why = "nobody has answered the draft as it is now: show it, and wait for the person's word"
    else:
        why = _WHY[state]
    verb = world.plans.asked or "plan"
    yield d.Refusal(instance=name, what=verb, why=why)


_WHY = {
    "none": "there is no draft (of 256 KB at most) to confirm or cancel: write one first",
    "drafting": "a new draft is being written: confirm or cancel it first",
    "executing": "there is no draft to confirm or cancel; a confirmed plan is in force",
    "confirming": "the plan is being confirmed",
    "clearing": "the plan is being cleared",
}


def result(world: World, tool: str) -> tuple[str, bool]:
    """What a plan tool answers the model, and whether it did what was asked."""
    if world.plans.refused:
        return f"Error: refused: {world.plans.refused}", False
    if TOOLS[tool] == "CANCEL":
        return "The draft is gone. Nothing of it is to be carried out.", True
    if TOOLS[tool] == "CLEAR":
        return "The plan is done and no longer in force.", True
    if world.at.get("plan") == "drafting":
        return (
            "The plan is in force as it was confirmed. The draft was changed meanwhile: it stays "
            "a draft, to be confirmed by itself."
        ), True
    return "The plan is in force; it stands in current-plan. Write the todo list and begin.", True


# -- the fold ------------------------------------------------------------------------------------


def transition(world: World, event: d.Transition, _: int) -> None:
    """What a move of the plan does to draft and plan."""
    if event.instance != "plan":
        return
    plans = world.plans
    match event.trigger, event.source, event.target:
        case "CONFIRM" | "CANCEL" | "CLEAR" as verb, _, _:
            plans.asked, plans.refused = verb, ""
            if event.target == "confirming":
                plans.confirmed = plans.draft
            elif verb == "CANCEL" and event.target != event.source:
                plans.gone, plans.draft = plans.draft, ""
        case "settled", "confirming", _:
            plans.was, plans.plan = plans.plan, plans.confirmed
            if moved(world, "plan") == "no":
                plans.gone, plans.draft = plans.draft, ""
        case "settled", "clearing", _:
            plans.was, plans.plan = plans.plan, ""
        case _:
            pass


def refused(world: World, event: d.Refusal, _: int) -> None:
    """The word for the tool that asked."""
    if event.instance == "plan":
        world.plans.refused = event.why


def seen(world: World, event: i.Seen, seq: int) -> None:
    """A text was changed on disk: the draft is anyone's, the plan a person's alone."""
    plans, text = world.plans, event.text or ""
    if event.what == "draft":
        plans.draft, plans.drafted = text, seq
    elif event.what == "plan":
        if event.by == "person" and plans.plan and world.text(text).strip():
            plans.plan = text
            world.pending[seq] = f"The person has changed the plan; it is now:\n{world.text(text)}"
        else:
            world.pending[seq] = f"{event.path} is locked; what was written to it was put back."


def spoke(world: World, event: Event, seq: int) -> None:
    """A person's word: an answer to the draft as it was then, if it names no other."""
    meant = event.digest if isinstance(event, i.PlanCommand) else ""
    world.plans.spoke = seq if meant in ("", sha256(world.plans.draft)) else -1


def forked(world: World, event: i.SessionFork, _: int) -> None:
    """A fork begins with the plan that was in force."""
    if event.plan:
        world.plans.plan, world.at["plan"] = event.plan, "executing"


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    (d.Transition, transition),
    (d.Refusal, refused),
    (i.Seen, seen),
    (i.SessionFork, forked),
    *((kind, spoke) for kind in (i.UserInput, i.UserInject, i.PlanCommand)),
)
"""What each line changes of what is known of plans."""
