"""The walk's scenarios, run with real facts, take the rows it says."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.events import inputs as i
from fsm_agent.events.derived import Transition
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import FORMAT, INPUTS
from fsm_agent.events.values import Economy, Failure, StopReason, Usage
from fsm_agent.lifecycles import plans
from fsm_agent.lifecycles.checking.joint import MOVED, Joint
from fsm_agent.lifecycles.checking.product import CRASH, REVISE, Given, Product
from fsm_agent.lifecycles.checking.walk import Path, Walk
from fsm_agent.lifecycles.declared import tables
from fsm_agent.lifecycles.marking import back, mark
from fsm_agent.lifecycles.plans import TOOLS
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import World

SPECS = json.dumps(
    [
        {"name": name, "description": "", "parameters": {}}
        for name in ("Read", "Bash", "Edit", *TOOLS)
    ]
)
CALLS: list[dict[str, Any]] = [
    {"name": "Read", "input": {"path": "a"}},
    {"name": "Edit", "input": {"path": "a"}},
    {"name": "Bash", "input": {"command": "x"}},
    {"name": "Fetch", "input": {}},
    *({"name": name, "input": {}} for name in TOOLS),
]
LONG = Failure("context_overflow", "too long")
FAILURES = [Failure("rate_limit", "slow down", retry=True), Failure("auth", "no"), LONG]
STOPS: list[StopReason] = ["end_turn", "pause", "max_tokens", "refusal"]
RESUME = i.SessionResume(program="p", semantics=1, tables={})
SINGLE = {name: table for name, table in tables().items() if name not in ("turn", "tool")}
PERSON: dict[str, list[Event]] = {
    "notice": [i.Notice(text="news")],
    "plan_command": [i.PlanCommand(verb=verb) for verb in TOOLS.values()],
    "session_resume": [RESUME],
    "user_input": [i.UserInput(text="line")],
}
DRAFTS: list[Event] = [
    i.Seen(what="draft", path="/s/plan.draft", text=t) for t in ("", " ", "1. do", "2. more")
]
FULL = Usage(1900, 1)
"""So many tokens that a window of 2000 is cut before the next request."""


def label(path: Path) -> str:
    return "-".join([path[-1].given[1], *(move.row.id for move in path[-1].moves)])


def take(world: World, group: Sequence[Event]) -> list[str]:
    """The rows that an input takes."""
    lines = step(world, group, "2026-11-30T09:12:44.000Z").lines
    return [line.event.row for line in lines if isinstance(line.event, Transition)]


def joint_of(world: World, like: Joint) -> Joint:
    """What the walk sees of the world; `like` tells what only the walk counts."""
    at = {name: world.at.get(name, table.initial) for name, table in SINGLE.items()}
    if world.live:
        at["turn"] = world.at[world.live]
    calls = {f"tool-{n}": call for n, call in enumerate(world.turn.calls.values(), 1)}
    short = {call.instance: name for name, call in calls.items()} | {world.live: "turn"}
    ended = "interrupted" if world.turn.ended == "crashed" else world.turn.ended
    written = plans.draft(world, "plan")
    moved = at["plan"] == "confirming" and plans.moved(world, "plan") == "yes"
    return Joint(
        at | {name: world.at[call.instance] for name, call in calls.items()},
        asker={asked: short.get(by, by) for asked, by in world.asker.items()},
        answered=frozenset(name for name, call in calls.items() if call.result),
        ended=ended if world.live else "no",
        lines=len(world.waiting),
        news=bool(world.pending),
        unfinished=world.unfinished,
        leaving=bool(world.leaving),
        draft=MOVED if moved else written,
        said=written == "written" and plans.said(world, "plan") == "yes",
        planned=plans.in_force(world, "plan") == "yes",
        spent=like.spent,
        halted=like.halted,
    )


def opened(past: Sequence[Usage | None], turns: int, mode: str) -> World:
    """A session that rests: with this mode and limit of requests, and so many turns behind it."""
    world = World(lambda _: "")
    start = i.SessionStart(v=FORMAT, session="s", program="p", semantics=1, tables={}, cwd="/p")
    take(world, [start, said(mode, max_turns=turns), i.Tools(specs=SPECS)])
    for usage in past:
        take(world, PERSON["user_input"])
        take(world, [i.Opened(instance=world.live or "", activity=world.seq - 1)])
        at: dict[str, Any] = {"instance": world.live, "activity": world.seq - 1}
        words = i.Text(**at, n=0, text="word " * 99)
        take(world, [words, i.Completed(**at, stop="end_turn", usage=usage)])
    return world


PASTS: list[list[Usage | None]] = [[], [None] * 8, [*[None] * 7, FULL]]
"""The turns before the session came to rest, by what the server said of each."""
OPENINGS = list(itertools.product(PASTS, (2, 1, 3), ("ask", "edits", "allow")))


def said(mode: Any, max_turns: int = 3) -> i.Settings:
    return i.Settings(
        protocol="scripted",
        model="m",
        permission=mode,
        person=True,
        max_turns=max_turns,
        max_retries=1,
        economy=Economy(automatic=True, window=2000, keep="0.3", fixed=0),
    )


def concrete(meant: Given, world: World, calls: int) -> Iterator[list[list[Event]]]:
    """The inputs that the runtime could mean by this one."""
    who, on = meant
    if meant == CRASH:
        crashed: list[list[Event]] = [[i.Crashed()]] if world.open or world.live else []
        yield [[RESUME], *crashed]
    elif meant == REVISE:
        yield from ([[seen]] for seen in DRAFTS)
    elif who == "session":
        yield from ([[event]] for event in PERSON.get(on) or [INPUTS[on]()])
    else:
        name = world.live if who == "turn" else who
        if name and name.startswith("tool-"):
            name = list(world.turn.calls)[int(who[5:]) - 1]
        at: dict[str, Any] = {"instance": name, "activity": world.open.get(name or "", -1)}
        yield from ([group] for group in outcomes(on, at, calls))


def outcomes(on: str, at: dict[str, Any], calls: int) -> Iterator[list[Event]]:
    match on:
        case "rejected" | "broken":
            yield from ([INPUTS[on](**at, failure=failure)] for failure in FAILURES)
        case "completed":
            for usage, stop in itertools.product((None, FULL), STOPS):
                yield [i.Text(**at, n=0, text="word"), i.Completed(**at, stop=stop, usage=usage)]
            asked = itertools.product(CALLS, repeat=calls)
            for usage, names in itertools.product((None, FULL), asked):
                lines = [i.ToolCall(**at, n=n, id=f"c{n}", **call) for n, call in enumerate(names)]
                yield [*lines, i.Completed(**at, stop="tool_use", usage=usage)]
        case "finished":
            yield [i.Finished(**at, output="out")]
        case "approved":
            yield [i.Approved(**at)]
            yield [said("read"), i.Approved(**at)]
        case "summarised":
            yield [i.Summarised(**at, text="Task focus: all.")]
            yield [i.Summarised(**at, text=" ")]
        case _:
            yield [INPUTS[on](**at)]


def follow(path: Path, world: World, calls: int) -> bool:
    """Whether some inputs, in this world, take just the rows of the path and lead where it does."""
    if not path:
        return True
    way, rows = path[0], [move.row.id for move in path[0].moves]
    for groups in concrete(way.given, world, calls):
        marked = mark(world)
        taken = [row for group in groups for row in take(world, group)]
        same = taken == rows and joint_of(world, way.after) == way.after
        if same and follow(path[1:], world, calls):
            return True
        back(world, marked)
    return False


def possible(path: Path, calls: int = 1) -> bool:
    """Whether the real core can go this way, with some facts."""
    return any(follow(path, opened(*opening), calls) for opening in OPENINGS)


@pytest.fixture(scope="module")
def short() -> list[tuple[int, Walk]]:
    """Walks that together find a short real way to every row, by how many calls an answer has."""
    something = Walk(tables(), 1, {"drop": ("some",)}, exact=True)
    return [(1, Walk(tables(), 1, exact=True)), (1, something), (2, Walk(tables(), 2, NO_PLAN))]


def test_scenarios_take_every_row_in_the_real_core(short: list[tuple[int, Walk]]) -> None:
    rows = {
        move.id
        for calls, walk in short
        for path in walk.scenarios()
        if possible(path, calls)
        for way in path
        for move in way.moves
    }

    assert rows == {(name, row.id) for name, table in tables().items() for row in table.rows}


NO_CUT = {"cut": ("no",), "drop": ("nothing",), "help": ("waiting", "nothing")}
NO_PLAN = {
    **NO_CUT,
    "draft": ("blank",),
    "in_force": ("no",),
    "verdict": ("allow", "ask", "deny", "later"),
}


@pytest.mark.parametrize(("calls", "limits"), [(1, NO_CUT), (2, NO_PLAN)])
def test_the_real_core_can_be_wherever_the_walk_says(
    calls: int, limits: dict[str, tuple[str, ...]]
) -> None:
    """But for cuts: how much there is to cut after some of them, the walk does not know."""
    paths = list(Walk(tables(), calls, limits, exact=limits is NO_CUT).paths())

    assert len(paths) > 300
    assert [label(path) for path in paths if not possible(path, calls)] == []


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_the_real_core_does_is_a_way_of_the_product(data: st.DataObject) -> None:
    product = Product(tables(), 2, {}, exact=True)
    joint, world = product.start(), opened(*data.draw(st.sampled_from(OPENINGS)))
    for _ in range(data.draw(st.integers(1, 15))):
        joint.spent = frozenset()  # the world may give a bounded answer more than once
        chosen = data.draw(st.sampled_from([*product.outcomes(joint), *product.others(joint)]))
        groups = data.draw(st.sampled_from(list(concrete(chosen, world, 2))))
        rows = [row for group in groups for row in take(world, group)]
        seen = [
            now
            for way in product.ways(joint, chosen)
            if product.key(now := joint_of(world, way.after)) == product.key(way.after)
        ]
        assert seen, (chosen, rows)
        joint = seen[0]


def test_all_answers_together_take_every_row(whole: Walk) -> None:
    scenarios = whole.scenarios()

    assert {move.id for path in scenarios for way in path for move in way.moves} == {
        (name, row.id) for name, table in tables().items() for row in table.rows
    }
    assert max(map(len, scenarios)) <= 6
