"""The person's side of a session: what becomes of keys and lines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.assembly import Say, workplace
from fsm_agent.interfaces.painting.items import Status
from fsm_agent.interfaces.painting.shelltexts import SHELL
from fsm_agent.interfaces.terminal.background import Background
from fsm_agent.interfaces.terminal.commands.changes import Changes
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.interfaces.terminal.commands.table import CARRIED_OUT, Commands
from fsm_agent.interfaces.terminal.line.picturing import spelled
from fsm_agent.interfaces.terminal.questions import Questions
from fsm_agent.interfaces.terminal.shell import Shell
from fsm_agent.interfaces.terminal.surface import Acts, Surface
from fsm_agent.interfaces.terminal.switching import Opened, Switch
from fsm_agent.policy.judging import judge
from fsm_agent.runtime.expanding import expand
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.session import Session

AWAITED = (i.UserInput, i.Continue, i.Command, i.Settings, i.PlanCommand, i.CompactCommand)
"""Inputs that others have to wait for until they are in the log."""
TWICE_S = 1.0
"""Seconds within which a second Ctrl-C leaves."""
GO_ON = "Enter goes on with the turn that was cut short"
CONTINUE = (
    "/continue goes on with the turn that was cut short; Enter sends what stands at the prompt"
)


class Person:
    """Takes what is typed, and hands it in as inputs of the session.

    Attributes:
        screen: What they look at.
        questions: What they are asked.
        changes: Fold of the changed files, for commands.
        switch: Their way to another session.
        reread: Reads again what shapes requests.
    """

    def __init__(  # noqa: PLR0913 - what a line may be about
        self,
        session: Session,
        home: Path,
        cwd: Path,
        surface: Callable[[Acts], Surface],
        commands: Commands,
        *,
        status: Callable[[], Status],
        give: Callable[[Sequence[i.Event]], None],
    ) -> None:
        self._session, self._cwd = session, cwd
        self._commands, self._status, self._loop_gives = commands, status, give
        self.changes = Changes()
        self.screen = surface(self)
        self.questions = Questions(self.screen, workplace(session, cwd))
        self.shell = Shell(workplace(session, cwd), self.give)
        self.switch = Switch(self.give, self.screen.warn, self.rest)
        self._background = Background(self.screen.print)
        self.desk = Desk(
            *(session, self.changes, home, cwd),
            settings=self._settings,
            give=self.give,
            print=self.screen.print,
            shell=self.shell.ask,
            inject=self.inject_line,
            take_back=self.take_back,
            open=self.switch.to,
            pick=self.screen.pick,
            background=self._background.begin,
            custom=commands.custom,
            reread=lambda settings, say: self.reread(settings, say),  # noqa: PLW0108 - it is set later
        )
        self.screen.unfold = lambda: commands.run("/show", self.desk)
        self.reread: Callable[[i.Settings, Say], list[i.Event]] = lambda _, __: []
        self.held: list[str] = []
        self._unseen = 0
        self._handed: list[i.Settings] = []
        self._pressed = -TWICE_S

    def give(self, group: Sequence[i.Event]) -> None:
        """Hand in an input."""
        self._unseen += sum(isinstance(event, AWAITED) for event in group)
        self._handed += (event for event in group if isinstance(event, i.Settings))
        self._loop_gives(group)
        self.screen.refresh()

    # -- what the log says of it -----------------------------------------------------------------

    def learn(self, line: Line) -> None:
        """Take a line of the log in, also one of an earlier run."""
        if isinstance(line.event, i.UserInput):
            self.screen.pastes.learn(line.event.text, line.event.sent)
        self.changes.take(line)

    def heed(self, line: Line) -> None:
        """Act on a line that has just been written: it is on disk."""
        if isinstance(line.event, AWAITED):  # those that begin a session are nobody's
            self._unseen = max(0, self._unseen - 1)
        match line.event:
            case i.Settings():
                del self._handed[:1]
                self.questions.settle(self._runs)
            case i.Command(name=name) if name == SHELL:
                self.shell.begin(line.seq)
            case i.Command(name=name) if name in CARRIED_OUT:
                CARRIED_OUT[name](self.desk, line.event)

    def take_lines(self, texts: Sequence[str]) -> None:
        """Have lines back at the prompt that waited."""
        self.screen.put("\n".join(map(self.screen.pastes.returned, texts)))

    def rest(self) -> None:
        """The next move is the person's: what was held comes now, or goes back to the prompt."""
        self._hint()
        if self.held and self._status().unfinished:
            self.screen.put("\n".join(self.held))
            self.held.clear()
        while self.held and not self.is_busy():
            self._hand_in(self.held.pop(0))

    def begin(self, opened: Opened) -> None:
        """Say what there is to say of the opening; go on with what was typed before it."""
        for text in opened.said:
            self.screen.warn(text)
        self.screen.put(opened.typed)
        if line := opened.line:
            self.screen.pastes.learn(line.text, line.sent)
            self.screen.put(line.text)
        if self.screen.text and self._status().unfinished:  # then Enter sends that
            self.screen.warn(CONTINUE)
        self.held += opened.held
        self.rest()

    async def close(self) -> None:
        """End what they have running; what is typed goes with them to the next session."""
        self._background.close()
        await self.switch.close()
        if coming := self.switch.next:
            coming.held = list(map(self._whole, self.held))
            coming.typed = self._whole(self.screen.text)
        await self.shell.close()

    def _whole(self, line: str) -> str:
        """What another session would understand."""
        return spelled(self.screen.pastes.expand(line), Images(self._session.directory))

    def _hint(self, text: str = "") -> None:
        """Say something at the empty prompt: this, or what Enter would do."""
        unfinished = self._status().unfinished
        self.screen.hint = text or (GO_ON if unfinished else "")
        self.screen.refresh()

    # -- what they do ----------------------------------------------------------------------------

    def enter(self) -> None:
        """Hand the line in: as an answer, a command, or something to do."""
        line = self.screen.take()
        command = line.strip()
        free = not (line.startswith("!") and self.shell.command)
        acts = self._commands.acts(command)
        at_once = acts and not self._commands.waits(command) and free
        if self.switch.under_way:  # the line is meant for the session that comes
            self.held += [line] if command else []
        elif self.questions.pending and not acts:
            self.questions.answer(self.screen.pastes.expand(line))
        elif not command:
            if self._status().unfinished and not self.is_busy():
                self.give([i.Continue()])
        elif at_once:
            self._hand_in(line)
        elif self.held or (self.is_busy() and acts):
            self.held.append(line)
            self.screen.refresh()
        else:
            self._hand_in(line)

    def _hand_in(self, line: str) -> None:
        command = line.strip()
        if self._commands.acts(command):
            if command != "/dream" and command[0] != "!":  # those are shown when they are logged
                self.screen.echo(command)
            self._commands.run(self.screen.pastes.expand(command), self.desk)
        elif (sent := self._sent(line)) is not None:
            self.give([i.UserInput(text=line, sent=None if sent == line else sent)])

    def _sent(self, line: str) -> str | None:
        """What the model gets; none, and the line back, if that cannot be read."""
        try:
            asked = self._commands.custom.asked(line)
        except UsageError as error:
            self.screen.warn(str(error))
            self.screen.put(line)
            return None
        images = Images(self._session.directory)
        expanded, warnings = expand(asked.text, self._cwd, images, within=asked.root)
        for warning in (*asked.news, *warnings):
            self.screen.warn(warning)
        return self.screen.pastes.expand(expanded)

    def inject(self) -> None:
        """Put the line into the running turn; at rest it begins one."""
        elsewhere = self.questions.pending or self.switch.under_way
        if not self.is_busy() or elsewhere or self._commands.acts(self.screen.text):
            self.enter()
        elif self.screen.text.strip():
            self.inject_line(self.screen.take())

    def inject_line(self, line: str) -> None:
        """Put a line into the running turn; at rest it begins one."""
        if not self.is_busy():
            self._hand_in(line)
        elif (sent := self._sent(line)) is not None:
            self.give([i.UserInject(text=sent)])

    def take_back(self) -> None:
        """Take the last waiting line back.

        Raises:
            UsageError: If none waits.
        """
        if self.held:
            self.screen.put(self.held.pop())
        elif queued := self._status().queued:
            self.give([i.UserTakeBack(of=max(queued))])
        else:
            raise UsageError("no line waits")

    def interrupt(self) -> None:
        """Stop what is under way: the person's own shell line first."""
        if self.shell.command:
            self.shell.stop()
        elif self.switch.under_way:
            self.switch.give_up()
        else:
            self.give([i.Interrupt()])

    def control_c(self) -> None:
        """One press stops what is under way or clears the line; two within a second leave."""
        if self.screen.lent:  # it is the editor's
            return
        now = time.monotonic()
        twice, self._pressed = now - self._pressed < TWICE_S, now
        if self.screen.text and not self.is_busy():
            self.screen.take()
            self.screen.refresh()  # a signal is no key, after which it would be drawn anyway
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

    # -- how things stand ------------------------------------------------------------------------

    def _runs(self, call: i.ToolCall) -> bool:
        world = self._session.world
        known = [tool.name for tool in world.tools]
        return judge(call, world.settings, world.grants, world.cwd, known).action == "run"

    def _settings(self) -> i.Settings:
        return self._handed[-1] if self._handed else self._session.world.settings

    def is_asked(self) -> bool:
        """Whether the line is the answer to a question."""
        return self.questions.pending

    def is_busy(self) -> bool:
        """Whether something runs, or what a line or command asks for is on its way."""
        turn = self._unseen > 0 or self._status().doing != "idle"
        return turn or bool(self.shell.command) or self.switch.under_way

    def is_empty(self) -> bool:
        """Whether nothing is typed."""
        return not self.screen.text

    def can_take_back(self) -> bool:
        """Whether nothing is typed, and a line waits."""
        waiting = self.held or self._status().queued
        return not self.screen.text and not self.questions.pending and bool(waiting)
