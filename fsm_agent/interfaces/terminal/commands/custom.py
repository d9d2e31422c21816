"""Commands of one's own: a prompt file is handed in as a line."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import Path

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.runtime.instructions import Places
from fsm_agent.runtime.naming import readable
from fsm_agent.runtime.promptfiles import Asked, Found, PromptFile, filled, find, read_prompt

FAULTS = 5
"""Files that cannot be used, as far as they are named."""
_LINE = r"\s*/([\w:-]+)(?:\s+(.*))?"


class CustomCommands:
    """The prompt files that can be asked for at the prompt.

    Attributes:
        told: What each says of itself, by its name; kept up to date in place.
    """

    def __init__(self, places: Places | None, taken: Container[str]) -> None:
        """Look at `places`, if there are any; none of the files gets one of the names `taken`."""
        self._places, self._taken = places, taken
        self._found = Found({}, [])
        self._used: set[Path] = set()
        self.told: dict[str, str] = {}
        self.reload()

    def reload(self) -> None:
        """Look again which there are."""
        if self._places:
            self._found = find(self._places, self._taken)
        self.told.clear()
        for name, file in sorted(self._found.files.items()):
            self.told[name] = " ".join(filter(None, (file.hint, file.description, _whose(file))))

    @property
    def faults(self) -> list[str]:
        """Why files are passed over; of many the first."""
        faults = self._found.faults
        more = len(faults) - FAULTS
        return [*faults[:FAULTS], *([f"… and {more} more prompt files"] if more > 0 else [])]

    def asks(self, line: str) -> bool:
        """Whether a line asks for one of the files."""
        found = re.fullmatch(_LINE, line, re.DOTALL)
        return bool(found and found[1] in self._found.files)

    def asked(self, line: str) -> Asked:
        """What a line asks for; the file is read now.

        Raises:
            UsageError: If it can no longer be read.
        """
        found = re.fullmatch(_LINE, line, re.DOTALL)
        file = self._found.files.get(found[1]) if found else None
        if not found or not file:
            return Asked(literal(line))
        try:
            text = filled(read_prompt(file.path).text, (found[2] or "").rstrip())
        except UsageError as error:
            raise UsageError(f"{readable(str(file.path))} {error}") from None
        news = () if file.path in self._used or not file.root else (f"/{file.name} is {_at(file)}",)
        self._used.add(file.path)
        return Asked(text, file.root, news)

    def explained(self, name: str) -> Iterator[Text]:
        """What there is to know of one of them; nothing if there is none of that name."""
        if file := self._found.files.get(name):
            yield Text(f"  {escape_line(f'/{file.name} {file.hint}')}", "person")
            yield Text(f"  {escape_line(file.description)}")
            yield Text(f"  It is {escape_line(_at(file))}.", "quiet")
            yield Text("  Its text is handed in as a line: while a turn runs, it waits.", "quiet")


def literal(line: str) -> str:
    """What the line says: `//name` is `/name`, and no command."""
    return line[1:] if re.match(r"//[^\s/]+(\s|$)", line) else line


def _whose(file: PromptFile) -> str:
    return "(project)" if file.root else "(yours)"


def _at(file: PromptFile) -> str:
    if file.root:
        return f"the project's: {readable(str(file.path.relative_to(file.root)))}"
    return f"yours: {readable(str(file.path))}"
