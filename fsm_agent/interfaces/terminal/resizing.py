"""What a terminal does to lines that were drawn before it became narrower."""

from __future__ import annotations

from collections.abc import Mapping

from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Screen

from fsm_agent.interfaces.configuring import ENVIRONMENT

CUTTING = frozenset({"linux", "st", "st-256color"})
"""Terminals (TERM) that cut what is too wide."""


def reflows(environment: Mapping[str, str] = ENVIRONMENT) -> bool:
    """Whether the terminal breaks lines that have become too wide; most do."""
    cuts = environment.get("TERM") in CUTTING or "XTERM_VERSION" in environment
    return not cuts and ("STY" not in environment or "TMUX" in environment)


def added_rows(drawn: Screen, cursor: Point, columns: int) -> int:
    """Rows by which the cursor has come to stand lower, as lines above it were broken."""
    widths = [_width(drawn, row) for row in range(cursor.y)]
    return sum(max(0, width - 1) // columns for width in widths) + cursor.x // columns


def _width(drawn: Screen, row: int) -> int:
    cells = drawn.data_buffer[row].items()
    return max((x + char.width for x, char in cells if char.char.strip()), default=0)
