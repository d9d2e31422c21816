"""Sessions, a line each: name, last change, what was asked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from fsm_agent.events.inputs import UserInput
from fsm_agent.interfaces.painting.escaping import escape_line, shorten
from fsm_agent.log.listing import Listing, head
from fsm_agent.runtime.places import LOG

PREVIEW = 60
"""Characters of a session's first line that a list shows."""


def listed(found: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Each session's directory, and its line in the list; nothing of it steers a terminal."""
    for directory in found:
        log = directory / LOG
        try:
            changed = time.localtime(log.stat().st_mtime)
            said = f"{time.strftime('%Y-%m-%d %H:%M', changed)}  {_preview(log)}"
        except OSError as error:
            said = f"(cannot be read: {error.strerror})"
        yield directory, f"{escape_line(directory.name)}  {said}"


def _preview(log: Path) -> str:
    for _, line in Listing(log):
        if isinstance(line.event, UserInput):
            return shorten(escape_line(line.event.text), PREVIEW)
    return "(nothing was asked)" if head(log) else "(empty)"
