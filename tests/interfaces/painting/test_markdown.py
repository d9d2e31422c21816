"""Markdown is painted without losing a word, and without obeying one."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.interfaces.painting.items import Said
from fsm_agent.interfaces.painting.pictures import THEME, paint, put

ANSWER = """\
# Done
I changed **two** files, see [the docs](https://example.org/a?b=c):
a line of its own, `code`, <b>no HTML</b> &#x202e;

- one
- two

  ```sh
  pytest -q
  ```

3. third

| name | 中文 |
| ---- | ---: |
| é é | 👩‍💻 |

> quoted

```python
def f(x):
    return "a"
```
עברית [1]: http://x
"""


def painted(text: str, width: int = 60, *, colours: bool = False) -> str:
    out = io.StringIO()
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
    put(console, paint(Said(text)))
    return out.getvalue()


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("width", [20, 60])
def test_an_answer(width: int, colours: bool, snapshot: SnapshotAssertion) -> None:
    assert painted(ANSWER, width, colours=colours).split("\n") == snapshot


@given(st.lists(st.from_regex(r"[a-z]{1,9}", fullmatch=True), max_size=30), st.integers(0, 9))
def test_every_word_is_there(words: list[str], every: int) -> None:
    text = "".join(f"{word}\n\n" if n % 10 == every else f"{word} " for n, word in enumerate(words))

    assert painted(text).split() == words


@pytest.mark.parametrize(
    "attack",
    [
        "\x1b[2J",
        "`\x1b[2J`",
        "```\n\x1b[2J\n```",
        "[a](http://x/\x1b[2J)",
        "[a](http://x/%1b)",
        "![\x9b2J](x)",
        "- \x1b]0;t\x07",
        "| a |\n|---|\n| \x1b[2J |",
        "&#27;[2J &#x1b;[2J &#x9b;2J",
        "[a](http://x/&#27;)",
        "```\x1b[2J\n```",
    ],
)
def test_nothing_that_steers_a_terminal_comes_through(attack: str) -> None:
    shown = painted(attack)

    assert escape(shown) == shown


@given(st.text())
def test_whatever_comes_only_text_comes_through(text: str) -> None:
    shown = painted(text)

    assert escape(shown) == shown


@given(
    st.text(st.sampled_from("ab \t\n\"'`#(){}"), max_size=40),
    st.sampled_from(["", "py", "sh", "go", "make", "odd"]),
)
def test_code_keeps_its_lines(code: str, language: str) -> None:
    fenced = f"~~~~{language}\n{code}\n~~~~"

    assert [line.rstrip() for line in painted(fenced).split("\n")[1:-1]] == [
        line.expandtabs(4).rstrip() for line in fenced.split("\n")
    ]


@given(
    st.lists(st.lists(st.from_regex(r"[a-z]{1,9}", fullmatch=True), min_size=1), min_size=1),
    st.integers(10, 100),
)
def test_a_table_loses_no_word_on_any_screen(rows: list[list[str]], width: int) -> None:
    columns = len(rows[0])
    head, *body = [f"| {' | '.join(row)} |" for row in rows]
    shown = painted("\n".join([head, f"|{'---|' * columns}", *body]), width)

    assert all(word in shown.split() for row in rows for word in row)


def test_a_bar_in_a_cell_takes_no_other_cell_away() -> None:
    assert "the name" in painted("| type | of |\n|--|--|\n| `str | None` | the name |")


def test_a_picture_is_where_it_was_written_with_its_address() -> None:
    assert painted("See ![a plan](http://x/a.png), then go.") == (
        "\nSee !a plan (http://x/a.png), then go.\n"
    )


@pytest.mark.parametrize("text", ["- - -", "[1]: http://x", "<div>\n\n</div>", "&nbsp;", "***"])
def test_what_is_odd_is_not_lost(text: str) -> None:
    assert painted(text).strip()
