"""Our own fault ends the session, and is raised."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events.values import Failure
from fsm_agent.providers.protocol import Stream
from fsm_agent.testing.acting import prove
from fsm_agent.testing.stage import Stage, say


class Faulty:
    """A provider with a bug: it raises where it should give a failure."""

    async def open(self, _: bytes) -> Stream | Failure:
        raise ZeroDivisionError

    async def close(self) -> None:
        """Nothing is held."""


async def test_our_own_fault_ends_the_session_and_is_raised(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "text: not used", provider=Faulty())

    with pytest.raises(ZeroDivisionError):
        await stage.play(say("go"))

    assert stage.lines[-1].event == d.SessionEnd(code=7, reason="fault")
    prove(stage)
