"""One shot: the answer on stdout, all else on stderr."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.assembly import Wanted, assemble, open_session
from fsm_agent.runtime.loop import Loop
from fsm_agent.runtime.session import Session
from fsm_agent.settings import RunSettings

Output = Literal["text", "json", "stream-json"]
SIGNALS = {signal.SIGINT: "int", signal.SIGTERM: "term", signal.SIGHUP: "hup"}

WIDTH = 80
"""Characters of a call that its line shows."""


class OneShot(msgspec.Struct, frozen=True):
    """What is asked, and how the answer is wanted."""

    prompt: str
    sent: str
    output: Output
    deltas: bool
    person: bool


def run_one_shot(
    shot: OneShot, settings: RunSettings, wanted: Wanted, home: Path, cwd: Path
) -> int:
    """Ask, show, leave; return the exit code."""
    session = open_session(wanted, home, cwd)
    try:
        code = asyncio.run(_run(shot, settings, session, cwd))
    finally:
        session.close()
    if shot.output == "text" and code:
        print(f"session {session.directory.name}: exit {code}", file=sys.stderr)
    return code


async def _run(shot: OneShot, settings: RunSettings, session: Session, cwd: Path) -> int:
    printer = Printer(shot)
    run = assemble(session, settings, cwd, show=printer.show, deltas=printer.deltas)
    printer.loop = run.loop
    for number, reason in SIGNALS.items():
        asyncio.get_running_loop().add_signal_handler(
            number, run.loop.give, [i.Leave(reason=reason)]
        )
    if shot.prompt.strip():
        sent = None if shot.sent == shot.prompt else shot.sent
        run.loop.give([i.UserInput(text=shot.prompt, sent=sent)])
    else:
        run.loop.give([i.Continue()])
    code = await run.loop.run(run.hands)
    printer.end(session, code)
    return code


class Printer:
    """Prints batches in one of the three forms."""

    def __init__(self, shot: OneShot) -> None:
        self._shot = shot
        self.loop: Loop | None = None
        self._heard: dict[int, str] = {}
        self._answer = ""
        self._errors: list[str] = []

    def show(self, lines: Sequence[Line], raw: bytes) -> None:
        """Take a batch in; when the session rests, leave."""
        if self._shot.output == "stream-json":
            self._write(raw)
        for line in lines:
            self._line(line.seq, line.event)

    def deltas(self, instance: str, deltas: Sequence[Delta]) -> None:
        """Pieces of an answer, as lines without `seq`."""
        if self._shot.output == "stream-json" and self._shot.deltas:
            for delta in deltas:
                piece = {"type": "delta", "instance": instance, "of": delta.kind}
                self._write(msgspec.json.encode(piece | {"text": delta.text}) + b"\n")

    def _write(self, raw: bytes) -> None:
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()

    def _line(self, seq: int, event: Event | d.Unknown) -> None:
        match event:
            case i.Text():
                self._heard[seq] = event.text
            case d.Blocks():
                texts = [self._heard[seq] for seq in event.kept if seq in self._heard]
                self._heard.clear()
                self._answer = "".join(texts)
                if self._shot.output == "text" and self._answer and not event.calls:
                    end = "" if self._answer.endswith("\n") else "\n"
                    self._write((self._answer + end).encode())
            case d.Transition(instance="session", target="idle") if self.loop:
                self.loop.give([i.Leave(reason="done")])
            case _:
                self._aside(event)

    def _aside(self, event: Event | d.Unknown) -> None:
        """What a person may want to know beside the answer."""
        match event:
            case d.Error():
                hint = f"\n  {event.hint}" if event.hint else ""
                text = f"error: {event.message}{hint}"
                self._errors.append(event.message)
            case d.Retry():
                text = f"{event.error}: trying again in {event.ms / 1000:.1f} s ({event.attempt})"
            case d.Refusal():
                text = f"not possible: {event.why}"
            case d.RunTool():
                text = f"[{event.name}] {self._call(event.instance)}"
            case d.Permission(decision="deny"):
                text = f"[{event.name}] denied: {event.reason}"
            case _:
                return
        if self._shot.output != "stream-json":
            print(text, file=sys.stderr)

    def _call(self, instance: str) -> str:
        world = self.loop.session.world if self.loop else None
        call = world.turn.calls.get(instance) if world else None
        values = call.line.input if call else {}
        first = next((v for v in values.values() if isinstance(v, str)), "")
        words = " ".join(first.split())
        return words if len(words) <= WIDTH else words[: WIDTH - 3] + "..."

    def end(self, session: Session, code: int) -> None:
        """The one object of `--output-format json`."""
        if self._shot.output != "json":
            return
        world = session.world
        result = {
            "session": world.session,
            "turn": world.last_turn,
            "exit_code": code,
            "text": self._answer,
            "errors": self._errors,
            "usage": world.usage,
            "requests": world.requests,
            "log": str(session.directory / "events.jsonl"),
        }
        self._write(msgspec.json.encode(result) + b"\n")
