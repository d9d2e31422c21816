"""What was shown of the sessions that a fork goes on from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from fsm_agent.errors import FsmAgentError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.items import AnyItem, ToolEnded
from fsm_agent.interfaces.painting.view import View
from fsm_agent.lifecycles.replay import UNFOLDED
from fsm_agent.log.reading import read
from fsm_agent.log.salvage import Salvage
from fsm_agent.runtime.places import LOG, find_session

DEEPEST = 20
"""Forks of forks that are gone back through; a log may come from anywhere, and name itself."""


def told_before(
    fork: i.SessionFork, home: Path, deepest: int = DEEPEST
) -> Iterator[tuple[str, AnyItem]]:
    """What its origin showed up to where it was forked, with times; nothing where that is gone."""
    view = View()
    with contextlib.suppress(FsmAgentError, OSError):
        found = find_session(home, fork.source) if deepest else None
        if found is None:
            return
        log = found / LOG
        for batch in Salvage(log) if fork.reason == "damage" else read(log):
            for line in batch.lines:
                if fork.at is not None and line.seq > fork.at:
                    return
                if isinstance(line.event, i.SessionFork):
                    yield from told_before(line.event, home, deepest - 1)
                with contextlib.suppress(*UNFOLDED):  # it may speak of a line that is lost
                    yield from ((line.time, _apart(item)) for item in view.take(line))


def _apart(item: AnyItem) -> AnyItem:
    """The item without the number of its line: that is no line of the fork's own log."""
    if isinstance(item, ToolEnded):
        return ToolEnded(item.call, item.state, item.ok, item.text, item.why, item.ms)
    return item
