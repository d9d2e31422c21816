"""The log of a running session: shown, decided again and judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.commands import recording
from fsm_agent.log.listing import tail

HANGING = "text: One.\n---\ntext: It begins\nhang\n"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_log_replay_and_audit_act_on_a_session_while_a_turn_runs(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("first \x1b\rline")
    person.sees("One.")
    person.types("second\r")
    person.sees("It begins")
    person.types("/log 3\r")
    person.sees("derived read_answer turn-2")
    person.types("/log path\r")
    person.sees("events.jsonl")
    person.types("/replay\r")
    person.sees("every derived line, seal and request digest is")
    person.types("/audit\r")
    person.sees("0 findings")

    assert "\n> second\n" in person.text()
    assert person.ends() == ["answered"]
    person.sees("answering")


def test_a_log_that_was_changed_under_a_session_is_found_out(sits_down: Sits) -> None:
    person = sits_down("text: One.\n---\ntext: Two.\n")
    person.asks("first")
    person.sees("One.")
    (log,) = person.home.glob("projects/*/*/events.jsonl")
    with log.open("r+b") as file:
        raw = file.read()
        file.seek(raw.index(b"One."))
        file.write(b"Won.")
    person.types("/replay\r")
    person.sees("events.jsonl:")
    person.types("/audit\r")
    person.sees("FSA")
    person.types("second\r")
    person.sees("Two.")


def test_the_last_lines_are_told_in_one_line_each_escaped() -> None:
    log = Path(__file__).parents[3] / "replays" / "1" / "good" / "one-tool.jsonl"

    told = [recording.line_told(line) for line in tail(log, 5)]

    assert len(told) == 5
    assert all("\n" not in text and "\x1b" not in text for text in told)


@pytest.mark.parametrize("word", ["0", "-1", "x", "1e3", "9" * 30])
def test_what_is_no_number_of_lines_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="number of lines"):
        recording.count_of(word)
