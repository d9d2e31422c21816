"""What a table must never say: the full check, all findings at once.

Start-up only reads. The check runs in `fsm-agent states check`, in the tests, and for tables that
are not the shipped ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath

from fsm_agent.errors import DeclarationError
from fsm_agent.machine.rows import Row
from fsm_agent.machine.table import Table

ENTERED = "entered"
"""The trigger that a state itself gives, in the batch that enters it; nobody can send it."""
VERBS = ("CONFIRM", "CANCEL", "CLEAR")
"""What `plan.VERB` may become."""
RECEIVERS = {
    "session": ("session",),
    "turn": ("turn",),
    "plan": ("plan",),
    "compaction": ("compaction",),
    "tools": ("tool",),
    "asker": ("session", "turn", "plan", "tool"),
}
"""The machines that an address in `sends` may reach; each must take what is sent."""

Finding = tuple[int, str]
"""Line and message."""


def check(
    table: Table,
    path: PurePath,
    others: Mapping[str, Table] | None = None,
    *,
    watcher: bool = False,
) -> list[DeclarationError]:
    """Return all that is wrong with a table, by line; nothing if it is sound.

    Args:
        table: The table.
        path: Its file, for the messages.
        others: The tables it runs with, by name; None leaves its `sends` unlooked at.
        watcher: Whether it is a rule of the audit, and may say what only such a rule can.
    """
    findings = itertools.chain(
        _asks(table),
        _states(table),
        _rows(table),
        _answers(table),
        _circles(table),
        _sends(table, others) if others is not None else (),
        _watcher(table) if not watcher else (),
    )
    return [DeclarationError(path, line, message) for line, message in sorted(findings)]


def _asks(table: Table) -> Iterator[Finding]:
    used = {ask for row in table.rows for ask in row.when}
    for name, ask in table.asks.items():
        if name not in used:
            yield ask.line, f"question '{name}' is asked by no row"
        if len(set(ask.of)) < len(ask.of):
            yield ask.line, f"question '{name}' lists an answer twice"
        for answer in _without(ask.bounded, ask.of):
            yield ask.line, f"question '{name}' has no answer '{answer}' to be bounded"


def _states(table: Table) -> Iterator[Finding]:
    reached = _reached(table)
    if table.initial not in table.states:
        yield table.line, f"unknown state '{table.initial}'"
    for name, state in table.states.items():
        acts = "does" if state.does else "on_crash" if state.on_crash else None
        if name not in reached:
            yield state.line, f"state '{name}' is never reached"
        if not (state.final or state.violation or table.triggers(name)):
            yield state.line, f"state '{name}' is a dead end: not final, and no row leaves it"
        if acts and state.final:
            yield state.line, f"final state '{name}' must not have '{acts}'"
        if acts and passes(table, name):
            yield state.line, f"state '{name}' is only passed through; it must not have '{acts}'"
        if state.does and not state.on_crash:
            yield state.line, f"state '{name}' does something but does not say what a crash is"
        if state.on_crash and state.on_crash not in table.triggers(name):
            yield state.line, f"state '{name}' has no row for its on_crash '{state.on_crash}'"


def passes(table: Table, state: str) -> bool:
    """Whether the state is left in the batch that enters it, whatever the answers are."""
    rows = table.at.get((state, ENTERED), ())
    return bool(rows) and all(row.to for row in rows)


def _reached(table: Table) -> set[str]:
    reached, waiting = {table.initial}, [table.initial]
    while waiting:
        state = waiting.pop()
        for row in table.rows:
            if state in row.source and row.to and row.to not in reached:
                reached.add(row.to)
                waiting.append(row.to)
    return reached


def _rows(table: Table) -> Iterator[Finding]:
    for row in table.rows:
        for state in _without((*row.source, *([row.to] if row.to else ())), table.states):
            yield row.line, f"{row.id}: unknown state '{state}'"
        for state in row.source:
            if state in table.states and table.states[state].final:
                yield row.line, f"{row.id}: leaves the final state '{state}'"
        if row.to in row.source:
            yield row.line, f"{row.id}: stays in '{row.to}'; a row that stays leaves out 'to'"
        if len(set(row.source)) < len(row.source):
            yield row.line, f"{row.id}: lists a state twice"
        for ask, taken in row.when.items():
            if ask not in table.asks:
                yield row.line, f"{row.id}: unknown question '{ask}'"
                continue
            for answer in _without(taken, table.asks[ask].of):
                yield row.line, f"{row.id}: question '{ask}' has no answer '{answer}'"


def _answers(table: Table) -> Iterator[Finding]:
    """For each state and trigger, the first combination that not exactly one row takes."""
    for (state, trigger), rows in table.at.items():
        asks = table.questions(state, trigger)
        if _without(asks, table.asks):
            continue
        for given in itertools.product(*(table.asks[ask].of for ask in asks)):
            answers = dict(zip(asks, given, strict=True))
            fitting = [row for row in rows if row.fits(answers)]
            if len(fitting) == 1:
                continue
            words = ", ".join(f"{ask} = {answer}" for ask, answer in answers.items())
            where = f"'{trigger}' in '{state}'" + (f" with {words}" if words else "")
            if fitting:
                ids = " and ".join(row.id for row in fitting)
                yield fitting[-1].line, f"{ids} overlap: {where}"
            else:
                yield rows[0].line, f"no row takes {where}"
            break


def _circles(table: Table) -> Iterator[Finding]:
    """Circles through `entered` that no bounded answer ends: a batch without an end."""
    free = [row for row in table.rows if row.on == ENTERED and row.to and not _bounded(table, row)]
    for row in free:
        ahead, waiting = set[str](), [row.to]
        while waiting:
            state = waiting.pop()
            if state and state not in ahead:
                ahead.add(state)
                waiting.extend(other.to for other in free if state in other.source)
        if back := [state for state in row.source if state in ahead]:
            yield row.line, f"{row.id}: '{back[0]}' is entered again and again in one batch"


def _bounded(table: Table, row: Row) -> bool:
    return any(
        ask in table.asks and not _without(taken, table.asks[ask].bounded)
        for ask, taken in row.when.items()
    )


def _sends(table: Table, others: Mapping[str, Table]) -> Iterator[Finding]:
    for row in table.rows:
        for address in row.sends:
            who, _, trigger = address.partition(".")
            machines = [machine for machine in RECEIVERS.get(who, ()) if machine in others]
            triggers = VERBS if address == "plan.VERB" else (trigger,)
            if not machines:
                yield row.line, f"{row.id}: '{address}' reaches no machine"
            for machine, sent in itertools.product(machines, triggers):
                if not _takes(others[machine], sent):
                    yield row.line, f"{row.id}: no row of '{machine}' takes '{sent}'"


def _watcher(table: Table) -> Iterator[Finding]:
    """What only a rule of the audit may say."""
    if table.watch:
        yield table.watch, "[watch] belongs in a rule file of the audit"
    for name, state in table.states.items():
        if state.violation:
            yield state.line, f"state '{name}': 'violation' belongs in a rule file of the audit"


def _takes(table: Table, trigger: str) -> bool:
    return trigger != ENTERED and any(row.on == trigger for row in table.rows)


def _without(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names that are not known, each once, in their order."""
    return [name for name in dict.fromkeys(names) if name not in known]
