"""What is under way, as lines above the prompt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from rich.cells import cell_len, chop_cells, set_cell_size

from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.painting.excerpts import named
from fsm_agent.interfaces.painting.items import Act, Status
from fsm_agent.interfaces.painting.pictures import tokens
from fsm_agent.interfaces.painting.status import line
from fsm_agent.interfaces.painting.view import seconds_between
from fsm_agent.interfaces.terminal.arriving import Arriving

Lines = list[tuple[str, str]]
"""Lines of the screen: a style of prompt_toolkit, and escaped text no wider than the screen."""

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
QUIET_S = 3
"""Seconds without a byte that are worth a word."""
SHOWN = 3
"""Waiting lines, and calls under way, that are shown."""
TAIL = 8
"""Lines of the answer that are shown while it arrives."""
BELOW = 3
"""Lines of the screen that are left to what is typed."""
GREY = "fg:ansibrightblack"
_STYLES = {"thinking": GREY, "text": "", "call": "fg:ansicyan"}
WORDS = {
    "waiting": "waiting for the model",
    "answering": "answering",
    "running": "working",
    "pausing": "waiting to try again",
    "stopping": "stopping",
    "summing": "summing up the conversation",
}
"""What a turn does, in words."""


def tail(live: Arriving, width: int, rows: int) -> Lines:
    """The end of what is arriving in at most `rows` lines of the screen."""
    return list(islice(_upwards(live, width, rows), rows))[::-1]


def _upwards(live: Arriving, width: int, rows: int) -> Iterator[tuple[str, str]]:
    for kind, text in reversed(list(live.tail())):
        for row in reversed(escape(text[-width * rows :]).rstrip("\n").split("\n")):
            for cut in reversed(chop_cells(row.expandtabs(4), width) or [""]):
                yield _STYLES[kind], cut


def lines(
    status: Status, held: Sequence[str], live: Arriving, now: str, size: tuple[int, int]
) -> Lines:
    """All that stands above the prompt: lower than the screen, nothing wider than it.

    On a low screen, what is under way and what waits for it comes before where the session stands.

    Args:
        status: What is under way.
        held: Lines that wait here, and are not in the log yet.
        live: The answer that is arriving.
        now: Log time.
        size: Columns and rows of the screen.
    """
    width, rows = size
    made: Lines = []
    if status.doing != "idle":
        made += tail(live, width, max(1, min(rows // 2, TAIL)))
        spinner = FRAMES[int(seconds_between(status.since, now) * 10) % len(FRAMES)]
        made += [(GREY, f"{spinner} {text}") for text in _doings(status, live, now)]
    wait = waiting(status, held)
    made += [(GREY, f"  {text}") for text in wait[:SHOWN]]
    if len(wait) > SHOWN:
        made.append((GREY, f"  … {len(wait) - SHOWN} more"))
    room = max(1, rows - BELOW)
    if status.standing.model and (len(made) < room or not made):
        made.append((GREY, line(status.standing, width)))
    return [(style, _fit(text, width)) for style, text in made[-room:]]


def waiting(status: Status, held: Sequence[str]) -> list[str]:
    """Lines that wait, and what for, escaped."""
    texts = [f"inject: {text}" for text in status.injected]
    texts += [f"queued: {text}" for text in (*status.queued.values(), *held)]
    return list(map(escape_line, texts))


def mark(status: Status) -> str:
    """What the prompt begins with: the mode, where it is not the usual one."""
    return ">" if status.mode in ("", "ask") else f"{status.mode} >"


def _fit(text: str, width: int) -> str:
    """The line, cut where the screen ends."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"


def _doings(status: Status, live: Arriving, now: str) -> Iterator[str]:
    for act in status.acts[:SHOWN]:
        yield _act(act, now)
    if len(status.acts) > SHOWN:
        yield f"… {len(status.acts) - SHOWN} more"
    if status.acts:
        return
    doing = status.doing if live.begun or status.doing != "answering" else "waiting"
    parts = [WORDS[doing], duration(seconds_between(status.since, now))]
    if status.doing == "pausing" and status.again:
        parts[1] = f"{max(0, math.ceil(seconds_between(now, status.again)))} s to go"
    parts += tokens(status.usage)
    silent = live.silent_s(status.since, now)
    if status.doing in ("waiting", "answering") and silent >= QUIET_S:
        parts.append(f"no byte for {int(silent)} s")
    yield " · ".join([*parts, "Esc interrupts"])


def _act(act: Act, now: str) -> str:
    lasted = duration(seconds_between(act.since, now))
    word = "" if act.doing == "running" else f" · {act.doing}"
    return f"[tool] {named(act.call)}{word} · {lasted}"
