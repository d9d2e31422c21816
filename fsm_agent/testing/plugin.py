"""A pytest plugin with one fixture: `agent`.

Ask for it in the root's `conftest.py`: `pytest_plugins = ["fsm_agent.testing.plugin"]`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.testing.agent import Agent


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """The agent in a workspace of its own, for tests that are no coroutines."""
    return Agent(tmp_path.resolve() / "agent")
