"""A person at the prompt: what they type, what they see."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.assembly import Run, assemble, workplace
from fsm_agent.interfaces.terminal.arriving import Arriving
from fsm_agent.interfaces.terminal.changes import Changes
from fsm_agent.interfaces.terminal.commands import (
    CARRIED_OUT,
    is_command,
    left_undone,
    run,
    waits,
)
from fsm_agent.interfaces.terminal.desk import Desk
from fsm_agent.interfaces.terminal.editing import Editing
from fsm_agent.interfaces.terminal.escaping import escape_line
from fsm_agent.interfaces.terminal.items import AnyItem, LinesBack, last_turns
from fsm_agent.interfaces.terminal.live import GREY, Lines, lines, mark
from fsm_agent.interfaces.terminal.questions import Questions
from fsm_agent.interfaces.terminal.screen import Screen
from fsm_agent.interfaces.terminal.shell import Shell
from fsm_agent.interfaces.terminal.shelltexts import SHELL
from fsm_agent.interfaces.terminal.steering import standing
from fsm_agent.interfaces.terminal.view import View
from fsm_agent.log.reading import read
from fsm_agent.runtime.clock import iso
from fsm_agent.runtime.expanding import expand
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.places import LOG
from fsm_agent.runtime.session import Session
from fsm_agent.settings import RunSettings
from fsm_agent.version import __version__

RECALLED = 10
"""Turns that are shown again when a session is taken up."""
TWICE_S = 1.0
"""Seconds within which a second Ctrl-C leaves."""
GO_ON = "Enter goes on with the turn that was cut short"


class Terminal:
    """A session at a terminal, from its first line to its exit code."""

    def __init__(self, session: Session, home: Path, cwd: Path, tools: Editing) -> None:
        self._session, self._cwd, self._tools = session, cwd, tools
        self._view, self._live, self._changes = View(), Arriving(self._clean), Changes()
        self._screen = Screen(self, tools)
        self._screen.lines, self._screen.status = self._lines, self._view.status
        self._screen.unfold = lambda: run("/show", self._desk)
        self._screen.mark = lambda: mark(self._view.status())
        self._questions = Questions(self._screen, workplace(session, cwd))
        self._shell = Shell(workplace(session, cwd), self.give)
        self._desk = Desk(
            *(session, self._changes, home, cwd),
            *(self.give, self._screen.print, self._shell.ask),
        )
        self._run: Run | None = None
        self._fault: BaseException | None = None
        self._held: list[str] = []
        self._unseen = 0
        self._pressed = -TWICE_S

    async def run(self, settings: RunSettings) -> int:
        """Show what was, then run until the session is closed."""
        self._recall()
        self._run = assemble(
            self._session,
            settings,
            self._cwd,
            show=self.show,
            deltas=self.deltas,
            asker=self._questions,
        )
        name = self._session.directory.name
        about = f"fsm-agent {__version__} · {settings.model} · session {name} · /help"
        self._screen.print(Text(escape_line(about), "quiet"))
        if plan := standing(self._desk):
            self._screen.print(Text(f"· {plan}", "quiet"))
        self._listen(asyncio.get_running_loop())
        prompt = asyncio.create_task(self._screen.run())
        prompt.add_done_callback(lambda ended: self._lost(ended.exception()))
        self._rest()
        try:
            code = await self._run.loop.run(self._run.hands)
        finally:
            self._tools.editor.close()
            await self._shell.close()
            await self._screen.close()
            await asyncio.wait([prompt])
        if self._fault:
            raise self._fault
        return code

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take signals, and what fails where nobody waits for it."""
        loop.add_signal_handler(signal.SIGINT, self.control_c)
        loop.add_signal_handler(signal.SIGTERM, self.give, [i.Leave(reason="term")])
        loop.add_signal_handler(signal.SIGHUP, self.give, [i.Leave(reason="hup")])
        loop.set_exception_handler(lambda _, context: self._lost(context.get("exception")))

    def _lost(self, error: BaseException | None) -> None:
        """The prompt has ended: the terminal is gone, or it is our own fault."""
        if error is not None and not isinstance(error, EOFError | OSError):
            self._fault = error
        self.give([i.Leave(reason="fault" if self._fault else "hup")])

    def _recall(self) -> None:
        """Take a resumed session's lines in; show its last turns."""
        batches = read(self._session.directory / LOG) if self._session.world.seq else ()
        recorded = (line for batch in batches for line in batch.lines)
        told = ((line.time, item) for line in recorded for item in self._taken(line))
        for _, shown in last_turns(told, RECALLED):
            self._screen.show(shown)
        left_undone(self._desk)

    def _taken(self, line: Line) -> list[AnyItem]:
        if isinstance(line.event, i.UserInput):
            self._tools.pastes.learn(line.event.text, line.event.sent)
        self._changes.take(line)
        return self._view.take(line)

    # -- what the runtime says -------------------------------------------------------------------

    def show(self, batch: Sequence[Line], _: bytes) -> None:
        """A batch was written."""
        for line in batch:
            for item in self._taken(line):
                if isinstance(item, LinesBack):
                    self._screen.put("\n".join(map(self._tools.pastes.returned, item.texts)))
                for shown in self._live.remaining(item):
                    self._screen.show(shown)
            self._live.heed(line.event)
            match line.event:
                case i.UserInput() | i.Continue():
                    self._unseen -= 1
                case i.Command(name=name) if name == SHELL:
                    self._shell.begin(line.seq)
                case i.Command(name=name) if name in CARRIED_OUT:
                    CARRIED_OUT[name](self._desk, line.event)
        if not self.is_busy():
            self._rest()
        self._screen.refresh()

    def deltas(self, _: str, deltas: Sequence[Delta]) -> None:
        """Pieces of an answer came."""
        for item in self._live.add(deltas, self._now()):
            self._screen.show(item)
        self._screen.refresh()

    def _rest(self) -> None:
        """The next move is the person's: what was held comes now, or goes back to the prompt."""
        self._hint()
        if self._held and self._view.status().unfinished:
            self._screen.put("\n".join(self._held))
            self._held.clear()
        while self._held and not self.is_busy():
            self._hand_in(self._held.pop(0))

    def _hint(self, text: str = "") -> None:
        """Say something at the empty prompt: this, or what Enter would do."""
        unfinished = self._view.status().unfinished
        self._screen.hint = text or (GO_ON if unfinished else "")
        self._screen.refresh()

    def _lines(self, size: tuple[int, int]) -> Lines:
        made = lines(self._view.status(), self._held, self._live, self._now(), size)
        return [(GREY, self._shell.told(size[0])), *made] if self._shell.command else made

    def _clean(self, text: str) -> str:
        return self._run.redactor.text(text) if self._run else text

    def _now(self) -> str:
        return iso(self._session.clock.unix())

    # -- what the person does --------------------------------------------------------------------

    def give(self, group: Sequence[i.Event]) -> None:
        """Hand in an input."""
        if self._run is None:
            return
        self._unseen += sum(isinstance(event, i.UserInput | i.Continue) for event in group)
        self._run.loop.give(group)
        self._screen.refresh()

    def enter(self) -> None:
        """Hand the line in: as an answer, a command, or something to do."""
        line = self._screen.take()
        free = not (line.startswith("!") and self._shell.command)
        at_once = is_command(line.strip()) and not waits(line.strip()) and free
        if self._questions.pending and not at_once:
            self._questions.answer(self._tools.pastes.expand(line))
        elif not line.strip():
            if self._view.status().unfinished and not self.is_busy():
                self.give([i.Continue()])
        elif at_once:
            self._hand_in(line)
        elif self._held or (self.is_busy() and is_command(line.strip())):
            self._held.append(line)
            self._screen.refresh()
        else:
            self._hand_in(line)

    def _hand_in(self, line: str) -> None:
        command = line.strip()
        if is_command(command):
            if command != "/dream" and command[0] != "!":  # those are shown when they are logged
                self._screen.print(Text(f"\n> {escape_line(command)}", "person"))
            run(self._tools.pastes.expand(command), self._desk)
        else:
            self.give([i.UserInput(text=line, sent=self._sent(line))])

    def _sent(self, line: str) -> str | None:
        """What the model gets, where it differs from what was typed."""
        expanded, warnings = expand(line, self._cwd, Images(self._session.directory))
        for warning in warnings:
            self._screen.warn(warning)
        expanded = self._tools.pastes.expand(expanded)
        return None if expanded == line else expanded

    def inject(self) -> None:
        """Put the line into the running turn; at rest it begins one."""
        if not self.is_busy() or self._questions.pending or is_command(self._screen.text):
            self.enter()
        elif self._screen.text.strip():
            line = self._screen.take()
            self.give([i.UserInject(text=self._sent(line) or line)])

    def take_back(self) -> None:
        """Take the last waiting line back."""
        if self._held:
            self._screen.put(self._held.pop())
        else:
            self.give([i.UserTakeBack(of=max(self._view.status().queued))])

    def interrupt(self) -> None:
        """Stop what is under way: the person's own shell line first."""
        if self._shell.command:
            self._shell.stop()
        else:
            self.give([i.Interrupt()])

    def control_c(self) -> None:
        """One press stops what is under way or clears the line; two within a second leave."""
        if self._tools.editor.is_open:  # it is the editor's
            return
        now = time.monotonic()
        twice, self._pressed = now - self._pressed < TWICE_S, now
        if self._screen.text and not self.is_busy():
            self._screen.take()
            self._pressed = -TWICE_S
        elif twice:
            self.give([i.Leave(reason="int")])
        elif self.is_busy():
            self.interrupt()
        else:
            self._hint("Ctrl-C again leaves")
            asyncio.get_running_loop().call_later(TWICE_S, self._hint)

    def leave(self) -> None:
        """End the session."""
        self.give([i.Leave(reason="quit")])

    def edit(self) -> None:
        """Open an editor with the line; what was pasted stands in it as it is."""
        text = self._tools.pastes.expand(self._screen.lift())
        self._editing = asyncio.create_task(
            self._tools.editor.edit(text, self._screen.put, self._screen.warn)
        )

    def is_asked(self) -> bool:
        """Whether the line is the answer to a question."""
        return self._questions.pending

    def is_busy(self) -> bool:
        """Whether something runs, or a line that will begin a turn is on its way."""
        turn = self._unseen > 0 or self._view.status().doing != "idle"
        return turn or bool(self._shell.command)

    def is_empty(self) -> bool:
        """Whether nothing is typed."""
        return not self._screen.text

    def can_take_back(self) -> bool:
        """Whether nothing is typed, and a line waits."""
        waiting = self._held or self._view.status().queued
        return not self._screen.text and not self._questions.pending and bool(waiting)
