"""What still proves out of a damaged log, for a fork that goes on from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from fsm_agent.events.lines import GENESIS, Batch, decode
from fsm_agent.log.proof import UNREADABLE, Gap, Run, check_version, runs


class Salvage:
    """All batches that prove out, those behind damage too; iterating gives them.

    Behind a gap a batch is proved against the hash in the seal before it. Lines that were put
    into a batch and are no lines of a log are left out.

    Attributes:
        gaps: What was left out, once the pass is over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.gaps: list[Gap] = []

    def __iter__(self) -> Iterator[Batch]:
        """Give what proves out.

        Raises:
            UnknownVersion: If this program cannot read the log.
            OSError: If the file cannot be read.
        """
        self.gaps = []
        before = GENESIS
        with self.path.open("rb") as file:
            for run in runs(file):
                if not run.offset:
                    check_version(self.path, run.lines[0])
                ours = msgspec.structs.replace(run, lines=list(filter(_readable, run.lines)))
                batch = ours.batch(before, self.path)
                if batch:
                    self.gaps += _strangers(run)
                    yield batch
                else:
                    self.gaps.append(run.gap(run.fault()[1]))
                if run.seal:
                    before = bytes.fromhex(run.seal.hash)


def _strangers(run: Run) -> Iterator[Gap]:
    offset = run.offset
    for number, raw in enumerate(run.lines, run.first):
        if not _readable(raw):
            yield Gap(number, number, offset, len(raw), "not a line of a log")
        offset += len(raw)


def _readable(raw: bytes) -> bool:
    try:
        decode(raw)
    except UNREADABLE:
        return False
    return True
