"""What a terminal does to lines that were drawn before it became narrower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Screen

from fsm_agent.interfaces.configuring import ENVIRONMENT

CUTTING = frozenset({"linux", "st", "st-256color"})
"""Terminals (TERM) that cut what is too wide."""


def reflows(environment: Mapping[str, str] = ENVIRONMENT) -> bool:
    """Whether the terminal breaks lines that have become too wide; most do."""
    cuts = environment.get("TERM") in CUTTING or "XTERM_VERSION" in environment
    return not cuts and ("STY" not in environment or "TMUX" in environment)


def follow_size(app: Application[Any]) -> None:
    """Let whatever is drawn begin where the prompt began, also in a terminal of another size.

    The library looks for the size whenever it draws, but only a signal, which may come later, lets
    it erase what was drawn before; and it does not know of lines that were broken.
    """
    renderer, output = app.renderer, app.output
    erase, known = renderer.erase, output.get_size()

    def erase_all(leave_alternate_screen: bool = True) -> None:  # noqa: FBT001, FBT002 - its own
        nonlocal known
        drawn, size = renderer.last_rendered_screen, output.get_size()
        if drawn is not None and size.columns < known.columns and reflows():
            cursor = drawn.get_cursor_position(app.layout.current_window)
            output.cursor_up(added_rows(drawn, cursor, size.columns))
        known = size
        erase(leave_alternate_screen)

    def before_render(_: Application[Any]) -> None:
        if output.get_size() != known:
            erase_all(leave_alternate_screen=False)
            app._request_absolute_cursor_position()  # noqa: SLF001 - as its own resizing does

    renderer.erase = erase_all  # type: ignore[method-assign]  # there is no other way
    app.before_render += before_render


def added_rows(drawn: Screen, cursor: Point, columns: int) -> int:
    """Rows by which the cursor has come to stand lower, as lines above it were broken."""
    widths = [_width(drawn, row) for row in range(cursor.y)]
    return sum(max(0, width - 1) // columns for width in widths) + cursor.x // columns


def _width(drawn: Screen, row: int) -> int:
    cells = drawn.data_buffer[row].items()
    return max((x + char.width for x, char in cells if char.char.strip()), default=0)
