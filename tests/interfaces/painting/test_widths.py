"""What is painted fits any screen and any background."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting import items as it
from fsm_agent.interfaces.painting.pictures import THEME, Picture, paint, put
from fsm_agent.interfaces.painting.plain import plainly

FAMILY, FLAG, THUMB = "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽"
WIDE = f"漢字かな交じり文 {FAMILY}{FLAG}{THUMB} e\u0301ne\u0301 שלום עולם ทำไม " + "x" * 50
TABLE = f"| a | {FAMILY} |\n| - | - |\n| שלום | {WIDE} |\n"
PROSE = f"# {WIDE}\n\n{WIDE}\n\n- {WIDE}\n  - {WIDE}\n\n> {WIDE}\n\n{TABLE}"
DIFF = f"--- {WIDE}\n+++ {WIDE}\n@@ -1 +1 @@\n-{WIDE}\n+{WIDE}\n"
CODE = """\
```python
# words
class A(int):
    def f(self) -> str:
        return "a" if 1.5 and True else None  # noqa
```
"""
CALL = it.Call("Bash", WIDE)
ITEMS: list[it.AnyItem] = [
    it.UserSaid(f"{WIDE}\n{WIDE}"),
    it.UserSaid(WIDE, injected=True),
    it.Thought(WIDE),
    it.Said(PROSE, partial=True),
    it.Said(f"[a](b) `c` **d** ~~e~~ ![f](g) <h@i.j>\n\n1. k\n\n---\n\n{CODE}"),
    it.Said(f"```python\n{WIDE}\n```"),
    it.ToolEnded(CALL, "done", ok=True, text=WIDE, ms=1500, of=7),
    it.ToolEnded(CALL, "done", ok=False, text=WIDE),
    it.ToolEnded(CALL, "denied", ok=False, text="", why=WIDE),
    it.ToolEnded(it.Call("Edit", WIDE), "done", ok=True, text=DIFF),
    it.ToolEnded(it.Call("TodoWrite", ""), "done", ok=True, text=f"- [x] {WIDE}\n- [ ] {WIDE}"),
    it.Allowed(CALL, WIDE),
    it.Noted(WIDE),
    it.CutShort((WIDE, WIDE)),
    it.Retrying(WIDE, 2, 1500),
    it.Failed(WIDE, WIDE),
    it.LinesBack((WIDE, WIDE)),
    it.ContextCut(84_000, 21_400, 14_000, 37_000),
    it.Thinned(3, 12_700),
    it.PlanMoved("drafting", "executing", "1a2b3c4d5e6f"),
    it.TurnEnded("interrupted", 75.0, Usage(1000, 34, 200)),
]
READABLE = {"red", "green", "yellow", "blue", "magenta", "cyan", "bright_black", "bright_blue"}
"""Names of colours that terminals make readable on a light background and on a dark one."""


def lines(picture: Picture, width: int) -> Iterator[str]:
    out = io.StringIO()
    put(Console(file=out, width=width, theme=THEME, color_system=None), [picture])
    return iter(out.getvalue().split("\n"))


def is_left_to_the_terminal(picture: Picture) -> bool:
    """Whether the terminal breaks its lines, so that they copy as they are."""
    return isinstance(picture, Text) and picture.overflow == "ignore"


@pytest.mark.parametrize("width", [20, 40])
@pytest.mark.parametrize("look", [paint, plainly])
@pytest.mark.parametrize("item", ITEMS, ids=range(len(ITEMS)))
def test_no_line_is_wider_than_the_screen(item: it.AnyItem, look: type, width: int) -> None:
    pictures = [picture for picture in look(item) if not is_left_to_the_terminal(picture)]

    assert [
        line for picture in pictures for line in lines(picture, width) if cell_len(line) > width
    ] == []


@pytest.mark.parametrize("width", [20, 40])
@pytest.mark.parametrize("look", [paint, plainly])
def test_nothing_of_an_answer_is_lost(look: type, width: int) -> None:
    painted = "".join("".join(lines(picture, width)) for picture in look(it.Said(WIDE)))

    assert painted.replace(" ", "") == WIDE.replace(" ", "")


def test_all_kinds_of_items_are_looked_at() -> None:
    assert {type(item) for item in ITEMS} == set(it.AnyItem.__args__)


@pytest.mark.parametrize("item", ITEMS, ids=range(len(ITEMS)))
def test_colours_are_readable_on_a_light_background_and_on_a_dark_one(item: it.AnyItem) -> None:
    console = Console(file=io.StringIO(), theme=THEME, width=80)
    styles = [
        style
        for picture in paint(item)
        for segment in console.render(picture)
        if (style := segment.style)
    ]

    assert {style.color.name for style in styles if style.color} <= READABLE
    assert {style.bgcolor for style in styles} <= {None}
