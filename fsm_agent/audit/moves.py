"""Rules about transitions: are they the moves that input and rows ask for?

This is `lifecycles.step` with the answers taken from the log: each row is fired again with the
recorded answers, and what it emits and sends must be what the batch goes on with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.errors import IllegalTrigger
from fsm_agent.events.derived import Transition, Unknown
from fsm_agent.events.inputs import Event, SessionResume, SessionStart
from fsm_agent.events.lines import DERIVED, Line
from fsm_agent.lifecycles.addresses import addressed, receivers

MAY_BE_LEFT_OUT = frozenset({"notices", "blocks", "stop", "lines_returned"})
"""Lines that a row emits only where there is something to say …"""
ASIDE = ("compaction", "refusal")
"""… and one that only a person who asked for it is told."""

SEVERAL = frozenset({"context_update"})
"""Lines of which a row may emit more than one: a cut, and what is thinned out with it."""

_Aim: TypeAlias = tuple[str, str, int | None, str | None]
"""A move that is due: instance, trigger, cause, and who sent it if not the instance itself."""


class _Plan(msgspec.Struct, frozen=True):
    """What follows from a transition: the lines, then the moves."""

    initial: str
    fault: str = ""
    due: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    entered: bool = False


_NO_PLAN = _Plan("")
_NOWHERE = Transition(instance="", row="", trigger="", source="", target="")


class Moves(Monitor):
    """FSA007, 010, 011, 012, 013, 014, 021."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._world = evidence, evidence.world
        self._plans: dict[tuple[object, ...], _Plan] = {}
        self._names = {of: name for name, of in DERIVED.items()}
        self._speaks = {of: _has_instance(of) for of in DERIVED.values()}
        self._agenda: deque[_Aim] | None = None
        self._lost = False
        """Whether this batch can no longer be followed."""
        self._row, self._seq = _NOWHERE, -1
        """The last transition of the batch, and its line's seq."""
        self._plan, self._written = _NO_PLAN, 0
        """What follows from it, and how many of its lines have come."""

    def handlers(self) -> Mapping[type, Handler]:
        """All derived lines; what brings other tables."""
        return {
            **dict.fromkeys((*DERIVED.values(), Unknown), self._derived),
            **dict.fromkeys((SessionStart, SessionResume), self._new_tables),
            Transition: self._transition,
        }

    def batch_begins(self) -> None:
        """Forget the batch before."""
        self._agenda, self._lost = None, False
        self._row, self._seq = _NOWHERE, -1
        self._plan, self._written = _NO_PLAN, 0

    def batch_ends(self) -> None:
        """Nothing may be left to write or to move."""
        if not self._lost and (agenda := self._settled()) and not self._lost:
            last = self._evidence.batch.lines[-1]
            self._found("FSA014", f"the batch ends before {_said(agenda[0])}", last)

    def _new_tables(self, _: SessionStart | SessionResume, __: Line) -> None:
        self._plans.clear()

    # -- transitions -----------------------------------------------------------------------------

    def _transition(self, event: Transition, line: Line) -> None:
        name = event.instance
        machine = name.partition("-")[0]
        move = (machine, event.row, event.trigger, event.source, event.target)
        key = (*move, *event.answers.items()) if event.answers else move
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._judged(machine, event)
        if not self._lost:
            agenda = self._settled()
            if agenda and agenda[0] == (name, event.trigger, line.cause, event.by):
                del agenda[0]
            elif not self._lost:
                self._astray(agenda, event, line)
        self._row, self._seq, self._plan, self._written = event, line.seq, plan, 0
        at = self._world.at.get(name, plan.initial)
        if plan.fault:
            self._found("FSA010" if plan.initial else "FSA012", plan.fault, line)
        elif at != event.source:
            self._evidence.found("FSA011", f"{name} is in '{at}', not in '{event.source}'", line)
        elif at == plan.initial:
            self._check_name(event, line)

    def _judged(self, machine: str, event: Transition) -> _Plan:
        table = self._world.tables.get(machine)
        if table is None:
            return _Plan("", f"there is no machine '{machine}'")
        try:
            row = table.fire(event.source, event.trigger, tuple(event.answers.items()))
        except IllegalTrigger as error:
            return _Plan(table.initial, str(error))
        target = row.to or event.source
        if (row.id, target) != (event.row, event.target):
            due = f"'{event.trigger}' in '{event.source}' is {row.id} to '{target}'"
            why = f"{machine}: {due}, not {event.row} to '{event.target}'"
            return _Plan(table.initial, why)
        does = table.states[target].does if row.to else None
        return _Plan(
            table.initial,
            due=(*row.emits, does) if does else row.emits,
            sends=row.sends,
            entered=row.to is not None and "entered" in table.triggers(target),
        )

    def _check_name(self, event: Transition, line: Line) -> None:
        """An instance that leaves its machine's first state: may there be one of this name?"""
        world, name = self._world, event.instance
        machine, _, number = name.partition("-")
        if machine == "turn" and world.live:
            self._evidence.found("FSA021", f"{name} begins while {world.live} runs", line)
        elif machine == "turn" and name != f"turn-{world.turns + 1}":
            self._evidence.found(
                "FSA012", f"{name} begins where turn {world.turns + 1} is due", line
            )
        elif machine == "tool" and name not in world.turn.calls:
            self._evidence.found("FSA012", f"{name} is no call of the answer", line)
        elif number and machine not in ("turn", "tool"):
            self._evidence.found("FSA012", f"there is only one {machine}, not {name}", line)

    def _astray(self, agenda: deque[_Aim], event: Transition, line: Line) -> None:
        """The move is not the one that is due, or not for the reason that it gives."""
        if not agenda:
            self._found("FSA014", f"{event.row}: nothing asks {event.instance} for it", line)
            return
        aim = agenda.popleft()
        if aim[:2] != (event.instance, event.trigger):
            self._found("FSA014", f"{event.row}: {_said(aim)} is due", line)
        else:
            given, due = (
                f"line {cause} of {by or event.instance}"
                for cause, by in ((line.cause, event.by), aim[2:])
            )
            self._evidence.found("FSA007", f"{event.row}: caused by {given}, not by {due}", line)

    # -- what follows from them ------------------------------------------------------------------

    def _settled(self) -> deque[_Aim]:
        """The agenda, once the last row's lines have come, with what it sends at the end."""
        plan, agenda = self._plan, self._agenda
        if self._written < len(plan.due):
            self._check_written()
        if agenda is None:
            agenda = self._agenda = deque(self._addressed())
        if plan.sends:
            self._send(agenda, plan.sends)
        if plan.entered:  # a state is entered once a move: nobody can be waiting for it
            agenda.append((self._row.instance, "entered", self._seq, None))
        return agenda

    def _send(self, agenda: deque[_Aim], addresses: tuple[str, ...]) -> None:
        """Put on the agenda what is not waiting there already."""
        name = self._row.instance
        for address in addresses:
            for aim in self._receivers(address):
                if not agenda or all(aim != waiting[:2] for waiting in agenda):
                    agenda.append((*aim, self._seq, None if aim[0] == name else name))

    def _check_written(self) -> None:
        left = [name for name in self._plan.due[self._written :] if not self._optional(name)]
        if left:
            self._found("FSA013", f"{self._row.row}: no {left[0]} follows", self._line())

    def _optional(self, name: str) -> bool:
        return name in MAY_BE_LEFT_OUT or (self._row.instance, name) == ASIDE

    def _addressed(self) -> list[_Aim]:
        given = self._evidence.given
        if given is None or not isinstance(given.event, Event):
            return []
        try:
            aims = addressed(self._world, given.event)
        except LookupError as error:
            self._found("FSA018", f"an instance rests where it cannot: {error}", given)
            return []
        return [(name, trigger, given.seq, None) for name, trigger in aims]

    def _receivers(self, address: str) -> list[tuple[str, str]]:
        given = self._evidence.given
        if given is None or not isinstance(given.event, Event):
            return []
        try:
            return receivers(self._world, self._row.instance, address, given.event)
        except LookupError:
            self._found("FSA018", f"{self._row.row}: '{address}' reaches nobody", self._line())
            return []

    def _derived(self, event: Any, line: Line) -> None:  # noqa: ANN401 - any event
        """The line must be the next that the row emits, or what its state does."""
        if self._lost or line.kind != "derived":
            return
        name = self._names.get(type(event)) or event.type
        row, due = self._row, self._plan.due
        first = self._written
        if name in SEVERAL and name in due[:first][-1:]:
            first -= 1
        for written in range(first, len(due)):
            if due[written] == name:
                break
            if not self._optional(due[written]):
                self._found("FSA013", f"{row.row}: {name} where {due[written]} is due", line)
                return
        else:
            self._found("FSA013", f"{row.row or 'nothing'} does not emit {name} here", line)
            return
        self._written = written + 1
        if line.cause != self._seq:
            why = f"caused by line {line.cause}, not by line {self._seq}"
            self._evidence.found("FSA007", why, line)
        if self._speaks.get(type(event)) and event.instance != row.instance:
            self._found("FSA013", f"{row.row}: {name} of {event.instance}", line)

    def _line(self) -> Line:
        """The line of the last transition."""
        return next(line for line in self._evidence.batch.lines if line.seq == self._seq)

    def _found(self, rule: str, message: str, line: Line) -> None:
        """Report, and follow the batch no further: one fault has one finding."""
        self._lost = True
        self._evidence.found(rule, message, line)


def _has_instance(of: type[Event]) -> bool:
    return any(field.name == "instance" for field in msgspec.structs.fields(of))


def _said(aim: _Aim) -> str:
    return f"'{aim[1]}' of {aim[0]}"
