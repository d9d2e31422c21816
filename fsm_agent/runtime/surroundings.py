"""What the prompt says of machine and project; watched files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from fsm_agent.context.languages import locale
from fsm_agent.context.prompt import Surroundings
from fsm_agent.events.inputs import Seen
from fsm_agent.runtime.instructions import Instructions, Places, gather
from fsm_agent.runtime.naming import readable
from fsm_agent.runtime.remembering import MemoryFiles


def language(environment: Mapping[str, str]) -> str:
    """The locale's language: `LC_ALL`, `LC_MESSAGES`, `LANG`, else `en_US`."""
    given = (environment.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, map(locale, given)), "en_US")


def read_surroundings(
    cwd: Path,
    environment: Mapping[str, str],
    instructions: Iterable[Instructions],
    output_language: str = "",
) -> Surroundings:
    """Look at machine and project, as an epoch starts; `output_language` overrides the locale."""
    return Surroundings(
        language=output_language or language(environment),
        cwd=readable(str(cwd)),
        home=readable(environment.get("HOME", "~")),
        platform=os.uname().sysname,
        shell=readable(Path(environment.get("SHELL", "sh")).name),
        instructions=tuple((readable(str(one.path)), one.text) for one in instructions),
    )


class Watch:
    """Instruction files and memory as last known.

    It says what differs just before a line or a tool's end.
    """

    def __init__(self, places: Places, memory: MemoryFiles | None = None) -> None:
        self._places, self._memory = places, memory
        self._known = self._read()

    def changes(self) -> list[Seen]:
        """An input for each file that is not what it was, or no longer the one that counts."""
        before, self._known = self._known, self._read()
        found = [
            Seen(what="instructions", path=path, text=self._known.get(path))
            for path in {**self._known, **before}
            if self._known.get(path) != before.get(path)
        ]
        return [*found, *(self._memory.changes() if self._memory else ())]

    def _read(self) -> dict[str, str]:
        return {readable(str(one.path)): one.text for one in gather(self._places) if not one.fault}
