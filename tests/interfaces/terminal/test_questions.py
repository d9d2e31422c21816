"""Only a plain yes is a yes."""

from __future__ import annotations

import pytest

from fsm_agent.interfaces.terminal.questions import no_answer, parse


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", ("yes", "")),
        (" Yes ", ("yes", "")),
        ("n", ("no", "")),
        ("no use b.txt", ("no", "use b.txt")),
        ("c", ("command", "")),
        ("e", ("edits", "")),
        ("", None),
        ("yes but", None),
        ("yep", None),
        ("nope", None),
    ],
)
def test_only_a_plain_yes_is_a_yes(line: str, answer: tuple[str, str] | None) -> None:
    assert parse(line) == answer


def test_what_is_no_answer_is_told_which_there_are() -> None:
    assert no_answer(["yes", "no"]) == "that is no answer: y, n, n and why"
    assert no_answer(["yes", "no", "edits"]) == "that is no answer: y, n, n and why, e"
