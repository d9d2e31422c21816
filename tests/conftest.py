"""Fixtures for every room: a workspace, and a home that is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")  # how busy a machine is says nothing about a property


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder for tools to act in, resolved."""
    folder = tmp_path.resolve() / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where sessions are kept, for this process and those it starts."""
    folder = tmp_path.resolve() / "home"
    monkeypatch.setenv("FSM_AGENT_HOME", str(folder))
    monkeypatch.setenv("FSM_AGENT_CONFIG_HOME", str(folder / "config"))
    return folder
