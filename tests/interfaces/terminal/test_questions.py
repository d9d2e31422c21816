"""Only a plain yes is a yes."""

from __future__ import annotations

import pytest

from fsm_agent.interfaces.terminal.questions import parse


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
