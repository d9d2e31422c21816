"""What is under way, told in lines as it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.painting.excerpts import named
from fsm_agent.interfaces.painting.items import Status
from fsm_agent.interfaces.terminal.live import SHOWN, WORDS, waiting

SOON_S = 0.3
"""Seconds: what is over sooner is not told."""
STILL_S = 10.0
"""Seconds without a line after which it is told that the same goes on."""


class Announcer:
    """Says each thing once: what has begun and lasts, that it goes on, which lines wait."""

    def __init__(self) -> None:
        self._doing = ""
        self._since = self._quiet = 0.0
        self._told = True
        self._waiting: Counter[str] = Counter()

    def news(self, status: Status, held: Sequence[str], *, busy: bool, now: float) -> Iterator[str]:
        """What there is to say now.

        Args:
            status: What is under way.
            held: Lines that wait here, and are not in the log yet.
            busy: Whether anything is, be it no turn.
            now: Seconds of any clock that never goes back.
        """
        lines = Counter(waiting(status, held))
        yield from (lines - self._waiting).elements()
        self._waiting = lines
        doing = told(status, busy=busy)
        if doing != self._doing:
            self._doing, self._since, self._quiet = doing, now, now
            self._told = not doing or doing == WORDS["pausing"]  # a pause has its own line
        if not self._told and now - self._since >= SOON_S:
            self._told = True
            yield doing
        elif doing and now - self._quiet >= STILL_S:
            self._quiet = now
            yield f"still {doing}, {duration(now - self._since)}"

    def heard(self, now: float) -> None:
        """Something else was said."""
        if self._told:
            self._quiet = now


def told(status: Status, *, busy: bool) -> str:
    """What is under way, in a few words; empty at rest, and while a question stands."""
    acts = [act for act in status.acts if act.doing != "asking"]
    if acts:
        word = "stopping" if all(act.doing == "stopping" for act in acts) else "working"
        more = f" and {len(acts) - SHOWN} more" if len(acts) > SHOWN else ""
        return f"{word}: {', '.join(named(act.call) for act in acts[:SHOWN])}{more}"
    if status.acts or not busy:
        return ""
    if status.doing == "idle":
        return "working"
    return WORDS["waiting" if status.doing == "answering" else status.doing]
