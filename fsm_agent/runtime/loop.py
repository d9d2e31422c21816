"""The only loop: take an input, write its batch, then act."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

import msgspec

from fsm_agent.errors import LogNotWritable
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.step import step
from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.hands import Hands
from fsm_agent.runtime.redaction import Redactor
from fsm_agent.runtime.session import Batch, Session
from fsm_agent.runtime.surroundings import Watch

Show = Callable[[Sequence[Line], bytes], None]
"""Told of every batch after it was written: its lines, and their bytes in the log."""
LOOKS = (
    *(i.UserInput, i.UserInject, i.Command, i.Continue, i.PlanCommand, i.CompactCommand),
    *(i.Finished, i.Stopped, i.Summarised),
)
"""Inputs before which watched files are looked at."""


class Loop:
    """Owns the order of things. Inputs are given from anywhere in the event loop's thread."""

    def __init__(
        self,
        session: Session,
        show: Show,
        watch: Watch | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self.session = session
        self._redactor = redactor or Redactor({})
        self._show, self._watch = show, watch
        self._inputs: asyncio.Queue[Sequence[i.Event]] = asyncio.Queue()
        self._live: dict[int, tuple[Line, asyncio.Task[None]]] = {}
        self._fault: BaseException | None = None
        self._code = 0

    def give(self, group: Sequence[i.Event]) -> None:
        """Hand in one input: its lines, the last is the trigger."""
        self._inputs.put_nowait(group)

    def begin(self, opening: Iterable[Batch]) -> None:
        """Show the session's opening as it is written."""
        with self._ended_in_any_case():
            for lines, raw in opening:
                self._show(lines, raw)

    async def run(self, hands: Hands) -> int:
        """Run until the session is closed; return its exit code.

        Raises:
            LogNotWritable: If a batch could not be written; nothing of it was begun.
        """
        try:
            with self._ended_in_any_case():
                while self.session.world.at.get("session") != "closed":
                    group = await self._next()
                    if group and isinstance(group[-1], LOOKS):
                        for seen in self._changes(group[-1]):
                            self._take([seen], hands)
                    self._take(group, hands)
        finally:
            await self._let_go(hands)
        return self._code

    async def _next(self) -> Sequence[i.Event]:
        group = await self._inputs.get()
        if self._fault:
            raise self._fault
        return group

    def _changes(self, given: i.Event) -> list[i.Seen]:
        """What somebody has changed before this came: a tool, if it is a tool's end."""
        found = self._watch.changes() if self._watch else []
        if self.session.plans:
            by: Literal["person", "tool"] = (
                "tool" if isinstance(given, i.Finished | i.Stopped) else "person"
            )
            found += self.session.plans.changes(by)
        return found

    @contextlib.contextmanager
    def _ended_in_any_case(self) -> Iterator[None]:
        """If our own fault ends this, the log says so; one more on the way is not worth a word."""
        try:
            yield
        except LogNotWritable:
            raise
        except Exception:
            with contextlib.suppress(Exception):
                for lines, raw in list(self.session.give_up()):
                    self._show(lines, raw)
            raise

    def _take(self, group: Sequence[i.Event], hands: Hands) -> None:
        clean = [self._kept(self._redactor.clean(event)) for event in group]
        done = step(self.session.world, clean, iso(self.session.clock.unix()))
        self._show(done.lines, self.session.append(done))
        if isinstance(end := done.lines[-1].event, d.SessionEnd):
            self._code = end.code
        for line in done.begins:
            task = asyncio.get_running_loop().create_task(hands.begin(line))
            self._live[line.seq] = line, task
            task.add_done_callback(partial(self._ended, line.seq))
        begun = {type(line.event) for line in done.begins}
        for seq in done.leaves:
            self._leave(seq, begun, hands)

    def _kept(self, event: i.Event) -> i.Event:
        """The event; a file's long text stands in a blob."""
        if isinstance(event, i.Seen) and isinstance(event.text, str):
            text = self.session.blobs.text_or_blob(event.text)
            return msgspec.structs.replace(event, text=text)
        return event

    def _leave(self, seq: int, begun: set[type], hands: Hands) -> None:
        """Let an activity go. One that a stop took over from ends when what it held is closed."""
        line, task = self._live.get(seq, (None, None))
        if line is None or task is None:
            return
        if isinstance(line.event, d.SendRequest) and d.ReadAnswer not in begun:
            hands.release(line.event.instance)
        if not isinstance(line.event, d.ReadAnswer | d.RunTool):
            task.cancel()

    def _ended(self, seq: int, task: asyncio.Task[None]) -> None:
        """An activity never raises: a failure is an outcome. What does raise is our own fault."""
        self._live.pop(seq, None)
        if not task.cancelled() and (fault := task.exception()):
            self._fault = fault
            self.give(())

    async def _let_go(self, hands: Hands) -> None:
        tasks = [task for _, task in self._live.values()]
        await hands.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
