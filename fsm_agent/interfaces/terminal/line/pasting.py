"""A large paste stands in the line as a placeholder until it is sent."""

from __future__ import annotations

import re

from fsm_agent.tools.cleaning import clean_text

LINES = 10
"""Lines of a paste that stand in the line as they are."""
CHARACTERS = 1000
"""Characters of a paste that do."""
PLACEHOLDER = r"\[Pasted text #([0-9]+), [0-9,]+ (?:lines|characters)\]"


class Pastes:
    """The large pastes of a session at the prompt, by their placeholders."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._sent: dict[str, str] = {}
        self._last = 0

    def shown(self, pasted: str) -> str:
        """What stands in the line for what was pasted; nothing in it is hidden or steers."""
        text = clean_text(pasted.replace("\r\n", "\n").replace("\r", "\n"))
        lines = text.removesuffix("\n").count("\n") + 1
        if lines <= LINES and len(text) <= CHARACTERS:
            return text
        self._last += 1
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        placeholder = f"[Pasted text #{self._last}, {size}]"
        self._texts[placeholder] = text
        return placeholder

    def expand(self, line: str) -> str:
        """The line with what was pasted in the place of its placeholders."""
        return re.sub(PLACEHOLDER, lambda found: self._texts.get(found[0], found[0]), line)

    def learn(self, text: str, sent: str | None) -> None:
        """Take in a line of the log: what was typed, and what was sent where that differs."""
        numbers = [int(number) for number in re.findall(PLACEHOLDER, text)]
        self._last = max([self._last, *numbers])
        if numbers and sent:
            self._sent[text] = sent

    def returned(self, text: str) -> str:
        """A line that comes back: of what another run of this session pasted, the whole."""
        known = all(found[0] in self._texts for found in re.finditer(PLACEHOLDER, text))
        return text if known else self._sent.get(text, text)
