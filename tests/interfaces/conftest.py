"""The program in a workspace of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.testing.program import Program


@pytest.fixture
def program(workspace: Path, home: Path) -> Program:
    """The program, not started yet."""
    return Program(workspace, home)
