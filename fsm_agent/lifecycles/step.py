"""The heart: one input run to its end, purely."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from fsm_agent.errors import FsmAgentError
from fsm_agent.events.canonical import canonical
from fsm_agent.events.derived import Transition
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Kind, Line, type_of
from fsm_agent.lifecycles.activities import DOES
from fsm_agent.lifecycles.addresses import Aim, addressed, machine_of, receivers
from fsm_agent.lifecycles.asks import ASK
from fsm_agent.lifecycles.emitters import EMIT
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.world import World

SEMANTICS = 1
"""Raised when the derived lines of a golden log change; `session_start.semantics`."""
BOUND = 1000
"""Transitions that one input may lead to."""
SYNCED = frozenset({"send_request", "summarise", "run_tool", "session_end"})
"""Lines that spend or change something, or end the log: on disk before anything is done."""
OF_A_PERSON = frozenset(
    {"user_input", "user_inject", "user_take_back", "interrupt", "leave", "continue", "command"}
    | {"approved", "declined", "plan_command", "compact_command"}
)
"""A person's acts: on disk before they are answered."""


class Step(msgspec.Struct):
    """What one input led to: lines to write, activities to begin, activities to let go."""

    world: World
    time: str
    lines: list[Line] = msgspec.field(default_factory=list)
    begins: list[Line] = msgspec.field(default_factory=list)
    leaves: list[int] = msgspec.field(default_factory=list)

    def note(self, kind: Kind, event: Event, cause: int | None = None) -> int:
        """Give the event its place and fold it in at once: the next question sees it."""
        world = self.world
        line = Line(world.seq, self.time, kind, event, cause)
        apply(world, line)
        self.lines.append(line)
        return line.seq

    @property
    def durable(self) -> bool:
        """Whether the batch must be on disk before anything is done about it."""
        kinds = {type_of(line.event) for line in self.lines}
        return not kinds.isdisjoint(SYNCED | OF_A_PERSON)


def step(world: World, group: Sequence[Event], time: str) -> Step:
    """Run one input to completion.

    Args:
        world: The facts so far; moved on by the lines that come out.
        group: The input's lines; the last is the trigger.
        time: When it came, ISO 8601; never put before the time of the line before.

    Raises:
        IllegalTrigger: If a table has no row. The lines so far are not a batch.
        FsmAgentError: If the input leads to more than `BOUND` transitions.
    """
    done = Step(world, max(time, world.time))
    seq = world.seq
    for event in group:
        seq = done.note("input", canonical(event))
    given = group[-1]
    agenda = {aim: (seq, aim[0]) for aim in addressed(world, given)}
    for _ in range(BOUND):
        if not agenda:
            return done
        aim = next(iter(agenda))  # first in, first out; what waits already is not sent again
        cause, sent = _move(done, aim, agenda.pop(aim), given)
        for follow in sent:
            agenda.setdefault(follow, (cause, aim[0]))
    raise FsmAgentError(f"one input led to more than {BOUND} transitions: {given}")


def _move(done: Step, aim: Aim, sender: tuple[int, str], given: Event) -> tuple[int, list[Aim]]:
    """Take one row; return its transition's seq and what it sends."""
    world, (name, trigger) = done.world, aim
    table = world.tables[machine_of(name)]
    source = world.at.get(name, table.initial)
    answers = {ask: ASK[ask](world, name) for ask in table.questions(source, trigger)}
    move = table.move(source, trigger, tuple(answers.items()))
    row, left = move.row, world.open.get(name)
    cause = done.note(
        "derived",
        Transition(
            instance=name,
            row=row.id,
            trigger=trigger,
            source=source,
            target=move.target,
            answers=answers,
            by=sender[1] if sender[1] != name else None,
        ),
        sender[0],
    )
    for kind in row.emits:
        for event in EMIT[kind](world, name, given):
            done.note("derived", event, cause)
    sent: list[Aim] = []
    for address in row.sends:
        sent += receivers(world, name, address, given)
    if row.to and left is not None:
        done.leaves.append(left)
    if move.does:
        done.note("derived", DOES[move.does](world, name), cause)
        done.begins.append(done.lines[-1])
    if move.enters:
        sent.append((name, "entered"))
    return cause, sent
