"""The terminal's title, its progress and its bell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsm_agent.interfaces.configuring import ENVIRONMENT, bell
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.status import Standing

KEEP, PUT_BACK = "\x1b[22;0t", "\x1b[23;0t"
"""The terminal keeps its title on a stack, and takes it from there again."""
BUSY, DONE = "\x1b]9;4;3\x07", "\x1b]9;4;0\x07"
BELL = "\a"
UNTITLED = frozenset({"", "dumb", "linux", "eterm-color"})
"""Terminals (TERM) that would show a title as text."""
PROGRESS = frozenset({"ghostty", "WezTerm", "iTerm.app"})
"""Programs (TERM_PROGRAM) that show progress; others would show a notification."""


class Titles:
    """Tells the terminal what is going on, and takes all of it back.

    Args:
        write: Sends to the terminal.
        environment: Says which terminal it is, and when the bell rings.

    Raises:
        UsageError: If the latter is no number.
    """

    def __init__(
        self, write: Callable[[str], None], environment: Mapping[str, str] = ENVIRONMENT
    ) -> None:
        self._write = write
        self._titled = environment.get("TERM", "") not in UNTITLED
        self._progress = (
            environment.get("TERM_PROGRAM") in PROGRESS
            or "WT_SESSION" in environment
            or environment.get("ConEmuANSI") == "ON"
        )
        self._bell_s = bell(environment)
        self._shown = ""
        self._busy = False

    def begin(self) -> None:
        """Keep what the terminal has."""
        if self._titled:
            self._write(KEEP)

    def show(self, standing: Standing, *, busy: bool) -> None:
        """Show where the session stands, if that has changed."""
        text = title(standing, busy=busy)
        if self._titled and text != self._shown:
            self._shown = text
            self._write(f"\x1b]0;{text}\x07")
        if self._progress and busy != self._busy:
            self._write(BUSY if busy else DONE)
        self._busy = busy

    def ended(self, seconds: float) -> None:
        """A turn of so many seconds is over."""
        if self._bell_s is not None and seconds >= self._bell_s:
            self._write(BELL)

    def asked(self) -> None:
        """A question waits for its answer."""
        if self._bell_s is not None:
            self._write(BELL)

    def end(self) -> None:
        """Put back what the terminal had; one without a stack is left without a title."""
        if self._progress and self._busy:
            self._write(DONE)
        if self._titled:
            self._write(f"\x1b]0;\x07{PUT_BACK}")
        self._shown, self._busy = "", False


def title(standing: Standing, *, busy: bool) -> str:
    """`⏳ model T:turns R:requests I:input(share cached) O:output C:context`."""
    used = standing.usage
    counts = f"T:{standing.turn:,} R:{standing.requests:,}"
    tokens = f"I:{used.input + used.cache_read:,}({standing.cached}) O:{used.output:,}"
    text = f"{escape_line(standing.model)} {counts} {tokens} C:{standing.context:,}"
    return f"⏳ {text}" if busy else text
