"""What the session, its context and its plan have to say."""

from __future__ import annotations

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.painting.items import (
    AnyItem,
    ContextCut,
    Failed,
    Noted,
    PlanMoved,
    Status,
    Thinned,
)
from fsm_agent.interfaces.painting.view import View

CUT = d.ContextUpdate(
    instance="compaction", strategy="summary", before=84_000, after=21_000, of=7, cost=14_000, net=9
)


def pruned(call: str, before: int, after: int) -> d.ContextUpdate:
    return d.ContextUpdate(
        instance="compaction", strategy="duplicate", call=call, before=before, after=after
    )


def plan(state: str, draft: str = "", text: str = "") -> d.Plan:
    return d.Plan(instance="plan", state=state, draft=draft, plan=text)


USUAL = i.Settings(protocol="p", model="m")
PLANNING = i.Settings(protocol="p", model="m", permission="plan")


def moved(instance: str, source: str, target: str) -> d.Transition:
    return d.Transition(instance=instance, row="X", trigger="x", source=source, target=target)


def taken(*events: Event) -> tuple[list[AnyItem], list[Status]]:
    """What the lines add, and what is under way after each; a second lies between two."""
    view, items, after = View(), list[AnyItem](), list[Status]()
    for seq, event in enumerate(events):
        items += view.take(Line(seq, f"2026-11-30T09:00:{seq:02}.000Z", "input", event))
        after.append(view.status())
    return items, after


def test_prunes_of_one_cut_are_one_line() -> None:
    update = i.PromptRead(sections=())
    items, _ = taken(CUT, pruned("a", 900, 100), pruned("b", 300, 50), update, update)

    assert items == [ContextCut(84_000, 21_000, 14_000, 9), Thinned(2, 1050)]


def test_a_summary_that_failed_is_named_as_one() -> None:
    error = d.Error(instance="compaction", error="overloaded", message="HTTP 503")
    items, _ = taken(error)

    assert items == [Failed("no summary was written: HTTP 503", "")]


def test_the_plan_says_where_it_came_from_and_of_which_text() -> None:
    items, _ = taken(
        *(plan("drafting", "d1"), plan("drafting", "d2"), plan("executing", text="p1")),
        *(plan("drafting", "d3", "p1"), plan("executing", text="p3"), plan("none")),
    )

    assert items == [
        PlanMoved("none", "drafting", "d1"),
        PlanMoved("drafting", "drafting", "d2"),
        PlanMoved("drafting", "executing", "p1"),
        PlanMoved("executing", "drafting", "d3"),
        PlanMoved("drafting", "executing", "p3"),
        PlanMoved("executing", "none", ""),
    ]


def test_a_fork_begins_with_a_plan_in_force() -> None:
    fork = i.SessionFork(source="s", reason="fork", messages="", plan="1. Do.")

    assert taken(fork, plan("none"))[0] == [
        Noted("this session goes on from s, which stays as it is"),
        PlanMoved("executing", "none", ""),
    ]


def test_the_mode_is_told_when_it_changes() -> None:
    items, after = taken(USUAL, PLANNING, PLANNING)

    assert items == [Noted("the mode is now plan")]
    assert [status.mode for status in after] == ["ask", "plan", "plan"]


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (i.Seen(what="draft", path="/s/plan.draft", text="1."), None),
        (i.Seen(what="plan", path="/s/plan.md", text="1.", by="tool"), "put back"),
        (i.Seen(what="plan", path="/s/plan.md", text="1."), "the model is told"),
        (i.Seen(what="instructions", path="/p/AGENTS.md", text="1."), "the model is told"),
    ],
)
def test_a_file_that_was_changed(seen: i.Seen, said: str | None) -> None:
    items, _ = taken(seen)

    assert [said in item.text for item in items if isinstance(item, Noted) and said] == [
        True
    ] * len(items)
    assert bool(items) == (said is not None)


@pytest.mark.parametrize(("around", "doing"), [("compact", "waiting"), ("tool_exec", "running")])
def test_a_summary_is_seen_while_it_is_written(around: str, doing: str) -> None:
    _, after = taken(
        moved("turn-1", "ready", "compact"),
        moved("turn-1", "compact", around),
        moved("compaction", "idle", "summarise"),
        moved("compaction", "summarise", "pausing"),
        moved("compaction", "pausing", "summarise"),
        moved("compaction", "summarise", "idle"),
        moved("compaction", "idle", "idle"),
    )

    assert [status.doing for status in after[1:]] == [
        *(doing, "summing", "pausing", "summing", doing, doing),
    ]
    assert after[-1].since == "2026-11-30T09:00:05.000Z"


def test_a_command_s_summary_ends_with_the_command() -> None:
    _, after = taken(
        moved("session", "idle", "busy"),
        moved("compaction", "idle", "summarise"),
        moved("compaction", "summarise", "idle"),
        moved("session", "busy", "idle"),
    )

    assert [status.doing for status in after] == ["waiting", "summing", "waiting", "idle"]
