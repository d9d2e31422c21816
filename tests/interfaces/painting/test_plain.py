"""Items for a reader who wants lines."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fsm_agent.interfaces.painting.blocks import pieces
from fsm_agent.interfaces.painting.items import Call, Item, Said, ToolEnded
from fsm_agent.interfaces.painting.pictures import THEME, put
from fsm_agent.interfaces.painting.plain import plainly

ANSWER = """\
# Title

Some *words* that are a little too long for it.

| a | b |
| - | - |

- one
  - two

```python
print("a line of code that is never broken")
```
"""


def lines(item: Item, width: int = 30) -> str:
    out = io.StringIO()
    put(Console(file=out, width=width, theme=THEME, color_system=None), plainly(item))
    return out.getvalue()


def test_an_answer_stays_as_it_was_written_its_prose_wrapped() -> None:
    wrapped = ANSWER.replace("little too", "little\ntoo")

    assert lines(Said(ANSWER)) == f"\n{wrapped}"


def test_it_is_the_same_block_by_block() -> None:
    assert "".join(lines(piece) for piece in pieces(ANSWER)) == lines(Said(ANSWER))


def test_an_answer_that_was_cut_off_says_so() -> None:
    assert lines(Said("It be", partial=True)) == "\nIt be\n[…]\n"


@pytest.mark.parametrize("text", ["a\x1b[2Jb", "```\na\x1b[2Jb\n```"])
def test_what_would_steer_a_terminal_is_shown(text: str) -> None:
    assert "a\\x1b[2Jb" in lines(Said(text))


def test_all_else_is_painted_as_ever() -> None:
    item = ToolEnded(Call("Bash", "ls"), "done", ok=True, text="a.txt\n")

    assert lines(item) == "[tool] Bash(ls)\n  a.txt\n"
