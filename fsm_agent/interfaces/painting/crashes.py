"""What a crash cut short, in words."""

from __future__ import annotations

from collections.abc import Iterator

from fsm_agent.interfaces.painting.excerpts import named
from fsm_agent.interfaces.painting.items import Act, Status

NAMED = 3
"""Calls that are named."""
_DOING = {
    "waiting": "the model had not answered yet",
    "answering": "an answer was arriving; what had come of it is not kept",
    "pausing": "a request was waiting to be tried again",
    "summing": "a summary was being written; nothing was cut",
}


def cut_short(status: Status) -> Iterator[str]:
    """What was under way when the program died, and what may be so now; at most four lines."""
    for act in status.acts[:NAMED]:
        yield _told(act)
    if (more := len(status.acts) - NAMED) > 0:
        yield f"{more} more call{'s were' if more > 1 else ' was'} under way"
    if not status.acts and status.doing in _DOING:
        yield _DOING[status.doing]


def _told(act: Act) -> str:
    if act.doing == "asking":
        return f"{named(act.call)} was not answered yes or no: it has not run"
    return f"{named(act.call)} may have run"
