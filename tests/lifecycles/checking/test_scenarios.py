"""The walk's scenarios, run with real facts, take the rows it says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.events import inputs as i
from fsm_agent.events.derived import Transition
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import FORMAT, INPUTS
from fsm_agent.events.values import Failure, StopReason
from fsm_agent.lifecycles.checking.joint import Joint
from fsm_agent.lifecycles.checking.product import CRASH, Given, Product
from fsm_agent.lifecycles.checking.walk import Path, Walk
from fsm_agent.lifecycles.declared import tables
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import World

TODAY = {
    "cut": ("no",),
    "draft": ("blank",),
    "drop": ("nothing",),
    "help": ("waiting", "nothing"),
    "in_force": ("no",),
    "then": ("rest", "line", "notices"),
    "verdict": ("allow", "ask", "deny", "later"),
}
"""The answers that `asks.py` can give now."""
NOT_YET = {
    "nothing is ever cut before the economy decides it": (
        "C02 C03 C04 C05 C06 C07 C08 C09 S13 T11 T12 T13 T22 T34 T50"
    ),
    "no plan file is looked at yet": (
        "P01 P03 P04 P05 P06 P07 P08 P10 P11 P13 P14 P15 P16 P17 P20 P21 P30 P32 P33 P34 P35 P36"
    ),
    "no tool asks for the plan yet": "K04 K10 K13 K17",
}
"""Rows that no scenario takes, by the reason."""
BLIND = {"P02"}
"""Rows whose input, a changed draft, has no address yet."""
SPECS = (
    '[{"name":"Read","description":"","parameters":{}},'
    '{"name":"Bash","description":"","parameters":{}},'
    '{"name":"Edit","description":"","parameters":{}}]'
)
CALLS: list[dict[str, Any]] = [
    {"name": "Read", "input": {"path": "a"}},
    {"name": "Edit", "input": {"path": "a"}},
    {"name": "Bash", "input": {"command": "x"}},
    {"name": "Fetch", "input": {}},
]
FAILURES = [Failure("rate_limit", "slow down", retry=True), Failure("auth", "no")]
STOPS: list[StopReason] = ["end_turn", "pause", "max_tokens", "refusal"]
RESUME = i.SessionResume(program="p", semantics=1, tables={})
SINGLE = {name: table for name, table in tables().items() if name not in ("turn", "tool")}
REVISE = ("plan", "REVISE")
PERSON: dict[str, list[Event]] = {
    "notice": [i.Notice(text="news")],
    "plan_command": [i.PlanCommand(verb=verb) for verb in ("CONFIRM", "CANCEL", "CLEAR")],
    "session_resume": [RESUME],
    "user_input": [i.UserInput(text="line")],
}

WALK = Walk(tables(), limits=TODAY)
SCENARIOS = WALK.scenarios()
SEEN_ROWS = {move.row.id for path in SCENARIOS for way in path for move in way.moves}
RUNS = [path for path in SCENARIOS if not any(way.given == REVISE for way in path)]


def label(path: Path) -> str:
    return "-".join([path[-1].given[1], *(move.row.id for move in path[-1].moves)])


class Run:
    """A world after these inputs, with the rows that they took."""

    def __init__(self, inputs: Sequence[Sequence[Event]]) -> None:
        self.world = World(lambda _: "")
        self.rows: list[str] = []
        for group in inputs:
            lines = step(self.world, group, "2026-11-30T09:12:44.000Z").lines
            self.rows += [e.row for line in lines if isinstance(e := line.event, Transition)]

    def joint(self, like: Joint) -> Joint:
        """What the walk sees of the world; `like` tells what only the walk counts."""
        world = self.world
        at = {name: world.at.get(name, table.initial) for name, table in SINGLE.items()}
        if world.live:
            at["turn"] = world.at[world.live]
        calls = {f"tool-{n}": call for n, call in enumerate(world.turn.calls.values(), 1)}
        ended = "interrupted" if world.turn.ended == "crashed" else world.turn.ended
        return Joint(
            at | {name: world.at[call.instance] for name, call in calls.items()},
            asker=world.asker,
            answered=frozenset(name for name, call in calls.items() if call.result),
            ended=ended if world.live else "no",
            lines=len(world.waiting),
            news=bool(world.pending),
            unfinished=world.unfinished,
            leaving=bool(world.leaving),
            spent=like.spent,
            halted=like.halted,
        )


def openings() -> Iterator[list[Event]]:
    for turns, mode in itertools.product((2, 1, 3), ("ask", "edits", "allow")):
        yield [
            i.SessionStart(v=FORMAT, session="s", program="p", semantics=1, tables={}, cwd="/p"),
            said(mode, max_turns=turns),
            i.Tools(specs=SPECS),
        ]


def said(mode: Any, max_turns: int = 3) -> i.Settings:
    return i.Settings(
        protocol="scripted",
        model="m",
        permission=mode,
        person=True,
        max_turns=max_turns,
        max_retries=1,
    )


def concrete(meant: Given, world: World) -> Iterator[list[list[Event]]]:
    """The inputs that the runtime could mean by this one."""
    who, on = meant
    if meant == CRASH:
        crashed: list[list[Event]] = [[i.Crashed()]] if world.open or world.live else []
        yield [[RESUME], *crashed]
    elif who == "session":
        yield from ([[event]] for event in PERSON.get(on) or [INPUTS[on]()])
    else:
        name = world.live if who == "turn" else list(world.turn.calls)[int(who[5:]) - 1]
        at: dict[str, Any] = {"instance": name, "activity": world.open.get(name or "", -1)}
        yield from ([group] for group in outcomes(on, at))


def outcomes(on: str, at: dict[str, Any]) -> Iterator[list[Event]]:
    match on:
        case "rejected" | "broken":
            yield from ([INPUTS[on](**at, failure=failure)] for failure in FAILURES)
        case "completed":
            for stop in STOPS:
                yield [i.Text(**at, n=0, text="word"), i.Completed(**at, stop=stop)]
            for calls in itertools.product(CALLS, repeat=2):
                lines = [i.ToolCall(**at, n=n, id=f"c{n}", **call) for n, call in enumerate(calls)]
                yield [*lines, i.Completed(**at, stop="tool_use")]
        case "finished":
            yield [i.Finished(**at, output="out")]
        case "approved":
            yield [i.Approved(**at)]
            yield [said("read"), i.Approved(**at)]
        case _:
            yield [INPUTS[on](**at)]


def follow(path: Path, inputs: list[list[Event]]) -> bool:
    """Whether some inputs, behind these, take just the rows of the path and lead where it does."""
    if not path:
        return True
    way, before = path[0], Run(inputs)
    rows = [*before.rows, *(move.row.id for move in way.moves)]
    for groups in concrete(way.given, before.world):
        run = Run([*inputs, *groups])
        same = run.rows == rows and run.joint(way.after) == way.after
        if same and follow(path[1:], [*inputs, *groups]):
            return True
    return False


def possible(path: Path) -> bool:
    """Whether the real core can go this way, with some facts."""
    return any(follow(path, [first]) for first in openings())


@pytest.mark.parametrize("path", RUNS, ids=label)
def test_a_scenario_takes_its_rows_in_the_real_core(path: Path) -> None:
    assert possible(path)


def test_the_real_core_can_be_wherever_the_walk_says() -> None:
    paths = [path for path in WALK.paths() if REVISE not in {way.given for way in path}]

    assert len(paths) == WALK.worlds
    assert [label(path) for path in paths if not possible(path)] == []


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_the_real_core_does_is_a_way_of_the_product(data: st.DataObject) -> None:
    product = Product(tables(), 2, TODAY)
    joint, inputs = product.start(), [data.draw(st.sampled_from(list(openings())))]
    for _ in range(data.draw(st.integers(1, 15))):
        joint.spent = frozenset()  # the world may give a bounded answer more than once
        chosen = data.draw(st.sampled_from([*product.outcomes(joint), *product.others(joint)]))
        if chosen == REVISE:
            continue
        inputs += data.draw(st.sampled_from(list(concrete(chosen, Run(inputs).world))))
        run = Run(inputs)
        seen = [
            now
            for way in product.ways(joint, chosen)
            if product.key(now := run.joint(way.after)) == product.key(way.after)
        ]
        assert seen, (chosen, run.rows)
        joint = seen[0]


def test_scenarios_take_every_row_but_those_that_cannot_be_taken_yet() -> None:
    rows = {row.id for table in tables().values() for row in table.rows}
    missing = {row for named in NOT_YET.values() for row in named.split()}

    assert rows - SEEN_ROWS == missing
    assert SEEN_ROWS - {m.row.id for path in RUNS for way in path for m in way.moves} == BLIND


def test_all_answers_together_take_every_row(whole: Walk) -> None:
    scenarios = whole.scenarios()

    assert {move.id for path in scenarios for way in path for move in way.moves} == {
        (name, row.id) for name, table in tables().items() for row in table.rows
    }
    assert max(map(len, scenarios)) <= 6
