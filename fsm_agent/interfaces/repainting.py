"""A session painted again, as the terminal showed it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from rich.console import Console

from fsm_agent.errors import DamagedLog
from fsm_agent.events.lines import Batch
from fsm_agent.interfaces.logs import Proved
from fsm_agent.interfaces.painting.items import AnyItem, last_turns
from fsm_agent.interfaces.painting.pictures import PictureConsole, paint, put
from fsm_agent.interfaces.painting.plain import plainly
from fsm_agent.interfaces.painting.view import View, seconds_between
from fsm_agent.lifecycles.replay import UNFOLDED, UNTOLD

WIDTH = 80
"""Columns of a picture that is no terminal's."""
LONGEST_S = 3.0
"""The longest pause between two lines of a log that is shown at a speed, in seconds."""


def repaint(log: Proved, turns: int | None, speed: float | None, *, plain: bool) -> int:
    """Paint what a log tells on stdout: escaped, in colours at a terminal only.

    Args:
        log: The log; what of it is damaged or torn is said in the end.
        turns: How many of the last turns; None for all.
        speed: How much faster than it happened; None for at once.
        plain: Whether colours are left out, and Markdown is not painted.

    Returns:
        The exit code, 0 or 5.
    """
    console, picture = _console(plain=plain), plainly if plain else paint
    told = _told(log)
    now = ""
    for moment, item in told if turns is None else last_turns(told, turns):
        if speed:
            time.sleep(min(seconds_between(now, moment) / speed, LONGEST_S))
            now = moment
        put(console, picture(item))
    return log.verdict()


def _told(batches: Iterable[Batch]) -> Iterator[tuple[str, AnyItem]]:
    """What there is to show, each with the time of its line."""
    view = View()
    for batch in batches:
        for line in batch.lines:
            try:
                items = view.take(line)
            except UNFOLDED as error:  # sealed, yet not by us
                raise DamagedLog(f"line {line.seq + 1}: {UNTOLD}", line.seq + 1) from error
            for item in items:
                yield line.time, item


class _Console(PictureConsole):
    """A console whose reader may leave."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(*, plain: bool) -> Console:
    terminal = sys.stdout.isatty()
    return _Console(
        color_system=None if plain else "auto",
        force_terminal=terminal,
        width=None if terminal else WIDTH,
    )
