"""Calls of the built-in tools, as the runtime makes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools import beneath, containment
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.registry import builtin_tools


@pytest.fixture
def place(workspace: Path) -> Workplace:
    return Workplace(str(workspace), dict(os.environ), tool_timeout_s=20.0)


@pytest.fixture
def call(place: Workplace) -> Callable[..., Coroutine[Any, Any, ToolOutcome]]:
    """Call a tool of one session: `await call("Read", path="f")`."""
    tools = builtin_tools()

    async def one(name: str, **arguments: Any) -> ToolOutcome:
        return await (await tools[name].start(arguments, place)).wait()

    return one


@pytest.fixture(params=["openat2", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to open a directory, on whatever kernel this is."""
    if request.param == "walk":
        monkeypatch.setattr(containment, "open_directory", beneath.walk)
    return str(request.param)
