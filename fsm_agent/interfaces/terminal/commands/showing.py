"""`/show` and `/usage`: what was folded, in full, and what was used."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.amounts import cost
from fsm_agent.interfaces.painting.items import AnyItem, Thought, ToolEnded
from fsm_agent.interfaces.painting.results import whole
from fsm_agent.interfaces.painting.view import View
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.lifecycles.cuts import context_now
from fsm_agent.log.reading import read
from fsm_agent.runtime.places import LOG

THOUGHT = "thought"


def _show(desk: Desk, word: str) -> None:
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


def _usage(desk: Desk, _: str) -> None:
    """Say what was used, what it cost, and how full the context is."""
    world = desk.session.world
    used, window = world.usage, world.settings.economy.window
    rows = {
        "fresh input": used.input,
        "read from cache": used.cache_read,
        "written to cache": used.cache_write,
        "output": used.output,
        "requests": world.requests,
        "context now": context_now(world),
    }
    if window:
        rows["context window"] = window
    rows["context cuts"] = world.cutting.cuts
    desk.print(*(Text(f"  {name:16} {count:>12,}") for name, count in rows.items()))
    desk.print(Text(f"  {'cost':16} {cost(world.cost, world.unpriced):>12}"))


COMMANDS = (
    Command(
        "show",
        "N or thought: a result or the last reasoning in full; alone, the last result",
        _show,
    ),
    Command("usage", "tokens, cost and context so far", _usage),
)
