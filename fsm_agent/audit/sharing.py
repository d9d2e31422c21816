"""Many logs judged by several processes."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from fsm_agent.audit.findings import Result

SHARES = 8
"""How many shares of the work there are for each process, so that none waits long for others."""


def shared_out(logs: Sequence[Path], judge: Callable[[Path], Result], jobs: int) -> list[Result]:
    """The results of the logs, in their order.

    Args:
        logs: The logs; the longest are begun first.
        judge: What judges one; it is sent to the processes.
        jobs: How many processes may work.

    Raises:
        OSError: If a log is gone.
    """
    sizes = {log: log.stat().st_size for log in logs}
    shares = list(_shares(sizes, sum(sizes.values()) // (jobs * SHARES)))
    results: dict[Path, Result] = {}
    with concurrent.futures.ProcessPoolExecutor(min(jobs, len(shares))) as pool:
        for share, judged in zip(shares, pool.map(partial(_all, judge), shares), strict=True):
            results.update(zip(share, judged, strict=True))
    return [results[log] for log in logs]


def _shares(sizes: dict[Path, int], enough: int) -> Iterator[list[Path]]:
    """The logs, longest first, in lists of so many bytes: many short ones are one errand."""
    share: list[Path] = []
    size = 0
    for log in sorted(sizes, key=sizes.__getitem__, reverse=True):
        share.append(log)
        size += sizes[log]
        if size >= enough:
            yield share
            share, size = [], 0
    if share:
        yield share


def _all(judge: Callable[[Path], Result], logs: Sequence[Path]) -> list[Result]:
    return [judge(log) for log in logs]
