"""Write: a file made or replaced whole."""

from __future__ import annotations

import hashlib

import msgspec

from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.calls import FunctionTool, spec
from fsm_agent.tools.containment import Location, locate_for_writing
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.reading import count_lines
from fsm_agent.tools.replacing import encode, read_whole, replace
from fsm_agent.tools.seen import Seen

OLD_LIMIT = 1 << 24
"""Bytes of the largest file that Write replaces: its old bytes are kept for undo."""


class Arguments(msgspec.Struct, frozen=True):
    """What Write is asked."""

    path: str
    content: str


def write_tool(seen: Seen) -> FunctionTool[Arguments]:
    """The tool Write."""

    def act(arguments: Arguments, place: Workplace) -> ToolOutcome:
        content = encode(arguments.content, "content")
        with locate_for_writing(arguments.path, place) as location, seen.writing:
            before = read_whole(location, OLD_LIMIT) if location.exists() else None
            if before is not None:
                seen.check(location, before)
            replace(location, content)
            seen.note(location, hashlib.sha256(content).digest())
            return _outcome(location, before, content)

    told = spec("Write", "Make a file with this content, or replace the whole file.", Arguments)
    return FunctionTool(told, Arguments, act)


def _outcome(location: Location, before: bytes | None, content: bytes) -> ToolOutcome:
    name = f"{location.shown} (in the workspace: ~ is not expanded)"
    shown = name if location.shown.startswith("~") else location.shown
    summary = f"Write({shown}) [{count_lines(content)} lines, {len(content)} bytes]"
    return ToolOutcome(
        f"Success: {summary}",
        display=summary,
        changes=(Change(location.path, before, content),),
    )
