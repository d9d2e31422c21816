"""`/show`: what was folded, in full, from the log."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.desk import Desk
from fsm_agent.interfaces.terminal.items import AnyItem, Thought, ToolEnded
from fsm_agent.interfaces.terminal.results import whole
from fsm_agent.interfaces.terminal.view import View
from fsm_agent.log.reading import read
from fsm_agent.runtime.places import LOG

THOUGHT = "thought"


def show(desk: Desk, word: str) -> None:
    """Show a result by the number of its line, the newest reasoning, or without a word the newest result.

    Raises:
        UsageError: If there is nothing of that kind.
    """
    if word and word != THOUGHT and not (word.isascii() and word.isdigit()):
        raise UsageError(f"it takes a number or {THOUGHT}, not '{word}'")
    found = None
    for item in _told(desk):
        if isinstance(item, Thought) if word == THOUGHT else _is_result(item, word):
            found = item
    if not isinstance(found, Thought | ToolEnded):
        raise UsageError(f"there is nothing to show{f' under {word}' if word else ''}")
    desk.print(Text(), *whole(found))


def _is_result(item: AnyItem, number: str) -> bool:
    return isinstance(item, ToolEnded) and (not number or item.of == int(number))


def _told(desk: Desk) -> Iterator[AnyItem]:
    view = View()
    for batch in read(desk.session.directory / LOG):
        for line in batch.lines:
            yield from view.take(line)
