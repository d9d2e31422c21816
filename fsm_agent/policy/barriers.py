"""Which calls of one answer may not run side by side."""

from __future__ import annotations

from collections.abc import Sequence

from fsm_agent.events.inputs import ToolCall
from fsm_agent.policy.grants import EDITS

FILE_TOOLS = EDITS | {"Read"}
ALONE = frozenset({"TodoWrite"})
"""Each waits for all before it: the order of lists is the order of the answer."""


def must_wait(call: ToolCall, before: Sequence[ToolCall]) -> bool:
    """Whether the call must wait for one of the unsettled calls before it.

    Reads, searches and commands run side by side. A file that one of two calls writes is a
    barrier between them, and so is a command beside a write: it may read the file.
    """
    return any(_conflict(call, other) for other in before)


def _conflict(one: ToolCall, other: ToolCall) -> bool:
    if one.name in ALONE and other.name in ALONE:
        return True
    writes = (one.name in EDITS) or (other.name in EDITS)
    if not writes:
        return False
    if one.name in FILE_TOOLS and other.name in FILE_TOOLS:
        return one.input.get("path") == other.input.get("path")
    return True
