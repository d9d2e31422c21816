"""From one session to another, in the same terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from fsm_agent.errors import FsmAgentError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.assembly import Wanted, open_session, place_of
from fsm_agent.runtime.session import Session


@dataclass
class Opened:
    """A session that is locked and read.

    Attributes:
        session: To be closed by whoever has this.
        cwd: Where it goes on.
        said: What there is to say about its opening.
        settings: Those of the session that it was forked from; None if it is no such fork.
        held: Lines to hand in, once it is shown.
        line: A line of that session, to be changed and said anew.
        typed: What stands at the prompt behind it.
    """

    session: Session
    cwd: Path
    said: list[str] = field(default_factory=list)
    settings: i.Settings | None = None
    held: list[str] = field(default_factory=list)
    line: i.UserInput | None = None
    typed: str = ""


Coming: TypeAlias = Coroutine[Any, Any, Opened | None]
"""What gives the next session, or none if the person has thought better of it."""


def opened(wanted: Wanted, home: Path, cwd: Path) -> Opened:
    """Open the session that is meant, where it belongs.

    Raises:
        UsageError: If there is no such session, or its directory is gone.
        SessionInUse: If another process holds it.
    """
    said: list[str] = []
    session = open_session(wanted, home, cwd, said.append)
    try:
        return Opened(session, place_of(session, cwd, said.append), said)
    except BaseException:
        session.close()
        raise


async def apart(opener: Callable[[], Opened]) -> Opened:
    """Open in a thread: a long log takes a while. One that nobody waits for any more is closed."""
    work = asyncio.ensure_future(asyncio.to_thread(opener))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.add_done_callback(_close)
        raise


def _close(work: asyncio.Future[Opened]) -> None:
    if not work.cancelled() and not work.exception():
        work.result().session.close()


class Switch:
    """Opens another session beside this one, which is left when the other one is there.

    So whatever is wrong with the other one, this one goes on.

    Attributes:
        next: The session that comes after this one.
    """

    def __init__(
        self,
        give: Callable[[Sequence[i.Event]], None],
        warn: Callable[[str], None],
        rest: Callable[[], None],
    ) -> None:
        """`warn` says what went wrong; `rest` is told when this session goes on."""
        self._give, self._warn, self._rest = give, warn, rest
        self._task: asyncio.Task[Opened | None] | None = None
        self.next: Opened | None = None

    @property
    def under_way(self) -> bool:
        """Whether another session is being opened, or this one is being left for it."""
        return self._task is not None

    def to(self, coming: Coming) -> None:
        """Go to the session that this gives; nothing else is begun meanwhile."""
        self._task = asyncio.get_running_loop().create_task(coming)
        self._task.add_done_callback(self._done)

    def give_up(self) -> None:
        """Stay, unless it is too late."""
        if self._task:
            self._task.cancel()

    async def close(self) -> None:
        """End what is under way; it was for nothing if this session ends for another reason."""
        self.give_up()
        if self._task:
            await asyncio.wait([self._task])
            await asyncio.sleep(0)  # what is done about its end is done then

    def _done(self, task: asyncio.Task[Opened | None]) -> None:
        try:
            self.next = task.result()
        except asyncio.CancelledError:
            pass
        except (FsmAgentError, OSError) as error:
            self._warn(str(error))
        if self.next:
            self._give([i.Leave(reason="quit")])
        else:
            self._task = None
            self._rest()
