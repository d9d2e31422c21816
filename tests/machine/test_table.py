"""Every table answers for its whole square of states and triggers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from fsm_agent.errors import IllegalTrigger
from fsm_agent.machine import Answers, Row, Table, read_table

STATES = Path(__file__).parents[2] / "states"
TABLES = {
    path.stem: read_table(path.read_text(encoding="utf-8"), path)
    for path in sorted(STATES.glob("*.toml"))
}
SQUARE = sorted(
    (name, state, trigger)
    for name, table in TABLES.items()
    for state, trigger in itertools.product(table.states, {row.on for row in table.rows})
)
LEGAL = [
    (n, s, t) for n, s, t in SQUARE if any(s in r.source and r.on == t for r in TABLES[n].rows)
]
ILLEGAL = sorted(set(SQUARE) - set(LEGAL))


def combinations(table: Table, state: str, trigger: str) -> Iterator[Answers]:
    """All answers that can be given to the questions of this state and trigger."""
    asks = table.questions(state, trigger)
    for given in itertools.product(*(table.asks[ask].of for ask in asks)):
        yield tuple(zip(asks, given, strict=True))


def scan(table: Table, state: str, trigger: str, answers: Mapping[str, str]) -> list[Row]:
    """The rows that fit, read off the declaration and nothing else."""
    return [
        row
        for row in table.rows
        if state in row.source
        and row.on == trigger
        and all(answers[ask] in taken for ask, taken in row.when.items())
    ]


def test_the_square_is_that_of_the_five_machines() -> None:
    assert sorted(TABLES) == ["compaction", "plan", "session", "tool", "turn"]
    assert all(name == table.name for name, table in TABLES.items())
    assert len(LEGAL) > 80
    assert len(ILLEGAL) > 200


@pytest.mark.parametrize(("name", "state", "trigger"), LEGAL)
def test_each_combination_of_answers_takes_the_one_row_that_a_scan_finds(
    name: str, state: str, trigger: str
) -> None:
    table = TABLES[name]
    for answers in combinations(table, state, trigger):
        row = table.fire(state, trigger, answers)

        assert [row] == scan(table, state, trigger, dict(answers))
        assert table.fire(state, trigger, answers) is row


@pytest.mark.parametrize(("name", "state", "trigger"), LEGAL)
def test_other_answers_than_those_asked_for_are_refused(
    name: str, state: str, trigger: str
) -> None:
    table = TABLES[name]
    for answers in combinations(table, state, trigger):
        wrong = [(*answers, ("weather", "fine"))]
        wrong += [answers[:place] + answers[place + 1 :] for place in range(len(answers))]
        wrong += [
            (*answers[:place], (ask, "perhaps"), *answers[place + 1 :])
            for place, (ask, _) in enumerate(answers)
            if all(ask in row.when for row in table.at[state, trigger])
        ]
        for other in wrong:
            with pytest.raises(IllegalTrigger, match=f"{name}: '{trigger}' in '{state}'"):
                table.fire(state, trigger, other)


@pytest.mark.parametrize(("name", "state", "trigger"), ILLEGAL)
def test_a_trigger_without_a_row_is_refused_by_name_and_changes_nothing(
    name: str, state: str, trigger: str
) -> None:
    table = msgspec.structs.replace(TABLES[name])
    before = {key: table.fire(*key, answers) for key in table.at for answers in first(table, *key)}
    known = dict(table._moves)

    assert table.questions(state, trigger) == ()
    assert trigger not in table.triggers(state)
    with pytest.raises(IllegalTrigger, match=f"{name}: '{trigger}' in '{state}'"):
        table.fire(state, trigger, ())

    assert table._moves == known
    assert table == TABLES[name]
    assert before == {
        key: table.fire(*key, answers) for key in table.at for answers in first(table, *key)
    }


def first(table: Table, state: str, trigger: str) -> list[Answers]:
    return [next(combinations(table, state, trigger))]


def test_an_unknown_state_and_an_unknown_trigger_are_illegal_too() -> None:
    with pytest.raises(IllegalTrigger, match="turn: 'opened' in 'nowhere'"):
        TABLES["turn"].fire("nowhere", "opened", ())
    with pytest.raises(IllegalTrigger, match="turn: 'hoped' in 'call'"):
        TABLES["turn"].fire("call", "hoped", ())
    assert TABLES["turn"].triggers("nowhere") == frozenset()


def test_questions_are_sorted_and_triggers_are_those_of_the_state() -> None:
    turn = TABLES["turn"]

    assert turn.questions("drain", "entered") == ("ended", "owed", "steps")
    assert turn.questions("call", "opened") == ()
    assert turn.triggers("wait") == {"waited", "interrupt", "crashed"}
    assert turn.triggers("answered") == frozenset()


def test_a_failed_turn_gives_the_waiting_lines_back() -> None:
    """Nothing starts by itself after an end that is not an answer."""
    answers = {"owed": "no", "steps": "left"}
    for ended in ("failed", "interrupted"):
        fired = TABLES["turn"].fire(
            "drain", "entered", tuple(sorted({"ended": ended, **answers}.items()))
        )
        assert fired.sends == ("session.dropped",)


def test_a_table_cannot_be_changed() -> None:
    table = TABLES["turn"]
    with pytest.raises(AttributeError):
        table.initial = "call"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        table.rows[0].to = "answered"  # type: ignore[misc]
