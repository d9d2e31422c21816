"""Inputs alone through `step`: the same lines must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from fsm_agent.errors import ReplayDiverged
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import GENESIS, Batch, encode, seal
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import World, digest


def fold(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> World:
    """The world after these batches, as recorded: nothing is decided again."""
    world = World(blobs)
    for batch in batches:
        for line in batch.lines:
            apply(world, line)
    return world


def again(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> Iterator[bytes]:
    """Each batch's bytes, decided anew from its inputs."""
    world, previous = World(blobs), GENESIS
    for batch in batches:
        group = [b.event for b in batch.lines if b.kind == "input" and isinstance(b.event, Event)]
        if group:
            lines = step(world, group, batch.lines[0].time).lines
        else:
            lines = list(batch.lines)
            for line in lines:
                apply(world, line)
        raw, previous = seal([encode(line) for line in lines], previous, digest(world))
        yield raw


def verify(batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> int:
    """Decide every batch again and compare bytes; return how many there were.

    Raises:
        ReplayDiverged: At the first batch that differs, with both sides.
    """
    kept = list(batches)
    for count, (batch, raw) in enumerate(zip(kept, again(kept, blobs), strict=True)):
        if raw != batch.raw:
            raise ReplayDiverged(f"batch {count}:\n  log:  {batch.raw!r}\n  again: {raw!r}")
    return len(kept)
