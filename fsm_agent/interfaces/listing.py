"""Sessions as lists show them: what the two ends of their logs say."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from fsm_agent.events.inputs import SessionFork, SessionStart, Text, UserInput
from fsm_agent.interfaces.painting.escaping import escape_line, shorten
from fsm_agent.log.listing import Listing, tail
from fsm_agent.runtime.places import LOG

PREVIEW = 60
"""Characters of a session's first line that a list shows."""
TOLD = 200
"""Characters of a line that are kept at a glance."""
BEGINNING, END = 200, 100
"""Lines of a log that are looked at: the first so many, and the last."""
_TURN = re.compile(r"(?:turn|tool)-(\d+)")


class Glance(msgspec.Struct, frozen=True):
    """What the two ends of a session's log show; nothing of it steers a terminal.

    Attributes:
        name: The session's id.
        changed: When something was logged last, in seconds since 1970; 0 if nobody may look.
        first: The first line that a person said, or why there is none.
        last: What was said last, by the person or the model; empty if that is the first line.
        turns: How many there were; 0 if the end does not show it.
        cwd: The directory it belongs to; empty if that is not known.
    """

    name: str
    changed: float = 0.0
    first: str = ""
    last: str = ""
    turns: int = 0
    cwd: str = ""


def glance(directory: Path) -> Glance:
    """Look at the ends of a session's log, whatever state it is in."""
    log, name = directory / LOG, escape_line(directory.name)
    try:
        changed = log.stat().st_mtime
        begin = [line.event for _, line in islice(Listing(log), BEGINNING)]
        end = tail(log, END)
    except OSError as error:
        return Glance(name, first=f"(cannot be read: {error.strerror})")
    starts = (event.cwd for event in begin if isinstance(event, SessionStart))
    asked = (event.text for event in begin if isinstance(event, UserInput))
    first = next(asked, None)
    last, turns = "", 0
    for line in end:
        if isinstance(line.event, UserInput | Text) and line.event.text.strip():
            last = line.event.text
        if moved := _TURN.match(getattr(line.event, "instance", None) or ""):
            turns = int(moved[1])
    forks = (f"(fork of {event.source})" for event in begin if isinstance(event, SessionFork))
    nothing = next(forks, "(nothing was asked)") if begin else "(empty)"
    return Glance(
        name,
        changed,
        first=_told(nothing if first is None else first),
        last="" if last == first else _told(last),
        turns=turns,
        cwd=escape_line(next(starts, "")),
    )


def listed(found: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Each session's directory, and its line in the list; nothing of it steers a terminal."""
    for directory in found:
        seen = glance(directory)
        said = shorten(seen.first, PREVIEW)
        if seen.changed:
            said = f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(seen.changed))}  {said}"
        yield directory, f"{seen.name}  {said}"


def _told(text: str) -> str:
    return shorten(escape_line(text[: 2 * TOLD]), TOLD)
