"""No colours where none are wanted; odd characters on a narrow screen."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

COLOURED = re.compile(rb"\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9\d|10\d)(?:;[\d;]*)?m")
"""A sequence that sets a colour, not only that it is bold or the usual one."""
ANSWER = (
    "thinking: Hm.\ntext:\n    `a` [b](c)\n\n    ```python\n    return 'a'\n    ```\nusage: 9 9\n"
)
ODD = "漢字かな交じり文 👍🏽🇩🇪 e\u0301ne\u0301 שלום עולם ทำไม"
RUN = f'call: Bash {{"command": "echo \'{ODD}\'; sleep 0.3"}}\n---\ntext: {ODD}\n'

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.mark.parametrize("unwanted", ["", "1"])
def test_no_colours_where_they_are_not_wanted(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch, unwanted: str
) -> None:
    monkeypatch.setenv("NO_COLOR", unwanted)
    person = sits_down(f'call: Bash {{"command": "ls"}}\n---\n{ANSWER}', "--auto-approve")
    person.child.logfile_read = io.BytesIO()
    person.asks("hello")
    person.sees("return 'a'")
    person.asks("/usage")
    person.sees("fresh input")

    assert bool(COLOURED.search(person.child.logfile_read.getvalue())) is not bool(unwanted)


@pytest.mark.parametrize("columns", [20, 40])
def test_characters_of_all_widths_are_there_on_a_narrow_screen(
    sits_down: Sits, columns: int
) -> None:
    person = sits_down(RUN, "--auto-approve")
    person.until(lambda: ">" in person.text())
    person.resizes(columns, 24)
    person.types(f"{ODD}\r")
    person.until(lambda: person.ends() == ["answered"])
    person.types(ODD)
    person.reads(0.3)

    told, odd = (unicodedata.normalize("NFC", "".join(t.split())) for t in (person.text(), ODD))
    assert told.count(odd) == 5  # the line, the call, its output, the answer, and what is typed


def test_a_size_that_the_environment_remembers_is_not_the_terminals(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    person = sits_down(f"text: {'word ' * 10}")
    person.asks("one")

    person.sees(("word " * 10).strip())
