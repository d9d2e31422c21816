"""Items as pictures, on a console of 80 columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.painting.items import (
    Allowed,
    AnyItem,
    Call,
    ContextCut,
    Failed,
    Item,
    LinesBack,
    Noted,
    PlanMoved,
    Retrying,
    Said,
    Thinned,
    Thought,
    ToolEnded,
    TurnEnded,
    UserSaid,
)
from fsm_agent.interfaces.painting.pictures import THEME, paint, put

DIFF = """\
Success: Edit(a.py) [+1 -1 lines]
--- a.py
+++ a.py
@@ -1,2 +1,2 @@
-old
+new
 same
"""
ITEMS: dict[str, AnyItem] = {
    "a line": UserSaid("fix it\nand test\n"),
    "an injected line": UserSaid("faster", injected=True, at=57),
    "reasoning": Thought("Let me\nsee.\n"),
    "cut reasoning": Thought("Let me", partial=True),
    "prose": Said("# Done\nUse `<div>` and **not** `__init__`:\n" + "word " * 20),
    "code": Said("Run:\n```sh\n" + "x" * 90 + "\n```\nThen go."),
    "a command": ToolEnded(Call("Bash", "cd a &&\n  make"), "done", True, "ok\n", ms=12_345),
    "a long command": ToolEnded(Call("Bash", "x" * 100), "done", True, ""),
    "a long result": ToolEnded(Call("Grep", "a"), "done", True, "\n".join(map(str, range(20)))),
    "a wide result": ToolEnded(Call("Bash", "a"), "done", True, "y" * 300),
    "a failure": ToolEnded(Call("Bash", "false"), "done", False, "Error: exit code 1"),
    "a denial": ToolEnded(Call("Bash", "rm x"), "denied", False, "Error: …", why="not now"),
    "a read": ToolEnded(Call("Read", "a.py"), "done", True, "Read(a.py) [3 lines, 9 bytes]"),
    "an edit": ToolEnded(Call("Edit", "a.py"), "done", True, DIFF),
    "a yes": Allowed(Call("Bash", "ls"), "the person said yes: once"),
    "news": Noted("the model is now b"),
    "a retry": Retrying("rate_limit", 2, 1500),
    "an error": Failed("the key is wrong", "set OPENAI_API_KEY"),
    "lines back": LinesBack(("a", "b")),
    "lines taken back": LinesBack(("a",), wanted=True),
    "an end": TurnEnded("answered", 75.0, Usage(1000, 34, 200)),
    "a cut end": TurnEnded("interrupted", 2.0, Usage()),
    "an attack": Said("\x1b[2J\x1b]0;t\x07 \u202e[bold]no[/bold]"),
    "a cut": ContextCut(84_000, 21_400, 14_000, 37_000),
    "a cut of unknown cost": ContextCut(900, 210, None, -3),
    "thinned calls": Thinned(3, 12_700),
    "a thinned call": Thinned(1, 400),
    "a confirmed plan": PlanMoved("drafting", "executing", "1a2b3c4d5e6f"),
    "a revised draft": PlanMoved("drafting", "drafting", "1a2b3c4d5e6f"),
    "a plan that is done": PlanMoved("executing", "none", ""),
}


def painted(item: Item, *, colours: bool = False) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=80,
        theme=THEME,
        highlight=False,
        force_terminal=colours,
        color_system="standard" if colours else None,
    )
    put(console, paint(item))
    return out.getvalue()


def test_pictures(snapshot: SnapshotAssertion) -> None:
    pictures = {name: painted(item).split("\n") for name, item in ITEMS.items()}

    assert pictures == snapshot


@pytest.mark.parametrize(
    ("item", "colour"),
    [
        (Thought("hm"), "90"),
        (Failed("no"), "31"),
        (ITEMS["an edit"], "32"),
        (Said("`x`"), "36"),
        (Said("```python\ndef f(): ...\n```"), "35"),
    ],
)
def test_colours_say_what_it_is(item: AnyItem, colour: str) -> None:
    assert f"\x1b[{colour}m" in painted(item, colours=True)


def test_every_character_of_code_is_there() -> None:
    item = ITEMS["code"]
    assert isinstance(item, Said)

    assert painted(item).split() == item.text.split()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (9.96, "10.0 s"), (12.9, "12 s"), (185.0, "3 min 05 s")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_text_that_nobody_has_escaped_steers_nothing_all_the_same() -> None:
    out = io.StringIO()
    put(Console(file=out, width=80), [Text("a\x1b[2J\u202eb")])

    assert out.getvalue() == "a\\x1b[2J\\u202eb\n"
