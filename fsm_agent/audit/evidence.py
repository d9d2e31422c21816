"""What a rule may look at, and how it says what it found."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from fsm_agent.audit.findings import Finding, Result, Rule
from fsm_agent.events.derived import Transition
from fsm_agent.events.inputs import Outcome
from fsm_agent.events.lines import Batch, Line, Seal, type_of
from fsm_agent.lifecycles.world import World

Handler: TypeAlias = Callable[[Any, Line], object]
"""Looks at one event and its line, before the fold takes it in."""
WIDTH = 160
"""Characters of a line that a finding shows."""


class Monitor(ABC):
    """A few rules that share what they remember; its state grows with what is open only."""

    @abstractmethod
    def handlers(self) -> Mapping[type, Handler]:
        """What it looks at, by type of event."""

    def batch_begins(self) -> None:  # noqa: B027 - most monitors need no hook
        """The next batch is at hand; nothing of it is folded yet."""

    def batch_ends(self) -> None:  # noqa: B027 - most monitors need no hook
        """All lines of the batch are folded."""

    def log_ends(self) -> None:  # noqa: B027 - most monitors need no hook
        """There are no more batches."""


class Evidence:
    """One log as far as it has been read.

    Attributes:
        path: The log's file.
        world: What the log says so far.
        batch: The batch at hand.
        given: The batch's trigger: the last of its inputs; None in a batch of notes.
        live: Whether somebody is writing the log just now.
        result: Where findings go.
    """

    def __init__(
        self, path: Path, world: World, result: Result, rules: Mapping[str, Rule], *, live: bool
    ) -> None:
        self.path, self.world, self.result, self.live = path, world, result, live
        self.batch = Batch((), Seal("", ""), b"")
        self.given: Line | None = None
        self._rules = rules
        self._before = b""

    def turn_to(self, batch: Batch) -> None:
        """Take the next batch in hand."""
        self._before, self.batch, self.given = self.batch.raw, batch, None
        for line in batch.lines:
            if line.kind != "input":
                break
            self.given = line

    def found(self, rule: str, message: str, line: Line | None = None) -> None:
        """Report a breach at a line of the batch at hand, or at none."""
        place = self._place(line) if line else {}
        self.result.add(
            Finding(
                rule=rule,
                severity=self._rules[rule].severity,
                file=self.result.file,
                line=line.seq + 1 if line else 0,
                message=message,
                **place,
            )
        )

    def _place(self, line: Line) -> dict[str, Any]:
        event = line.event
        return {
            "seq": line.seq,
            "instance": getattr(event, "instance", ""),
            "subject": event.row if isinstance(event, Transition) else type_of(event),
            "context": self._context(line),
            "chain": tuple(self._chain(line)),
        }

    def _context(self, line: Line) -> tuple[str, ...]:
        raws = self.batch.raw.rstrip(b"\n").split(b"\n")
        index = line.seq - self.batch.lines[0].seq
        before = raws[index - 1] if index else self._before.rstrip(b"\n").rpartition(b"\n")[2]
        around = (before, *raws[index : index + 2])
        return tuple(_shown(raw) for raw in around if raw)

    def _chain(self, line: Line) -> list[str]:
        known = {each.seq: each for each in self.batch.lines}
        chain = [_named(line)]
        while line.cause in known and line.cause < line.seq:
            line = known[line.cause]
            chain.append(_named(line))
        if isinstance(line.event, Outcome) and line.event.activity >= 0:
            chain.append(f"activity {line.event.activity}")
        return chain


def _shown(raw: bytes) -> str:
    """A line as a finding shows it: without time and kind, and cut."""
    text = _WHEN.sub(b"", raw, 1).decode(errors="replace")
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


_WHEN = re.compile(rb'"time":"[^"]*","kind":"[^"]*",')


def _named(line: Line) -> str:
    event = line.event
    name = f"{line.seq} {type_of(event)}"
    if isinstance(event, Transition):
        return f"{name} {event.row} {event.instance} '{event.trigger}'"
    instance = getattr(event, "instance", "")
    return f"{name} {instance}" if instance else name
