"""Compress notes which turns a summary is for, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


async def test_it_says_what_will_happen_and_when(call: Call) -> None:
    later = "will be replaced by your summary where the context is next cut"

    assert await call("Compress", first_turn=3, last_turn="7", summary="done") == ToolOutcome(
        f"noted: turns 3–7 {later}", display="turns 3–7"
    )
    assert await call("Compress", first_turn=3, last_turn=3, summary="done") == ToolOutcome(
        f"noted: turn 3 {later}", display="turn 3"
    )


@pytest.mark.parametrize(
    ("first", "last", "summary", "why"),
    [
        (0, 3, "x", "turns 0 to 3 are none: count from 1, the first one first"),
        (4, 3, "x", "turns 4 to 3 are none"),
        (1, 3, " \n", "the summary is empty"),
        (-1, 3, "x", "wrong arguments: Expected `int` >= 0 - at `$.first_turn`"),
        (1, None, "x", "wrong arguments: Object missing required field `last_turn`"),
    ],
)
async def test_what_names_no_turns_is_refused(
    call: Call, first: int, last: int | None, summary: str, why: str
) -> None:
    outcome = await call("Compress", first_turn=first, last_turn=last, summary=summary)

    assert not outcome.ok
    assert outcome.output.startswith(f"Error: {why}")
