"""Another session is opened beside the one that goes on until it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from fsm_agent.events import inputs as i
from fsm_agent.interfaces.assembly import Wanted
from fsm_agent.interfaces.terminal.switching import Opened, Switch, apart, opened


class Side:
    """What the session that is left hears."""

    def __init__(self) -> None:
        self.given: list[i.Event] = []
        self.warned: list[str] = []
        self.rests = 0
        self.switch = Switch(self.given.extend, self.warned.append, self.rest)

    def rest(self) -> None:
        self.rests += 1


def slowly(opener: Callable[[], Opened], go: Event) -> Opened:
    assert go.wait(10)
    return opener()


def test_the_session_is_left_when_the_other_one_is_there(workspace: Path, home: Path) -> None:
    async def play() -> None:
        side = Side()
        side.switch.to(apart(partial(opened, Wanted(), home, workspace)))
        assert side.switch.under_way
        assert side.given == []
        while not side.switch.next:
            await asyncio.sleep(0.001)
        assert side.given == [i.Leave(reason="quit")]
        side.switch.give_up()  # too late
        await side.switch.close()
        assert side.switch.under_way
        side.switch.next.session.close()

    asyncio.run(play())


def test_what_cannot_be_opened_is_said_and_the_session_goes_on(workspace: Path, home: Path) -> None:
    async def play() -> None:
        side = Side()
        side.switch.to(
            apart(partial(opened, Wanted(resume="20261130-000000-0000"), home, workspace))
        )
        while side.switch.under_way:
            await asyncio.sleep(0.001)
        assert "there is no session" in side.warned[0]
        assert (side.given, side.rests) == ([], 1)

    asyncio.run(play())


@pytest.mark.parametrize("how", ["given up", "left for good"])
def test_one_that_nobody_waits_for_any_more_is_closed(
    workspace: Path, home: Path, how: str
) -> None:
    async def play() -> None:
        side, go = Side(), Event()
        opener = partial(opened, Wanted(), home, workspace)
        side.switch.to(apart(partial(slowly, opener, go)))
        await asyncio.sleep(0)
        if how == "given up":
            side.switch.give_up()
        await asyncio.wait_for(side.switch.close(), 5)
        assert side.switch.next is None
        assert not side.switch.under_way
        go.set()
        await asyncio.get_running_loop().shutdown_default_executor()
        await asyncio.sleep(0)
        assert (side.given, side.warned) == ([], [])

    asyncio.run(play())
    assert list(home.glob("projects/*/*")) == []  # nothing was logged in it: nothing stays


def test_it_can_be_given_up_before_it_has_begun(workspace: Path, home: Path) -> None:
    async def play() -> None:
        side = Side()
        side.switch.to(apart(partial(opened, Wanted(), home, workspace)))
        side.switch.give_up()
        while side.switch.under_way:
            await asyncio.sleep(0.001)
        assert (side.given, side.warned, side.rests) == ([], [], 1)

    asyncio.run(play())
