"""Inputs alone through `step`: the same bytes must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

import msgspec

from fsm_agent.errors import FsmAgentError, LogError, ReplayDiverged
from fsm_agent.events.inputs import Event, SessionResume, SessionStart
from fsm_agent.events.lines import GENESIS, Batch, encode, seal
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.declared import tables
from fsm_agent.lifecycles.divergence import Divergence, compare, refused
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.step import SEMANTICS, step
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.machine import Table

Tables = Mapping[str, Table]
TablesOf = Callable[[Mapping[str, Blob]], Tables]
"""The tables that a `session_start` or `session_resume` line names."""


class Verified(msgspec.Struct):
    """What a pass over a log has shown so far.

    `other_semantics` are versions of the derived lines that are not this program's: such stretches
    are folded as recorded, and not decided again.
    """

    batches: int = 0
    lines: int = 0
    divergences: list[Divergence] = msgspec.field(default_factory=list)
    other_semantics: set[int] = msgspec.field(default_factory=set)


def fold(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> World:
    """The world after these batches, as recorded: nothing is decided again."""
    world = World(blobs)
    for batch in batches:
        for line in batch.lines:
            apply(world, line)
    return world


def shipped(_: Mapping[str, Blob]) -> Tables:
    """This program's own tables, whatever the log names."""
    return tables()


def check(
    batches: Iterable[Batch],
    blobs: Callable[[Blob], str],
    tables_of: TablesOf = shipped,
    *,
    carry_on: bool = False,
) -> Verified:
    """Decide every batch again from its inputs and compare bytes.

    Args:
        batches: Proved batches; with `carry_on` they must be iterable twice.
        blobs: The text behind a reference.
        tables_of: The tables to decide with, by what the log names.
        carry_on: Whether to go on behind a divergence, from the world as recorded.
    """
    found, world, previous = Verified(), World(blobs), GENESIS
    ours = True
    for batch in batches:
        for line in batch.lines:
            if isinstance(line.event, SessionStart | SessionResume):
                world.tables = tables_of(line.event.tables)
                ours = line.event.semantics == SEMANTICS
                if not ours:
                    found.other_semantics.add(line.event.semantics)
        divergence = None
        if ours:
            divergence = _differs(found.batches, world, batch, previous)
        else:
            _recorded(world, batch)
        previous = bytes.fromhex(batch.seal.hash)
        if divergence:
            found.divergences.append(divergence)
            if not carry_on:
                return found
            kept = world.tables
            world = fold(islice(batches, found.batches + 1), blobs)
            world.tables = kept
        found.batches += 1
        found.lines += len(batch.lines)
    return found


def _differs(number: int, world: World, batch: Batch, previous: bytes) -> Divergence | None:
    """Decide the batch again, moving the world on; say what differs."""
    group = [b.event for b in batch.lines if b.kind == "input" and isinstance(b.event, Event)]
    if not group:  # notes: nothing is decided
        _recorded(world, batch)
        raw = batch.raw.replace(batch.seal.state.encode(), digest(world).encode())
    else:
        try:
            lines = step(world, group, batch.lines[0].time).lines
        except LogError:
            raise  # a blob that is gone is damage, and no other decision
        except FsmAgentError as error:
            return refused(number, batch, error)
        raw, _ = seal([encode(line) for line in lines], previous, digest(world))
    return None if raw == batch.raw else compare(number, batch, raw)


def _recorded(world: World, batch: Batch) -> None:
    for line in batch.lines:
        apply(world, line)


def verify(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> int:
    """Decide every batch again; return how many there were.

    Raises:
        ReplayDiverged: At the first batch that differs, with both sides.
    """
    found = check(batches, blobs)
    if found.divergences:
        raise ReplayDiverged(found.divergences[0].told())
    return found.batches
