"""Lines that a narrower terminal has broken are counted."""

from __future__ import annotations

import pytest
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Char, Screen

from fsm_agent.interfaces.terminal.resizing import added_rows, reflows


def drawn(*lines: str) -> Screen:
    screen = Screen()
    for y, line in enumerate(lines):
        x = 0
        for letter in line:
            screen.data_buffer[y][x] = Char(letter)
            x += screen.data_buffer[y][x].width
    return screen


@pytest.mark.parametrize(
    ("lines", "cursor", "columns", "rows"),
    [
        (["short", "> "], Point(2, 1), 20, 0),
        (["x" * 20, "> "], Point(2, 1), 20, 0),
        (["x" * 21, "> "], Point(2, 1), 20, 1),
        (["x" * 61 + " " * 30, "y" * 40, "> "], Point(2, 2), 20, 4),
        (["中" * 11, "> "], Point(2, 1), 20, 1),
        (["> " + "x" * 40], Point(42, 0), 20, 2),
        (["> ", "x" * 90], Point(2, 0), 20, 0),
    ],
)
def test_rows_that_are_added_above_the_cursor(
    lines: list[str], cursor: Point, columns: int, rows: int
) -> None:
    assert added_rows(drawn(*lines), cursor, columns) == rows


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"}, False),
        ({"TERM": "screen", "STY": "1.pts-0"}, False),
        ({"TERM": "screen", "STY": "1.pts-0", "TMUX": "x"}, True),
        ({"TERM": "linux"}, False),
    ],
)
def test_terminals_that_cut_lines_are_known(environment: dict[str, str], expected: bool) -> None:
    assert reflows(environment) == expected
