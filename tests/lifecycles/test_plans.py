"""What becomes of a draft while it is confirmed."""

from __future__ import annotations

import pytest

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import FORMAT
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import World

TIME = "2026-11-30T09:12:44.000Z"


def confirming() -> World:
    """A world in which a draft was said yes to, and the summary is being written."""
    world = World(lambda _: "")
    start = i.SessionStart(v=FORMAT, session="s", program="p", semantics=1, tables={}, cwd="/p")
    step(world, [start, i.Settings(protocol="scripted", model="m")], TIME)
    for number in (1, 2):
        step(world, [i.UserInput(text=f"{number}")], TIME)
        turn = world.live or ""
        step(world, [i.Opened(instance=turn, activity=world.open[turn])], TIME)
        answer = world.open[turn]
        text = i.Text(instance=turn, activity=answer, n=0, text="Done.")
        step(world, [text, i.Completed(instance=turn, activity=answer, stop="end_turn")], TIME)
    step(world, [draft("1. do")], TIME)
    step(world, [i.PlanCommand(verb="CONFIRM")], TIME)
    assert world.at["plan"] == "confirming"
    return world


def draft(text: str) -> i.Seen:
    return i.Seen(what="draft", path="/s/plan.draft", text=text)


@pytest.mark.parametrize(
    ("meanwhile", "state", "left"),
    [
        ("1. do", "executing", ""),
        ("", "executing", ""),
        (" \n", "executing", ""),
        ("2. more", "drafting", "2. more"),
    ],
)
def test_only_another_text_stays_a_draft(meanwhile: str, state: str, left: str) -> None:
    world = confirming()
    step(world, [draft(meanwhile)], TIME)
    summary = i.Summarised(instance="compaction", activity=world.open["compaction"], text="Focus.")
    step(world, [summary], TIME)

    assert (world.at["plan"], world.plans.plan, world.plans.draft) == (state, "1. do", left)
