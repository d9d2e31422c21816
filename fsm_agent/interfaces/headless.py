"""One shot: the answer on stdout, all else on stderr."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from fsm_agent.context.memory import DREAM
from fsm_agent.dialects.protocol import Delta
from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.amounts import context_cut
from fsm_agent.interfaces.assembly import (
    Wanted,
    assemble,
    open_session,
    place_of,
    places,
    workplace,
)
from fsm_agent.interfaces.outlets import Outlet, aside
from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.planned import Agreed, carry_out, drafted
from fsm_agent.runtime.expanding import expand, with_stdin
from fsm_agent.runtime.hands import Asker
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.naming import readable
from fsm_agent.runtime.places import DRAFT, LOG
from fsm_agent.runtime.promptfiles import Asked
from fsm_agent.runtime.session import Session
from fsm_agent.settings import RunSettings
from fsm_agent.tools.protocol import Workplace

Output = Literal["text", "json", "stream-json"]
SIGNALS = {signal.SIGINT: "int", signal.SIGTERM: "term", signal.SIGHUP: "hup"}


class OneShot(msgspec.Struct, frozen=True):
    """What is asked, in words and by what was piped in, where, and how the answer is wanted.

    `asked`: what the words ask for. `plan_only`: the draft of a plan is the answer. `agreed`: the plan to carry out. `plain`: the
    person is asked without colours.
    """

    words: str
    asked: Asked
    piped: str
    cwd: Path
    output: Output
    deltas: bool
    person: bool
    plan_only: bool = False
    agreed: Agreed | None = None
    plain: bool = False

    @property
    def prompt(self) -> str:
        """What the person said, as they said it."""
        return with_stdin(self.words, self.piped)

    @property
    def dreams(self) -> bool:
        """Whether the session is to be looked back on."""
        return self.prompt.strip() == "/dream"


def asked_for(words: str, cwd: Path) -> Asked:
    """What the words ask for: a prompt file by its name, as at the prompt, or themselves.

    Raises:
        UsageError: If the file cannot be read.
    """
    if not words.lstrip().startswith("/"):
        return Asked(words)
    from fsm_agent.interfaces.terminal.commands.table import Commands  # noqa: PLC0415 - start-up

    return Commands(places(cwd)).custom.asked(words)


def run_one_shot(shot: OneShot, settings: RunSettings, wanted: Wanted, home: Path) -> int:
    """Ask, show, leave; return the exit code."""
    session = open_session(wanted, home, shot.cwd)
    try:
        if not (shot.prompt.strip() or session.unfinished):
            raise UsageError(f"session {session.name}: nothing was cut short; say what to do next")
        if shot.dreams and not session.world.messages:
            raise UsageError("there is nothing to look back on: -c or --resume takes a session up")
        place = place_of(session, shot.cwd)
        return asyncio.run(_run(shot, settings, session, place))
    finally:
        session.close()


async def _run(shot: OneShot, settings: RunSettings, session: Session, cwd: Path) -> int:
    printer = Printer(shot, session)

    def leave(reason: str) -> None:
        run.loop.give([i.Leave(reason=reason)])

    for number, reason in SIGNALS.items():  # before the first line: it shall have an end
        asyncio.get_running_loop().add_signal_handler(number, leave, reason)
    asker = AtTerminal(workplace(session, cwd), plain=shot.plain) if shot.person else None
    run = assemble(session, settings, cwd, show=printer.show, deltas=printer.deltas, asker=asker)
    acts = _acts(shot, session)
    printer.rest = lambda: run.loop.give(next(acts, [i.Leave(reason="done")]))
    printer.rest()
    return printer.end(await run.loop.run(run.hands))


def _acts(shot: OneShot, session: Session) -> Iterator[Sequence[i.Event]]:
    """What is handed in, each as the session rests."""
    said = _said(shot, session)
    if shot.agreed and isinstance(said, i.UserInput):
        yield from carry_out(shot.agreed, session.world, session.directory / DRAFT, said)
        return
    yield [said]
    yield [i.Leave(reason="planned" if shot.plan_only else "done")]


def _said(shot: OneShot, session: Session) -> i.UserInput | i.Continue:
    if not shot.prompt.strip():
        return i.Continue()
    if shot.dreams:
        return i.UserInput(text="/dream", sent=DREAM)
    asked, images = shot.asked, Images(session.directory)
    sent, warnings = expand(asked.text, shot.cwd, images, shot.piped, within=asked.root)
    for warning in (*asked.news, *warnings):
        aside(f"fsm-agent: {warning}")
    return i.UserInput(text=shot.prompt, sent=None if sent == shot.prompt else sent)


class AtTerminal:
    """Asks the person at the terminal; what draws the question is loaded with the first one."""

    def __init__(self, place: Workplace, *, plain: bool) -> None:
        self._place, self._plain = place, plain
        self._asker: Asker | None = None

    async def ask(self, call: i.ToolCall, reason: str) -> tuple[str, str]:
        """See `Asker`."""
        if self._asker is None:
            from fsm_agent.interfaces.terminal.asking import LineAsker  # noqa: PLC0415 - start-up

            self._asker = LineAsker(self._place, plain=self._plain)
        return await self._asker.ask(call, reason)


class Printer:
    """Prints batches in one of the three forms."""

    def __init__(self, shot: OneShot, session: Session) -> None:
        self._shot, self._session = shot, session
        self._out = Outlet(sys.stdout)
        self.rest: Callable[[], None] | None = None
        self._heard: dict[int, str] = {}
        self._answer = ""
        self._errors: list[str] = []

    def show(self, lines: Sequence[Line], raw: bytes) -> None:
        """Take a batch in; when the session rests, go on with what is to be handed in."""
        if self._shot.output == "stream-json":
            self._out.write(raw)
        for line in lines:
            self._line(line.seq, line.event)

    def deltas(self, instance: str, deltas: Sequence[Delta]) -> None:
        """Pieces of an answer, as lines without `seq`."""
        if self._shot.output == "stream-json" and self._shot.deltas:
            for delta in deltas:
                piece = {"type": "delta", "instance": instance, "of": delta.kind}
                self._out.write(msgspec.json.encode(piece | {"text": delta.text}) + b"\n")

    def _line(self, seq: int, event: Event | d.Unknown) -> None:
        match event:
            case i.Text():
                self._heard[seq] = event.text
            case d.Blocks():
                texts = [self._heard[seq] for seq in event.kept if seq in self._heard]
                self._heard.clear()
                self._answer = "".join(texts)
                if self._shot.output == "text" and self._answer:
                    self._say(self._answer, last=not event.calls)
            case d.Transition(instance="session", target="idle") if self.rest:
                self.rest()
            case _:
                self._aside(event)

    def _say(self, answer: str, *, last: bool) -> None:
        """The answer goes to stdout; what is said on the way to it, or to a plan, is an aside."""
        if not last or self._shot.plan_only:
            aside(escape(answer.rstrip("\n")))
            return
        text = escape(answer) if sys.stdout.isatty() else answer
        self._out.write(text.encode() if text.endswith("\n") else f"{text}\n".encode())

    def _aside(self, event: Event | d.Unknown) -> None:
        """What a person may want to know beside the answer."""
        match event:
            case d.Error():
                hint = f"\n  {event.hint}" if event.hint else ""
                of = "no summary was written: " if event.instance == "compaction" else ""
                text = f"error: {of}{event.message}{hint}"
                self._errors.append(f"{of}{event.message}")
            case d.Retry():
                text = f"{event.error}: trying again in {event.ms / 1000:.1f} s ({event.attempt})"
            case d.ContextUpdate(of=int()):
                text = context_cut(event.before, event.after, event.cost, event.net)
            case d.Refusal():
                text = f"not possible: {event.why}"
            case d.RunTool():
                text = f"[{event.name}] {self._call(event.instance)}"
            case d.Permission(decision="deny"):
                text = f"[{event.name}] denied: {event.reason}"
            case _:
                return
        if self._shot.output != "stream-json":
            aside(escape(text))

    def _call(self, instance: str) -> str:
        call = self._session.world.turn.calls.get(instance)
        values = call.line.input if call else {}
        return shorten(escape_line(next((v for v in values.values() if isinstance(v, str)), "")))

    def end(self, code: int) -> int:
        """Say how it ended; return the exit code, which an answer that is nowhere spoils."""
        session = self._session
        if self._shot.output == "json":
            self._out.write(self._result(code))
        elif self._shot.output == "text":
            if self._shot.plan_only:
                self._plan()
            if code:
                aside(f"session {session.name}: exit {code}")
        lost = self._out.lost
        if lost is None or isinstance(lost, BrokenPipeError):
            return code
        log = session.directory / LOG
        aside(f"fsm-agent: stdout: {lost.strerror}; what was to stand there is in {log}")
        return code or 1

    def _plan(self) -> None:
        """The draft, byte for byte what its digest is of; a terminal gets it escaped."""
        found = drafted(self._session.world)
        if found is None:
            aside("no plan was drafted")
            return
        text, digest = found
        shown = f"{escape(text)}\n" if sys.stdout.isatty() else text
        self._out.write(shown.encode())
        aside(f"plan ready: sha256 {digest}")

    def _result(self, code: int) -> bytes:
        """The one object of `--output-format json`."""
        session, world = self._session, self._session.world
        result = {
            "session": world.session,
            "turn": world.last_turn,
            "exit_code": code,
            "text": self._answer,
            "errors": self._errors,
            "usage": world.usage,
            "requests": world.requests,
            "cost_microdollars": None if world.unpriced else world.cost,
            "unpriced_answers": world.unpriced,
            "log": readable(str(session.directory / LOG)),
        }
        if self._shot.plan_only:
            result["plan"], result["plan_digest"] = drafted(world) or (None, None)
        return msgspec.json.encode(result) + b"\n"
