"""Inputs alone through `step`: the same bytes must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile

import msgspec

from fsm_agent.errors import DamagedLog, FsmAgentError, IllegalTrigger, LogError, ReplayDiverged
from fsm_agent.events.derived import SendRequest, Transition, Unknown
from fsm_agent.events.inputs import Event, SessionResume, SessionStart, Settings
from fsm_agent.events.lines import Batch, Line, Seal, encode, sealed
from fsm_agent.events.values import Blob, Message
from fsm_agent.lifecycles.addresses import machine_of
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.declared import tables
from fsm_agent.lifecycles.divergence import Divergence, compare, moved, refused
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.marking import back, mark
from fsm_agent.lifecycles.paging import paged
from fsm_agent.lifecycles.step import SEMANTICS, step
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.machine import Table

Tables = Mapping[str, Table]
TablesOf = Callable[[Mapping[str, Blob]], Tables]
"""The tables that a `session_start` or `session_resume` line names."""
Again = Callable[[], Iterable[Batch]]
"""The batches, from the first one on, once more."""
Instead = Callable[[Settings], Settings]
"""The settings to decide with, for those that a line names."""


_WRITERS = (SessionStart, SessionResume)


class Verified(msgspec.Struct):
    """What a pass over a log has shown so far.

    `other_semantics` are versions of the derived lines that are not this program's: of such
    stretches only transitions, so many of them, and seals were compared; no states behind a type
    of line that is `unknown`. `damage` is why the pass could not go on behind a divergence.
    """

    batches: int = 0
    lines: int = 0
    divergences: list[Divergence] = msgspec.field(default_factory=list)
    other_semantics: set[int] = msgspec.field(default_factory=set)
    transitions: int = 0
    unknown: bool = False
    damage: DamagedLog | None = None


UNFOLDED = (LookupError, StopIteration, RuntimeError, ValueError, msgspec.MsgspecError)
"""What the fold raises for a line that speaks of what is not there; no seal proves sense."""
UNTOLD = "it speaks of something that no line before it tells of"


def take(world: World, line: Line) -> None:
    """Take in a line that was read; `DamagedLog` if it speaks of what is not there."""
    try:
        apply(world, line)
    except UNFOLDED as error:
        raise DamagedLog(f"line {line.seq + 1}: {UNTOLD}", line.seq + 1) from error


def fold(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> World:
    """The world after these batches, as recorded: nothing is decided again."""
    world = World(blobs)
    for batch in batches:
        for line in batch.lines:
            take(world, line)
    return world


def said(
    batches: Iterable[Batch],
    blobs: Callable[[Blob], str],
    take: Callable[[World, Line], object] = apply,
) -> Iterator[Message]:
    """The conversation of these batches, message by message; none is kept.

    Args:
        batches: Proved batches.
        blobs: The text behind a reference.
        take: Takes a line in.
    """
    world = World(blobs)
    for batch in batches:
        for line in batch.lines:
            take(world, line)
        yield from world.messages
        world.messages.clear()


def shipped(_: Mapping[str, Blob]) -> Tables:
    """This program's own tables, whatever the log names."""
    return tables()


def check(
    batches: Iterable[Batch],
    blobs: Callable[[Blob], str],
    tables_of: TablesOf = shipped,
    *,
    again: Again | None = None,
    settings: Instead | None = None,
    carry_on: bool = False,
) -> Verified:
    """Decide every batch again from its inputs and compare bytes.

    Args:
        batches: Proved batches.
        blobs: The text behind a reference.
        tables_of: The tables to decide with, by what the log names.
        again: Gives the batches once more. Then memory does not grow with the conversation.
        settings: What to decide with in place of recorded settings. Then only derived lines are
            compared: the settings, and the state they are a part of, differ by intent.
        carry_on: Whether to go on behind a divergence, from the world as recorded.
    """
    found, world = Verified(), World(blobs, body=Bodies(sends=False))
    if again and not settings:
        world.messages = paged(lambda: said(again(), blobs))
    ours = True
    for batch in batches:
        first = batch.at_hand[0].event
        if isinstance(first, _WRITERS):
            world.tables = tables_of(first.tables)
            ours = first.semantics == SEMANTICS
            if not ours:
                found.other_semantics.add(first.semantics)
        marked = mark(world) if carry_on and ours else None
        if ours:
            divergence = _differs(found.batches, world, batch, settings)
        else:
            divergence = _foreign(found, world, batch)
        if divergence:
            found.divergences.append(divergence)
            if not carry_on:
                return found
            if marked:
                back(world, marked)
                try:
                    _recorded(world, batch, settings)
                except DamagedLog as damage:
                    found.damage = damage
                    return found
        found.batches += 1
        found.lines += batch.count
    return found


def _differs(
    number: int, world: World, batch: Batch, settings: Instead | None
) -> Divergence | None:
    """Decide the batch again, moving the world on; say what differs.

    A seal that is proved follows from the bytes and the state before it, and those are compared.
    """
    inputs = takewhile(_given, batch.at_hand)
    group = [line.event for line in inputs if isinstance(line.event, Event)]
    if not group:  # notes: nothing is decided
        for line in batch.lines:
            take(world, line)
        lines = list(batch.lines)
    else:
        given = [settings(e) if settings and isinstance(e, Settings) else e for e in group]
        try:
            lines = step(world, given, batch.at_hand[0].time).lines
        except LogError:
            raise  # a blob that is gone is damage, and no other decision
        except FsmAgentError as error:
            return refused(number, batch, str(error))
        except KeyError as word:  # a table that asks or emits what we have no function for
            return refused(number, batch, f"{word} is not known here")
    state = digest(world)
    if settings:
        lines[: len(group)] = batch.lines[: len(group)]
        state = batch.seal.state
    raw = sealed([encode(line) for line in lines], Seal(state, batch.seal.hash))
    return None if raw == batch.raw else compare(number, batch, raw)


def _given(line: Line) -> bool:
    return line.kind == "input"


def _recorded(world: World, batch: Batch, settings: Instead | None) -> None:
    """Take the batch in as it is, but for settings; the next body goes on from its request."""
    for line in batch.lines:
        if settings and isinstance(line.event, Settings):
            take(world, msgspec.structs.replace(line, event=settings(line.event)))
        else:
            take(world, line)
        if isinstance(line.event, SendRequest):
            world.body.next(world)


def _foreign(found: Verified, world: World, batch: Batch) -> Divergence | None:
    """Fold a batch of another version; say what its tables or its seal speak against.

    Its questions and texts are not ours, so nothing is decided again. But its tables are there, and
    so are the answers that it found: they give one row. The fold is that of all versions.
    """
    first: Divergence | None = None
    for line in batch.lines:
        if isinstance(line.event, Transition):
            found.transitions += 1
            first = first or _not_its_row(found.batches, world, batch, (line, line.event))
        found.unknown |= line.kind != "note" and isinstance(line.event, Unknown)
        take(world, line)
    if first is None and not found.unknown and (state := digest(world)) != batch.seal.state:
        raw = batch.raw.replace(batch.seal.state.encode(), state.encode())
        return compare(found.batches, batch, raw)
    return first


def _not_its_row(
    number: int, world: World, batch: Batch, moving: tuple[Line, Transition]
) -> Divergence | None:
    line, event = moving
    table = world.tables.get(machine_of(event.instance))
    if table is None:
        return moved(number, batch, line, f"no table moves {event.instance}")
    source = world.at.get(event.instance, table.initial)
    try:
        row = table.fire(source, event.trigger, tuple(event.answers.items()))
    except IllegalTrigger as error:
        return moved(number, batch, line, str(error))
    now = msgspec.structs.replace(event, row=row.id, source=source, target=row.to or source)
    return None if now == event else moved(number, batch, line, now)


def verify(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> int:
    """Decide every batch again; return how many there were.

    Raises:
        ReplayDiverged: At the first batch that differs, with both sides.
    """
    found = check(batches, blobs)
    if found.divergences:
        raise ReplayDiverged(found.divergences[0].told())
    return found.batches
