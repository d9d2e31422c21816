"""A session is picked by its number, where no list can be drawn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from fsm_agent.interfaces.amounts import age
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.runtime.clock import SystemClock

GIVEN_UP = 130
"""The exit code where no session is picked."""
LISTED = 20
"""Sessions that are listed."""
SEARCHED_S = 5.0
"""Seconds for which a text is looked for."""
PROMPT = "number, or a text to look for (Enter gives up): "


def pick_plain(
    catalogue: Catalogue, read: Callable[[], str], say: Callable[[str], object]
) -> Path | None:
    """List the newest sessions, and read lines until one is a number; none if one is empty.

    A line that is no number is looked for in the sessions of all directories.
    """
    text = ""
    while True:
        found = list(islice(_found(catalogue, text), LISTED))
        for number, directory in enumerate(found, 1):
            seen = catalogue.glance(directory)
            when = age(SystemClock().unix() - seen.changed) if seen.changed else ""
            elsewhere = f" · {seen.cwd}" if seen.cwd != str(catalogue.cwd) else ""
            say(f"{number:>3}  {when:>12}  {seen.first}{elsewhere}\n")
        say(PROMPT if found else f"no session was found; {PROMPT}")
        text = read().strip()
        if not text:
            return None
        if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(found):
            return found[int(text[:4]) - 1]


def _found(catalogue: Catalogue, text: str) -> Iterator[Path]:
    """This directory's sessions, or those of all in which a text stands."""
    until = time.monotonic() + SEARCHED_S
    for directory, excerpt in catalogue.looked_into(text, everywhere=bool(text)):
        if excerpt is not None:
            yield directory
        if time.monotonic() > until:
            return
