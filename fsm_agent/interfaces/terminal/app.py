"""A session at a terminal: what its log shows, until it is closed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rich.text import Text

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.assembly import Run, assemble
from fsm_agent.interfaces.configuring import thinking
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.items import AnyItem, LinesBack, last_turns
from fsm_agent.interfaces.painting.thoughts import look
from fsm_agent.interfaces.painting.view import View
from fsm_agent.interfaces.terminal.arriving import Arriving
from fsm_agent.interfaces.terminal.commands.steering import standing
from fsm_agent.interfaces.terminal.commands.table import Commands
from fsm_agent.interfaces.terminal.commands.undoing import left_undone
from fsm_agent.interfaces.terminal.live import GREY, Lines, lines, mark
from fsm_agent.interfaces.terminal.origins import told_before
from fsm_agent.interfaces.terminal.person import Person
from fsm_agent.interfaces.terminal.surface import Acts, Surface
from fsm_agent.interfaces.terminal.switching import Opened
from fsm_agent.log.reading import read
from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.places import LOG
from fsm_agent.settings import RunSettings
from fsm_agent.version import __version__

OPENING = "· opening the session · Esc stays in this one"
RECALLED = 10
"""Turns that are shown again when a session is taken up."""


class Terminal:
    """A session at a terminal, from its first line to its exit code.

    Attributes:
        began: Whether its prompt was there.
        called_away: Whether a signal has told it to leave.
    """

    def __init__(
        self,
        opened: Opened,
        home: Path,
        surface: Callable[[Acts], Surface],
        commands: Commands,
    ) -> None:
        self._opened, self._session, self._commands = opened, opened.session, commands
        self._home = home
        self._view, self._live = View(), Arriving(self._clean, lambda: self._view.status().look)
        self._person = Person(
            *(opened.session, home, opened.cwd, surface, commands),
            status=self._view.status,
            give=self._give,
        )
        self._screen = self._person.screen
        self._screen.lines, self._screen.status = self._lines, self._view.status
        self._screen.mark = lambda: mark(self._view.status())
        self._run: Run | None = None
        self._early: list[Sequence[i.Event]] = []
        self._fault: BaseException | None = None
        self.began = self.called_away = False

    async def run(self, settings: RunSettings) -> int:
        """Show what was, then run until the session is closed."""
        wanted = thinking()
        self._listen(asyncio.get_running_loop())
        self._recall()
        self._run = assemble(
            self._session,
            settings,
            self._opened.cwd,
            show=self.show,
            deltas=self.deltas,
            asker=self._person.questions,
        )
        self._person.reread = self._run.reread
        name = self._session.directory.name
        model = self._session.world.settings.model
        about = f"fsm-agent {__version__} · {model} · session {name} · /help"
        self._screen.print(Text(escape_line(about), "quiet"))
        for fault in self._commands.custom.faults:
            self._screen.warn(fault)
        if plan := standing(self._person.desk):
            self._screen.print(Text(f"· {plan}", "quiet"))
        prompt = asyncio.create_task(self._screen.run())
        prompt.add_done_callback(lambda ended: self._lost(ended.exception()))
        self.began = True
        self._person.begin(self._opened)
        if wanted and wanted != self._view.status().look:
            self._person.give([look(wanted)])
        for group in self._early:
            self._run.loop.give(group)
        try:
            code = await self._run.loop.run(self._run.hands)
        finally:
            await self._person.close()
            await self._screen.close()
            await asyncio.wait([prompt])
        if self._fault:
            raise self._fault
        return code

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take signals, and what fails where nobody waits for it."""
        loop.add_signal_handler(signal.SIGINT, self._person.control_c)
        loop.add_signal_handler(signal.SIGTERM, self._call_away, i.Leave(reason="term"))
        loop.add_signal_handler(signal.SIGHUP, self._call_away, i.Leave(reason="hup"))
        loop.set_exception_handler(lambda _, context: self._lost(context.get("exception")))

    def _call_away(self, leave: i.Leave) -> None:
        self.called_away = True
        self._give([leave])

    def _lost(self, error: BaseException | None) -> None:
        """The prompt has ended: the terminal is gone, or it is our own fault."""
        if error is not None and not isinstance(error, EOFError | OSError):
            self._fault = error
        self._give([i.Leave(reason="fault" if self._fault else "hup")])

    def _recall(self) -> None:
        """Take a resumed session's lines in; show its last turns."""
        batches = read(self._session.directory / LOG) if self._session.world.seq else ()
        recorded = (line for batch in batches for line in batch.lines)
        self._show_last(told for line in recorded for told in self._told(line))
        left_undone(self._person.desk)

    def _show_last(self, told: Iterable[tuple[str, AnyItem]]) -> None:
        for _, shown in last_turns(told, RECALLED):
            self._screen.show(shown)

    def _told(self, line: Line) -> Iterator[tuple[str, AnyItem]]:
        if isinstance(line.event, i.SessionFork):
            yield from told_before(line.event, self._home)
        yield from ((line.time, item) for item in self._taken(line))

    def _taken(self, line: Line) -> list[AnyItem]:
        self._person.learn(line)
        return self._view.take(line)

    def _give(self, group: Sequence[i.Event]) -> None:
        if self._run is None:
            self._early.append(group)
        else:
            self._run.loop.give(group)

    @property
    def next(self) -> Opened | None:
        """The session that comes after this one."""
        return self._person.switch.next

    # -- what the runtime says -------------------------------------------------------------------

    def show(self, batch: Sequence[Line], _: bytes) -> None:
        """A batch was written."""
        for line in batch:
            if isinstance(line.event, i.SessionFork):
                self._show_last(told_before(line.event, self._home))
            for item in self._taken(line):
                if isinstance(item, LinesBack):
                    self._person.take_lines(item.texts)
                for shown in self._live.remaining(item):
                    self._screen.show(shown)
            self._live.heed(line.event)
            self._person.heed(line)
        if not self._person.is_busy():
            self._person.rest()
        self._screen.refresh()

    def deltas(self, _: str, deltas: Sequence[Delta]) -> None:
        """Pieces of an answer came."""
        for item in self._live.add(deltas, self._now()):
            self._screen.show(item)
        self._screen.refresh()

    # -- what stands above the prompt ------------------------------------------------------------

    def _lines(self, size: tuple[int, int]) -> Lines:
        made = lines(self._view.status(), self._person.held, self._live, self._now(), size)
        shell = self._person.shell
        if self._person.switch.under_way:
            made = [(GREY, OPENING[: size[0]]), *made]
        return [(GREY, shell.told(size[0])), *made] if shell.command else made

    def _clean(self, text: str) -> str:
        return self._run.redactor.text(text) if self._run else text

    def _now(self) -> str:
        return iso(self._session.clock.unix())
