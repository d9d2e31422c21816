"""However the program ends, the terminal is as it was."""

from __future__ import annotations

import re
import signal
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LAST = {
    "bracketed paste": (rb"\x1b\[\?2004([hl])", b"l"),
    "the cursor": (rb"\x1b\[\?25([hl])", b"h"),
    "wrapping": (rb"\x1b\[\?7([hl])", b"h"),
    "cursor keys": (rb"\x1b\[\?1([hl])", b"l"),
    "the mouse": (rb"\x1b\[\?100\d([hl])", b"l"),
    "another screen": (rb"\x1b\[\?1049([hl])", b"l"),
    "the title": (rb"\x1b\[(2[23]);0t", b"23"),
    "progress": (rb"\x1b\]9;4;(\d)\x07", b"0"),
}
"""What may be switched, and how it stands at the end."""
ENDS = {"TERM": 143, "HUP": 129, "INT": 130}
MOMENTS = {
    "rest": ("text: never", "/help"),
    "stream": ("text: It begins\nhang", "It begins"),
    "question": ('call: Bash {"command": "ls"}', "[y]es"),
}

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def begun(sits_down: Sits, moment: str) -> Any:
    script, seen = MOMENTS[moment]
    person = sits_down(script)
    person.asks("" if moment == "rest" else "one")
    person.sees(seen)
    return person


def left_switched(written: bytearray) -> list[str]:
    """What does not stand as it stood before the program, if it was ever switched."""
    stands = {what: re.findall(pattern, written) for what, (pattern, _) in LAST.items()}
    return [what for what, (_, last) in LAST.items() if stands[what] and stands[what][-1] != last]


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_leaves_the_terminal_as_it_was(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch, moment: str, name: str
) -> None:
    monkeypatch.setenv("TERM_PROGRAM", "ghostty")
    person = begun(sits_down, moment)
    number = getattr(signal, f"SIG{name}")
    person.child.kill(number)
    if name == "INT":  # one does not end it; two at once may arrive as one
        person.reads(0.05)
        person.child.kill(number)

    assert person.leaves() == ENDS[name]
    assert left_switched(person.written) == []
    assert termios.tcgetattr(person.child.child_fd) == person.modes
    assert [end["code"] for end in person.log("session_end")] == [ENDS[name]]


def test_after_a_kill_the_session_is_taken_up(sits_down: Sits) -> None:
    person = begun(sits_down, "stream")
    person.child.kill(signal.SIGKILL)
    assert person.leaves() == -signal.SIGKILL

    person = sits_down("text: Anew.", "-c")
    person.sees("Enter goes on with the turn that was cut short")
    person.types("\r")
    person.sees("Anew.")


def test_a_terminal_that_is_closed_ends_it_whatever_is_being_shown(
    sits_down: Sits, home: Path
) -> None:
    streaming = "text:\n    a paragraph\n\ndelay: 0.004\n"
    for step in range(4):
        person = sits_down(streaming * 400)
        person.asks("one")
        person.reads(0.1 + step * 0.05)
        person.child.ptyproc.fileobj.close()
        person.child.wait()

        assert person.child.ptyproc.exitstatus == ENDS["HUP"]
    for log in home.glob("projects/*/*/events.jsonl"):
        assert b'"session_end"' in log.read_bytes()
