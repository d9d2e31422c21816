"""`/thinking`: how reasoning is shown, live and painted again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LONG = "\n    First I look.\n    Then I think."
SCRIPT = "\n---\n".join(f"thinking:{LONG}\ntext: Answer {n}." for n in (1, 2, 3))

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def asks(person: Any, line: str, seen: str) -> None:
    person.asks(line)
    person.sees(seen)


def test_reasoning_is_shown_as_is_said_and_replay_paints_the_same(
    sits_down: Sits, workspace: Path
) -> None:
    person = sits_down(SCRIPT)
    asks(person, "one", "Answer 1.")
    assert "First I look. · 27 characters" in person.text()
    asks(person, "/thinking show", "· reasoning is now whole")
    asks(person, "two", "Answer 2.")
    assert "First I look.\nThen I think.\n\nAnswer 2." in person.text()
    asks(person, "/thinking off", "· reasoning is now hidden")
    asks(person, "three", "Answer 3.")
    asks(person, "/thinking", "  reasoning is hidden")
    asks(person, "/thinking loud", "/thinking: it takes folded, whole, hidden, not 'loud'")
    person.types("/quit\r")
    person.leaves()

    assert person.text().count("First I look.") == 2
    painted = subprocess.run(
        [sys.executable, "-m", "fsm_agent", "replay"],
        cwd=workspace,
        env={**os.environ, "FSM_AGENT_HOME": str(person.home)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert painted.count("First I look.") == 2
    assert "First I look.\nThen I think.\n\nAnswer 2." in painted


def test_it_holds_when_the_session_is_taken_up_and_the_log_has_all_of_it(sits_down: Sits) -> None:
    person = sits_down(SCRIPT)
    asks(person, "/thinking hide", "· reasoning is now hidden")
    person.types("/quit\r")
    person.leaves()
    again = sits_down(SCRIPT, "-c")
    asks(again, "one", "Answer 1.")
    assert "First I look." not in again.text()
    again.until(lambda: again.ends() == ["answered"])
    assert [line["text"] for line in again.log("thinking")] == ["First I look.\nThen I think."]
    asks(again, "/show thought", "First I look.\nThen I think.")


def test_a_variable_says_it_from_the_start(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSM_AGENT_THINKING", "whole")
    person = sits_down(SCRIPT)
    asks(person, "one", "First I look.\nThen I think.\n\nAnswer 1.")
    person.types("/quit\r")
    person.leaves()
    again = sits_down(SCRIPT, "-c")
    asks(again, "two", "Answer 2.")

    assert [line["arguments"] for line in again.log("command")] == [{"shown": "whole"}]


def test_a_variable_that_is_none_of_them_is_an_error(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSM_AGENT_THINKING", "loud")
    person = sits_down(SCRIPT)

    assert person.leaves() == 2
    assert "FSM_AGENT_THINKING: 'loud' is none of folded, whole, hidden" in person.text()
