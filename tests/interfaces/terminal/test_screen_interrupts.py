"""Ctrl-C at any moment closes the turn and gives the prompt back."""

from __future__ import annotations

import random
import signal
import termios
import time
from collections.abc import Callable
from typing import Any

import pytest

CTRL_C, CTRL_D = "\x03", "\x04"
PRESSES = 10
LATEST_S = 0.6
"""Seconds after Enter within which Ctrl-C is pressed."""
ITEMS = [
    "thinking: Let me see.",
    "text:\n    A paragraph.\n\n    ```\n    and code",
    "text: more and more",
    "delay: 0.1",
    "delay: 0.2",
]
STEPS = [
    'call: Bash {"command": "sleep 0.2; echo done"}',
    'call: Write {"path": "a.txt", "content": "one\\n"}',
    "error: 503 retry-after=0.3 busy\ntext: at last",
    "text: All of it.",
    "hang",
]
ENDED = {"answered", "interrupted"}

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def steps(dice: random.Random) -> str:
    """More steps than are asked for, each unlike the others."""
    made = []
    for last in dice.choices(STEPS, k=4 * PRESSES):
        refused = last.startswith("error")
        made.append("\n".join([*([] if refused else dice.choices(ITEMS, k=4)), last]))
    return "\n---\n".join(made)


@pytest.mark.parametrize("seed", range(5))
def test_at_random_moments(sits_down: Sits, seed: int) -> None:
    dice = random.Random(seed)
    person = sits_down(steps(dice), *(["--auto-approve"] if seed % 2 else []))
    person.asks("")
    for n in range(1, PRESSES + 1):
        person.types("go on\r")
        person.reads(dice.uniform(0, LATEST_S))
        person.types(CTRL_C)
        person.until(lambda n=n: len(person.ends()) == n, 5)
        person.types(f"{n} clears{CTRL_C}")  # an empty line at rest: the next press is a first one

    person.until(lambda: f"{PRESSES} clears" not in person.text())
    person.types("/usage\r")
    person.sees("context now")
    person.types(CTRL_D)
    assert person.leaves() == 0
    assert set(person.ends()) <= ENDED
    assert "interrupted" in person.ends()
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def press(person: Any, how: str) -> None:
    if how == "key":
        person.types(CTRL_C)
    else:
        person.child.kill(signal.SIGINT)


@pytest.mark.parametrize("how", ["key", "signal"])
def test_a_press_clears_a_line_and_two_at_an_empty_prompt_leave(sits_down: Sits, how: str) -> None:
    person = sits_down("text: never")
    person.asks("")
    person.types("half a line")
    person.sees("half a line")
    press(person, how)
    person.until(lambda: "half a line" not in person.text())
    press(person, how)
    person.sees("Ctrl-C again leaves")
    person.until(lambda: "again leaves" not in person.text())
    press(person, how)
    person.sees("Ctrl-C again leaves")
    press(person, how)

    assert person.leaves() == 130


@pytest.mark.parametrize("how", ["key", "signal"])
def test_a_press_stops_a_summary(sits_down: Sits, how: str) -> None:
    person = sits_down("text: One.\n---\ntext: Two.\n--- summary\ndelay: 60\ntext: never")
    for line in ("one", "two"):
        person.types(f"{line}\r")
        person.until(lambda line=line: f"{line.title()}.\n· " in person.text())
    person.types("/compact\r")
    person.sees("summing up the conversation")
    press(person, how)

    person.until(lambda: "summing up" not in person.text(), 2)
    person.types("/usage\r")
    person.sees("context now")


def test_a_press_while_it_starts_leaves_a_whole_log_or_none(sits_down: Sits) -> None:
    for step in range(6):
        person = sits_down("text: All is well.")
        person.reads(0.05 + step * 0.12)  # before that, the interpreter itself starts
        person.types(f"{CTRL_C}hello\r")
        person.until(lambda p=person: "All is well." in p.text() or not p.child.isalive())
        person.types(CTRL_D)
        if person.leaves() == 0:
            assert person.newest_log("session_end")
        else:
            assert not [
                log
                for log in person.home.glob("projects/*/*/events.jsonl")
                if b'"session_end"' not in log.read_bytes()
            ]


@pytest.mark.parametrize("how", ["key", "signal"])
def test_presses_while_it_ends_change_nothing(sits_down: Sits, how: str) -> None:
    deaf = "trap '' TERM; while :; do sleep 1; done"
    person = sits_down(f'call: Bash {{"command": "{deaf}"}}', "--auto-approve")
    person.asks("one")
    person.sees("[tool] Bash(trap")
    time.sleep(0.2)
    person.types(CTRL_D)
    for _ in range(3):
        person.reads(0.1)
        press(person, how)

    assert person.leaves() in (0, 130)
    assert len(person.log("session_end")) == 1
    assert termios.tcgetattr(person.child.child_fd) == person.modes
