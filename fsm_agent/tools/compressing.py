"""Compress: the model's own summary for turns that are done with."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.calls import FunctionTool, Number, ToolFailure, spec
from fsm_agent.tools.protocol import Workplace


class Arguments(msgspec.Struct, frozen=True):
    """What Compress is asked."""

    first_turn: Annotated[Number, Meta(description="From 1, by the person's lines")]
    last_turn: Number
    summary: Annotated[str, Meta(description="Lossless: paths, lines, decisions, errors")]


def compress_tool() -> FunctionTool[Arguments]:
    """The tool Compress. It only notes: the turns give way where the context is next cut."""
    told = spec(
        "Compress",
        "Have your summary replace turns whose details are no longer needed (not the last three), "
        "to make room in the context.",
        Arguments,
    )
    return FunctionTool(told, Arguments, _act)


def _act(arguments: Arguments, _: Workplace) -> ToolOutcome:
    first, last = arguments.first_turn, arguments.last_turn
    if not 1 <= first <= last:
        raise ToolFailure(f"turns {first} to {last} are none: count from 1, the first one first")
    if not arguments.summary.strip():
        raise ToolFailure("the summary is empty")
    turns = f"turn {first}" if first == last else f"turns {first}–{last}"
    return ToolOutcome(
        f"noted: {turns} will be replaced by your summary where the context is next cut",
        display=turns,
    )
