"""Sessions painted from their logs, at two widths, in colour or not."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from fsm_agent.interfaces.painting.pictures import THEME, paint, put
from fsm_agent.interfaces.painting.view import View
from fsm_agent.log.reading import read

GOOD = Path(__file__).parents[2] / "replays" / "1" / "good"


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("width", [20, 80])
@pytest.mark.parametrize("name", ["crashed-and-resumed", "one-tool", "standing-yes"])
def test_a_session(name: str, width: int, colours: bool, snapshot: SnapshotAssertion) -> None:
    out, view = io.StringIO(), View()
    console = Console(
        file=out,
        width=width,
        theme=THEME,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=colours,
        color_system="standard" if colours else None,
    )
    for batch in read(GOOD / f"{name}.jsonl"):
        for line in batch.lines:
            for item in view.take(line):
                put(console, paint(item))

    assert out.getvalue().split("\n") == snapshot
