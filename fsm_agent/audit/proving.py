"""The proved batches of a log, with every way in which one can fail to be.

As strict as `log.reading`, but made for files that nobody vouches for: memory stays bounded, and
each fault names the rule that it breaks.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from fsm_agent.errors import UnknownVersion
from fsm_agent.events.inputs import SessionStart
from fsm_agent.events.lines import Batch, decode
from fsm_agent.log.proof import UNREADABLE, End, Run, check_version, headless, is_time, runs

LONGEST = 64 << 20
"""Bytes that a line, and what stands before the next seal, may have."""
_BUFFER = 1 << 18
"""Bytes that are read at once: lines are found faster in more."""
_LOOK = 1 << 16
"""Bytes of a file's beginning that tell whether it is a log at all."""


class Fault(Exception):
    """Why the proof ends before the file does.

    Attributes:
        rule: The rule that is broken.
        line: Where it shows, from 1.
        offset: The first byte of that line in the file, from 0.
        why: What is wrong.
    """

    def __init__(self, rule: str, line: int, offset: int, why: str) -> None:
        super().__init__(f"{rule} at line {line}, byte {offset}: {why}")
        self.rule, self.line, self.offset, self.why = rule, line, offset, why


class Proof:
    """A pass over a log: iterating it gives the proved batches.

    Attributes:
        end: The end of what has been proved so far.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.end = path, End()

    def __iter__(self) -> Iterator[Batch]:
        """Prove one batch after the other.

        Raises:
            Fault: At the first thing that is not as it must be; a torn tail is one too.
        """
        with self.path.open("rb", buffering=_BUFFER) as file:
            self._look(file)
            for run in runs(iter(partial(file.readline, LONGEST + 1), b""), LONGEST):
                if not run.offset:
                    self._version(run)
                yield self._proved(run)

    def _look(self, file: BinaryIO) -> None:
        """Refuse what is no log: an empty file, or one whose beginning holds no line of ours."""
        start = file.read(_LOOK)
        file.seek(0)
        if not start:
            raise Fault("FSA005", 1, 0, "the file is empty: nothing was logged, or all is lost")
        if not start.strip(b"\0"):
            raise Fault("FSA001", 1, 0, "NUL bytes, as a lost write leaves them")
        if b'{"seq":' not in start:
            why = "neither a log of fsm-agent, nor one of Claude Code or Codex, nor ATIF"
            raise Fault("FSA015", 1, 0, why)

    def _version(self, run: Run) -> None:
        try:
            check_version(self.path, run.lines[0])
        except UnknownVersion as error:
            raise self._unknown(run.first, error) from error

    def _unknown(self, line: int, error: Exception) -> Fault:
        why = re.sub(r"^[\d: ]+", "", str(error).removeprefix(f"{self.path}"))
        return Fault("FSA015", line, self.end.offset, why)

    def _proved(self, run: Run) -> Batch:
        size = 0 if run.seal else sum(map(len, run.lines))
        if size > LONGEST:
            why = f"no seal within {LONGEST >> 20} MiB"
            raise Fault("FSA003", run.first, run.offset, why)
        if run.torn:
            raise Fault("FSA005", run.first, run.offset, f"{size} bytes of a batch without its end")
        try:
            batch = run.batch(self.end.hash, self.path)
        except UnknownVersion as error:
            raise self._unknown(run.first, error) from error
        if batch is None:
            raise self._damaged(run)
        self._check_place(run, batch)
        if not self.end.seq and not isinstance(batch.lines[0].event, SessionStart):
            raise self._unknown(run.first, headless(self.path))
        last = batch.lines[-1]
        after = run.offset + len(batch.raw)
        self.end = End(after, last.seq + 1, last.time, bytes.fromhex(batch.seal.hash))
        return batch

    def _check_place(self, run: Run, batch: Batch) -> None:
        seq, time = self.end.seq, batch.lines[0].time
        if time < self.end.time:
            raise self._fault("FSA006", run, 0, f"time {time} after {self.end.time}")
        if not is_time(time):
            raise self._fault("FSA006", run, 0, f"'{time}' is no time")
        for line in batch.lines:
            if line.seq != seq:
                why = f"seq {line.seq} where {seq} is due"
                raise self._fault("FSA002", run, seq - self.end.seq, why)
            if line.time != time:
                why = f"time {line.time} in a batch of {time}"
                raise self._fault("FSA006", run, seq - self.end.seq, why)
            seq += 1

    def _damaged(self, run: Run) -> Fault:
        index, why = run.fault(self.end.seq)
        raw = run.lines[index]
        if raw.endswith(b"\r\n"):
            return self._fault("FSA001", run, index, "it ends in CR LF: copied as a text?")
        if b"\0" in raw:
            return self._fault("FSA001", run, index, "NUL bytes, as a lost write leaves them")
        if raw.startswith(BOM_UTF8):
            return self._fault("FSA001", run, index, "a byte order mark: saved by an editor?")
        try:
            line = decode(raw)[0]
        except UNREADABLE as error:
            return self._fault("FSA001", run, index, f"{why}: {error}")
        if line.seq != self.end.seq and not index:
            why += ": lines were taken out, or two programs wrote to this log"
        return self._fault("FSA003", run, index, why)

    def _fault(self, rule: str, run: Run, index: int, why: str) -> Fault:
        offset = run.offset + sum(map(len, run.lines[:index]))
        return Fault(rule, run.first + index, offset, why)
