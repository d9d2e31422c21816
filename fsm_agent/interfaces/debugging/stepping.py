"""A cursor over a log's lines, with the world behind the last one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from fsm_agent.errors import DamagedLog, UsageError
from fsm_agent.events.lines import Batch, Line
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.replay import take
from fsm_agent.lifecycles.world import World


class Stepper:
    """Stands behind one of the lines of a log; going back folds them again from the first.

    Attributes:
        lines: All lines; the place of a line is its seq.
        raws: Their bytes.
        taken: How many lines are folded into the world.
        world: What they say.
        faults: Why a line could not be folded in, by seq.
    """

    def __init__(self, batches: Iterable[Batch], blobs: Callable[[Blob], str]) -> None:
        self.lines: list[Line] = []
        self.raws: list[bytes] = []
        self._ends = [0]
        self._blobs = blobs
        for batch in batches:
            self.lines += batch.lines
            self.raws += batch.raw.removesuffix(b"\n").split(b"\n")
            self._ends.append(len(self.lines))
        self.taken, self.world = 0, World(blobs)
        self.faults: dict[int, str] = {}

    @property
    def at(self) -> int:
        """Seq of the line behind which this stands; -1 before the first."""
        return self.taken - 1

    def go(self, seq: int) -> None:
        """Stand behind this line; -1 is before the first.

        Raises:
            UsageError: If there is no such line.
        """
        if not -1 <= seq < len(self.lines):
            raise UsageError(f"there is no line {seq}; the last is {len(self.lines) - 1}")
        if seq < self.at:
            self.taken, self.world = 0, World(self._blobs)
        for line in self.lines[self.taken : seq + 1]:
            self._fold(self.world, line)
        self.taken = seq + 1

    def move(self, count: int) -> None:
        """Go so many lines on, or back, but not beyond an end."""
        self.go(max(-1, min(self.at + count, len(self.lines) - 1)))

    def next_batch(self) -> None:
        """Go behind the last line of this batch, or of the next."""
        place = bisect_right(self._ends, self.taken)
        self.go(self._ends[min(place, len(self._ends) - 1)] - 1)

    def previous_batch(self) -> None:
        """Go behind the last line of the batch before."""
        place = bisect_left(self._ends, self.taken) - 1
        self.go(self._ends[max(place, 0)] - 1)

    def world_at(self, seq: int) -> World:
        """The world behind a line, for itself.

        Raises:
            UsageError: If there is no such line.
        """
        other = World(self._blobs)
        if not 0 <= seq < len(self.lines):
            raise UsageError(f"there is no line {seq}; the last is {len(self.lines) - 1}")
        for line in self.lines[: seq + 1]:
            self._fold(other, line)
        return other

    def _fold(self, world: World, line: Line) -> None:
        """What cannot be folded in is left out: the rest may still show what went wrong."""
        try:
            take(world, line)
        except DamagedLog as missing:
            self.faults[line.seq] = str(missing)
