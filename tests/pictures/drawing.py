"""What stands on a terminal's screen, as an SVG picture."""

from __future__ import annotations

import io
import re
from itertools import groupby

import pyte
from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px monospace; line-height: {line_height}px; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""The library's own fetches its fonts from somewhere else."""
_NAMES = {"brown": "yellow", "brightbrown": "bright_yellow", "bfightmagenta": "bright_magenta"}
"""Colours as pyte calls them, and as rich does."""


def drawn(screen: pyte.Screen, name: str, title: str) -> str:
    """The screen as a picture; `name` tells it from others on the same page."""
    rows = [row(screen, number) for number in range(screen.lines)]
    while len(rows) > 1 and not rows[-1].plain.strip():
        rows.pop()
    console = Console(
        record=True, width=screen.columns, file=io.StringIO(), force_terminal=True, highlight=False
    )
    for text in rows:
        console.print(text, no_wrap=True, overflow="ignore", crop=False)
    return console.export_svg(
        title=title, theme=DIMMED_MONOKAI, code_format=FORMAT, unique_id=f"terminal-{name}"
    )


def row(screen: pyte.Screen, number: int) -> Text:
    """A line of the screen with its colours."""
    cells = map(screen.buffer[number].__getitem__, range(screen.columns))
    parts = (("".join(cell.data for cell in alike), look) for look, alike in groupby(cells, style))
    return Text.assemble(*parts)


def style(char: Char) -> Style:
    """How a character looks."""
    return Style(
        color=_colour(char.fg),
        bgcolor=_colour(char.bg),
        bold=char.bold,
        italic=char.italics,
        underline=char.underscore,
        reverse=char.reverse,
        strike=char.strikethrough,
    )


def _colour(name: str) -> str | None:
    if name == "default":
        return None
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith("bright"):
        return name.replace("bright", "bright_", 1)
    return f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else name
