"""Scenes at a terminal: what the model says, what the person does."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.interfaces.terminal.sitting import Person

CODE = '''\
"""Prices with a discount."""


def price(cents: int, percent: int) -> int:
    """The price in cents after `percent` off, rounded down."""
    return cents - cents * percent // 10
'''
TEST = """\
import unittest

from prices import price


class Prices(unittest.TestCase):
    def test_a_quarter_off(self) -> None:
        self.assertEqual(price(1000, 25), 750)
"""
REPAIR = """\
--- look
thinking: 1000 less a quarter should be 750, and -1500 came out: the divisor is wrong.
text: The discount is too large. Let me read the code first.
call: Read {"path": "prices.py"}
usage: 220 61 1450

--- mend
text: A percentage is divided by 10 where it should be 100.
call: Edit {"path": "prices.py", "old_string": "percent // 10", "new_string": "percent // 100"}
usage: 180 72 1670

--- test
call: Bash {"command": "python3 -m unittest -q"}
usage: 190 31 1850

--- answer
text:
    The test passes. `price` divided the percentage by 10, so 25 % off took away **250 %**:

    ```python
    return cents - cents * percent // 100
    ```
usage: 210 48 2040
"""
RUNNING = """\
text: I'll run the tests.
call: Bash {"command": "python3 -m unittest -q; sleep 60"}
usage: 220 61 1450
"""
ASKED = "fix the failing test in @prices.py"

Sits = Callable[..., Person]
"""Starts the program with a script for its model, and options."""


class Scene(NamedTuple):
    """A picture: its name and title, what is seen in it, and how it comes about."""

    name: str
    title: str
    seen: str
    play: Callable[[Sits], Person]


def lay_out(workspace: Path) -> None:
    """A project with a fault."""
    (workspace / "prices.py").write_text(CODE)
    (workspace / "test_prices.py").write_text(TEST)


def _asked(sits: Sits) -> Person:
    person = sits(REPAIR, "--price", "3,15", "--context-window", "200000")
    person.asks(ASKED)
    person.sees("[y/n/e]?")
    return person


def _answered(sits: Sits) -> Person:
    person = _asked(sits)
    person.types("y\r")
    person.sees("[y/n/c]?")
    person.types("y\r")
    person.sees(" tokens in, ")
    return person


def _queued(sits: Sits) -> Person:
    person = sits(RUNNING, "--permission", "allow")
    person.asks("run the tests")
    person.sees("[tool] Bash")
    person.types("then tidy up the imports\r")
    person.sees("queued: then tidy up")
    person.types("/co")
    person.sees("/continue")
    return person


def _resumed(sits: Sits) -> Person:
    person = sits(RUNNING, "--permission", "allow")
    person.asks("run the tests")
    person.sees("[tool] Bash")
    os.kill(person.child.pid, signal.SIGKILL)
    person = sits(REPAIR, "-c")
    person.sees("Enter goes on")
    return person


def _picked(sits: Sits) -> Person:
    for line in ("fix the failing test", "why is price() an int?", "write a changelog entry"):
        person = sits("text: Done.\nusage: 800 40\n")
        person.asks(line)
        person.sees(" tokens in, ")
        person.types("\x04")
        person.leaves()
    person = sits("text: Done.\n", "--resume")
    person.sees("why is price() an int?")
    return person


def _undone(sits: Sits) -> Person:
    person = _answered(sits)
    person.types("/undo\r")
    person.sees("was taken back")
    person.sees("restored")
    return person


SCENES = (
    Scene("question", "A change is asked about", "[y]es · [n]o and why", _asked),
    Scene("turn", "A turn", "The test passes.", _answered),
    Scene(
        "queued",
        "A line waits, a command is completed",
        "queued: then tidy up the imports",
        _queued,
    ),
    Scene("resumed", "Taken up again after kill -9", "may have run", _resumed),
    Scene("sessions", "Sessions are picked from", "why is price() an int?", _picked),
    Scene(
        "undone", "A turn is taken back", "what commands did stays: python3 -m unittest -q", _undone
    ),
)
"""All of them, in the order in which they are taken."""
