"""Several processes give the results of one, in the order of the logs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.audit.findings import Result
from fsm_agent.audit.sharing import shared_out


def judge(path: Path) -> Result:
    return Result(path.name, notes=[str(os.getpid())])


@pytest.mark.parametrize(
    "sizes", [[1] * 40, [0, 0], [9_000, 1, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7_000, 8_000]]
)
def test_each_log_is_judged_once_and_in_its_order(tmp_path: Path, sizes: list[int]) -> None:
    logs = [tmp_path / str(number) for number in range(len(sizes))]
    for log, size in zip(logs, sizes, strict=True):
        log.write_bytes(bytes(size))
    results = shared_out([*logs, logs[0]], judge, 2)

    assert [result.file for result in results] == [log.name for log in [*logs, logs[0]]]
    assert str(os.getpid()) not in {result.notes[0] for result in results}
