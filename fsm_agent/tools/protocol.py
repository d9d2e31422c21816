"""What a tool is: started, awaited or stopped; its end is a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.events.values import ToolSpec


class Workplace(msgspec.Struct, frozen=True):
    """Where tools act.

    Attributes:
        root: The workspace: an absolute, resolved path. File tools stay beneath it.
        environment: The whole environment of subprocesses.
        tool_timeout_s: How long a command may run, in seconds.
        readable: Further directories that Read, Glob and Grep may look into (absolute, resolved).
        draft: The plan's draft, which file tools may change wherever it lies (none: empty).
        plan: The plan itself, which may be read.
        user_memory: What is remembered of the person; changed by Remember and undo (none: empty).
        project_memory: What is remembered of the project, likewise.
    """

    root: str
    environment: Mapping[str, str]
    tool_timeout_s: float = 600.0
    readable: tuple[str, ...] = ()
    draft: str = ""
    plan: str = ""
    user_memory: str = ""
    project_memory: str = ""


class Running(Protocol):
    """A tool at work."""

    async def wait(self) -> ToolOutcome:
        """Wait for its end. Never raises but when cancelled; cancelling does not stop the tool."""

    async def stop(self) -> ToolOutcome:
        """End it (a process: its whole tree; TERM, 0.5 s, KILL) and give what there is."""


class Tool(Protocol):
    """One thing the model can ask for."""

    spec: ToolSpec

    async def start(self, arguments: Mapping[str, Any], place: Workplace) -> Running:
        """Begin. Bad arguments end in an outcome that is not ok, never in an exception."""
