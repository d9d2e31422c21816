"""The whole walk, done once."""

from __future__ import annotations

import pytest

from fsm_agent.lifecycles.checking.walk import Walk
from fsm_agent.lifecycles.declared import tables


@pytest.fixture(scope="session")
def whole() -> Walk:
    return Walk(tables())
