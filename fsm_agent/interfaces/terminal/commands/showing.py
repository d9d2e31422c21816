"""`/show`, `/thinking`, `/usage`: what was folded, reasoning, tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.amounts import cost
from fsm_agent.interfaces.painting.items import AnyItem, Thought, ToolEnded
from fsm_agent.interfaces.painting.results import whole
from fsm_agent.interfaces.painting.thoughts import LOOKS, Look, look
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
    for item in _told(desk, View()):
        if isinstance(item, Thought) if word == THOUGHT else _is_result(item, word):
            found = item
    if not isinstance(found, Thought | ToolEnded):
        raise UsageError(f"there is nothing to show{f' under {word}' if word else ''}")
    desk.print(Text(), *whole(found))


def _is_result(item: AnyItem, number: str) -> bool:
    return isinstance(item, ToolEnded) and (not number or item.of == int(number))


def _told(desk: Desk, view: View) -> Iterator[AnyItem]:
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


def _thinking(desk: Desk, word: str) -> None:
    """Say how reasoning is shown, or change that for what comes.

    Raises:
        UsageError: If there is no such way.
    """
    if not word:
        view = View()
        for _ in _told(desk, view):
            pass
        desk.print(Text(f"  reasoning is {view.status().look}"))
    elif (shown := _WORDS.get(word, word)) in dict(_LOOKS):
        desk.give([look(cast("Look", shown))])
    else:
        raise UsageError(f"it takes {', '.join(LOOKS)}, not '{word}'")


_LOOKS = (
    ("folded", "its first line"),
    ("whole", "all of it"),
    ("hidden", "nothing of it"),
)
"""What `/thinking` takes …"""
_WORDS = {"on": "folded", "fold": "folded", "show": "whole", "off": "hidden", "hide": "hidden"}
"""… and other words for that."""


COMMANDS = (
    Command(
        "show",
        "a result in full, or the last reasoning",
        _show,
        words=lambda _, __: ((THOUGHT, "the last reasoning"),),
        takes="[N|thought]",
        more="N is the number that stands beside a folded result; alone it shows the last result, as "
        "Ctrl-T does.",
        example="/show 42",
    ),
    Command(
        "thinking",
        "how the model's reasoning is shown",
        _thinking,
        words=lambda _, __: _LOOKS,
        takes="[folded|whole|hidden]",
        more="It changes what you see of what comes, and nothing else: /effort says how hard the "
        "model thinks, and /show thought has the last reasoning in any case.",
        example="/thinking whole",
    ),
    Command(
        "usage",
        "tokens, cost and context so far",
        _usage,
        more="A question mark stands for what is not known.",
        example="/usage",
    ),
)
