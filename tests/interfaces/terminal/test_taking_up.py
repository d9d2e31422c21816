"""A session that was killed is taken up: what was cut, what waits."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

SLEEP = 'text: Running now.\ncall: Bash {"command": "sleep 60"}\n'
WRITE = 'call: Write {"path": "a.txt", "content": "one"}\n'
HANGING = "text: It begins\nhang\n"
REFUSED = "error: 429 retry-after=60 busy\n"
NEXT = "---\ntext: Went on.\n"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""

MOMENTS = {
    "a tool ran": (SLEEP, "sleep 60)", "Bash(sleep 60) may have run"),
    "an answer arrived": (HANGING, "It begins", "what had come of it is not kept"),
    "a question stood": (WRITE, "[y/n", "Write(a.txt) was not answered yes or no: it has not run"),
    "a pause lasted": (REFUSED, "trying again", "a request was waiting to be tried again"),
}


def killed(sits_down: Sits, script: str, seen: str, *options: str, queued: str = "") -> Any:
    """The session of somebody whose program was killed, taken up again."""
    person = sits_down(script + NEXT, *options)
    person.asks("one")
    person.sees(seen)
    if queued:
        person.types(f"{queued}\r")
        person.sees(f"queued: {queued}")
    person.child.kill(signal.SIGKILL)
    assert person.leaves() == -signal.SIGKILL
    return sits_down(script + NEXT, *options, "-c")


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_was_under_way_is_told_and_enter_goes_on(sits_down: Sits, moment: str) -> None:
    script, seen, told = MOMENTS[moment]
    options = ["--auto-approve"] if script == SLEEP else []
    person = killed(sits_down, script, seen, *options)
    person.sees(told)
    person.sees("Enter goes on with the turn that was cut short")
    shown = person.text()
    news = shown[shown.index("the session was taken up again") :]
    assert len([line for line in news.splitlines() if line.startswith("·")]) <= 5
    person.types("\r")
    person.until(lambda: person.log("continue") != [])


def test_lines_that_waited_are_back_and_it_is_said_how_to_go_on(sits_down: Sits) -> None:
    person = killed(sits_down, HANGING, "It begins", queued="and two")
    person.sees("the waiting line is back at the prompt")
    person.sees("/continue goes on with the turn that was cut short")
    person.until(lambda: person.text().rstrip().endswith("> and two"))
    person.types("\r")
    person.until(lambda: len(person.log("user_line")) == 2)
