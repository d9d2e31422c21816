"""What is told of a program that died, by what was under way."""

from __future__ import annotations

import pytest

from fsm_agent.interfaces.painting.crashes import cut_short
from fsm_agent.interfaces.painting.items import Act, Call, Status


def act(subject: str, doing: str = "running") -> Act:
    return Act(Call("Bash", subject), doing, "")


def test_a_command_that_ran_may_have_run_and_one_that_was_asked_about_has_not() -> None:
    status = Status(doing="running", acts=(act("make"), act("rm a\x1b[2J", "asking")))

    assert list(cut_short(status)) == [
        "Bash(make) may have run",
        r"Bash(rm a\x1b[2J) was not answered yes or no: it has not run",
    ]


def test_of_many_calls_the_first_are_named() -> None:
    status = Status(doing="running", acts=tuple(act(str(number)) for number in range(20)))

    told = list(cut_short(status))

    assert told[0] == "Bash(0) may have run"
    assert told[3:] == ["17 more calls were under way"]


@pytest.mark.parametrize(
    ("doing", "word"),
    [
        ("waiting", "not answered yet"),
        ("answering", "not kept"),
        ("pausing", "tried again"),
        ("summing", "nothing was cut"),
    ],
)
def test_a_request_that_was_under_way_is_told(doing: str, word: str) -> None:
    (told,) = cut_short(Status(doing=doing))  # type: ignore[arg-type] # one of its words

    assert word in told


def test_nothing_is_told_where_nothing_was_under_way() -> None:
    assert list(cut_short(Status())) == []
