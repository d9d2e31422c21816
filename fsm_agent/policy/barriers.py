"""Which calls of one answer may not run side by side."""

from __future__ import annotations

from collections.abc import Sequence

from fsm_agent.events.inputs import ToolCall
from fsm_agent.policy.grants import EDITS, PLANNING

ALONE = frozenset({"Compress", "Remember", "TodoWrite"})
"""Each waits for those before it: the order of lists is the order of the answer."""
BARRIERS = EDITS | PLANNING
"""Each waits for all before it, and all wait for it."""


def must_wait(call: ToolCall, before: Sequence[ToolCall]) -> bool:
    """Whether the call must wait for one of the unsettled calls before it.

    Reads, searches and commands run side by side. A write waits for all, and all wait for it: one
    file has many names, and a command may read any. What moves the plan runs alone, too: what
    comes after it may be pointless by then.
    """
    return any(_conflict(call, other) for other in before)


def _conflict(one: ToolCall, other: ToolCall) -> bool:
    if one.name in BARRIERS or other.name in BARRIERS:
        return True
    return one.name in ALONE and other.name in ALONE
