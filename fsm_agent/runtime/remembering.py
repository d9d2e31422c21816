"""Memory files: read where an epoch starts, watched in between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fsm_agent.context.memory import shown
from fsm_agent.events.inputs import Seen
from fsm_agent.runtime.naming import readable
from fsm_agent.tools.cleaning import clean_text
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.remembering import look

MEMORY = "memory.md"
"""Name of the person's memory, in their configuration, and of a project's, beside its sessions."""


def located(directory: Path) -> str:
    """The memory file of this directory, links followed; a loop of links is left as it is."""
    return os.path.realpath(directory / MEMORY)


class MemoryFiles:
    """The memory files of a workplace, as the model was last told of them.

    Attributes:
        told: Path → first bytes, None where there was no file; Remember goes by it.
    """

    def __init__(self, place: Workplace) -> None:
        self._paths = [path for path in (place.user_memory, place.project_memory) if path]
        self.told: dict[str, bytes | None] = {path: look(path) for path in self._paths}
        self._stamps = {path: _stamp(path) for path in self._paths}

    def read(self) -> tuple[tuple[str, str], ...]:
        """Path and text of each file that says something, as last looked at."""
        texts = ((readable(path), _text(raw)) for path, raw in self.told.items() if raw)
        return tuple((path, text) for path, text in texts if text)

    def changes(self) -> Iterator[Seen]:
        """An input for each file that says something else than at the last look."""
        for path in self._paths:
            if (stamp := _stamp(path)) == self._stamps[path]:
                continue
            self._stamps[path] = stamp
            before, self.told[path] = self.told[path], look(path)
            now = self.told[path]
            if _text(now or b"") != _text(before or b""):
                text = None if now is None else _text(now)
                yield Seen(what="memory", path=readable(path), text=text)


def _text(raw: bytes) -> str:
    return clean_text(shown(raw))


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - paths are texts here
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
