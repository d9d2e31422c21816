"""What the program writes is clean, whatever happened in the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fsm_agent.audit import Options, audit

NAMES = sorted(
    path.stem for path in (Path(__file__).parents[1] / "runtime" / "__snapshots__").glob("*/*")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_log_of_the_runtime_is_clean(
    name: str, logs: Mapping[str, bytes], write: Callable[[bytes], Path]
) -> None:
    report = audit([write(logs[name])], Options(derive=True))

    assert report.findings == []
    assert report.results[0].fault == ""
    assert report.results[0].lines == logs[name].count(b"\n")
    assert report.exit_code == 0
