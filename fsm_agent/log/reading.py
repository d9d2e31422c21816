"""The proved batches of a log, and its torn tail.

Bytes behind the last proved batch in which no whole seal stands are a torn tail: what an append
leaves that was cut short. Anything else that is not proved is damage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fsm_agent.errors import DamagedLog
from fsm_agent.events.derived import Unknown
from fsm_agent.events.inputs import SessionStart
from fsm_agent.events.lines import Batch, Line
from fsm_agent.log.proof import End, Gap, Run, check_version, headless, is_time, runs

EVENTS = "events.jsonl"
"""The log's name in the session's directory."""
BUFFER = 1 << 18
"""Bytes that are read at once: lines are found faster in more."""


class ReadLog:
    """A strict pass over a log: iterating it gives the proved batches.

    Args:
        path: The log's file.
        lazily: Leave derived lines undecoded until somebody asks for them. They are proved and in
            their place, but that they can be read is not looked at before.

    Attributes:
        path: The log's file.
        end: The end of what has been proved so far.
        torn: The torn tail, once the pass is over.
        unknown: How many lines there were of each type that this program does not know.
        finished: Whether the pass is over, and nothing was damaged.
    """

    def __init__(self, path: Path, *, lazily: bool = False) -> None:
        self.path, self._lazily = path, lazily
        self._begin()

    def _begin(self) -> None:
        self.end = End()
        self.torn: Gap | None = None
        self.unknown: Counter[str] = Counter()
        self.finished = False

    def __iter__(self) -> Iterator[Batch]:
        """Prove one batch after the other.

        Raises:
            DamagedLog: At damage; all batches given before are proved.
            UnknownVersion: If this program cannot read the log.
            OSError: If the file cannot be read.
        """
        self._begin()
        with self.path.open("rb", buffering=BUFFER) as file:
            for run in runs(file):
                if not run.offset:
                    check_version(self.path, run.lines[0])
                if run.torn:
                    self.torn = run.gap("an append was cut short")
                    break
                yield self._proved(run)
        self.finished = True

    def _proved(self, run: Run) -> Batch:
        raw = run.proved(self.end.hash)
        if not raw or not run.seal:
            raise self._damaged(run, *run.fault(self.end.seq))
        inputs = run.inputs(self.end.seq) if self._lazily else 0
        lines = self._decoded(run, 0, inputs or None)
        seq, time = self.end.seq, self.end.time
        for index, line in enumerate(lines):
            if line.seq != seq or line.time < time:
                why = f"seq {line.seq}, time {line.time} after seq {seq - 1}, time {time}"
                raise self._damaged(run, index, why)
            if line.time != time and not is_time(line.time):
                raise self._damaged(run, index, f"'{line.time}' is no time")
            seq, time = seq + 1, line.time
        if not self.end.seq and not isinstance(lines[0].event, SessionStart):
            raise headless(self.path)
        seq = self.end.seq + len(run.lines)
        self.end = End(run.offset + len(raw), seq, time, bytes.fromhex(run.seal.hash))
        rest = partial(self._decoded, run, inputs, None) if inputs else None
        return Batch(lines, run.seal, raw, rest)

    def _decoded(self, run: Run, start: int, stop: int | None) -> tuple[Line, ...]:
        lines = run.decoded(self.path, start, stop)
        for line in lines:
            if isinstance(line.event, Unknown):
                self.unknown[line.event.type] += 1
        return lines

    def _damaged(self, run: Run, index: int, why: str) -> DamagedLog:
        line, offset = run.first + index, run.offset + sum(map(len, run.lines[:index]))
        return DamagedLog(
            f"{self.path}:{line}: byte {offset}: {why}. "
            f"The {run.first - 1} lines before line {run.first} are proved. Nothing was changed.",
            line,
            offset,
        )


def read(path: Path, *, lazily: bool = False) -> ReadLog:
    """Read a log strictly, as resume and replay do; see `ReadLog`."""
    return ReadLog(path, lazily=lazily)
