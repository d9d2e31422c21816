"""A fork begins at rest, and two runs are compared by what they did."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.errors import UsageError
from fsm_agent.log.reading import read
from fsm_agent.runtime.forking import first_difference, starting_point

LOGS = Path(__file__).parents[1] / "replays" / "1" / "good"


def begin(log: str, seq: int) -> tuple[list[type], str | None, tuple[str, ...]]:
    point = starting_point(read(LOGS / f"{log}.jsonl"), str, seq)
    line = point.line.text if point.line else None
    return [type(m) for m in point.left.messages], line, point.moves


def test_in_the_first_turn_it_begins_before_everything() -> None:
    messages, line, moves = begin("one-tool", 20)

    assert (messages, line) == ([], "go")
    assert moves == ('call Read {"path":"a.py"}', "result of Read 'done'", "text 'Done.'")


@pytest.mark.parametrize("seq", [0, 3, 4])
def test_before_the_first_line_it_is_the_same(seq: int) -> None:
    assert begin("one-tool", seq) == begin("one-tool", 20)


def test_behind_the_end_there_is_no_line() -> None:
    with pytest.raises(UsageError, match="there is no line 10000; the last is"):
        begin("one-tool", 10_000)


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        (["a", "b"], ["a", "b"], ""),
        (["a", "b"], ["a", "c"], "c"),
        (["a"], ["a", "b"], "b"),
        (["a", "b"], ["a"], "(ended earlier)"),
        ([], [], ""),
    ],
)
def test_the_first_difference(one: list[str], other: list[str], differs: str) -> None:
    assert first_difference(one, other) == differs
