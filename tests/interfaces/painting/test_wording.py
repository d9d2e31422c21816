"""Changed words of a line are found, and finding them takes no time."""

from __future__ import annotations

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fsm_agent.interfaces.painting.excerpts import WORD, diff
from fsm_agent.interfaces.painting.pictures import THEME, put
from fsm_agent.interfaces.painting.wording import LONGEST, MOST, changed
from fsm_agent.tools.diffs import diff as unified


def marked(old: str, new: str) -> list[str]:
    """What is marked in the painted diff of two texts."""
    painted = diff(unified("a", old.encode(), new.encode()).text)
    return [painted.plain[s.start : s.end] for s in painted.spans if s.style == WORD]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("total = a + b\n", "total = a - b\n", ["+", "-"]),
        ("call(one, two)", "call(one, three)", ["two", "three"]),
        ("if ready:\n", "if ready and set:\n", [" and set"]),
        ("  x = 1\n", "    x = 1\n", ["  ", "    "]),
        ("名前 = 値一\n", "名前 = 値二\n", ["値一", "値二"]),
        ("see e\u0301te\u0301 now\n", "see e\u0301te now\n", ["e\u0301te\u0301", "e\u0301te"]),
        ("it is 👩\u200d🔬 here\n", "it is 👩\u200d🚀 here\n", ["👩\u200d🔬", "👩\u200d🚀"]),
        ("a long line \x1b[1m\n", "a long line \x1b[2m\n", ["1m", "2m"]),
        ("-- a comment here\n", "-- a comment there\n", ["here", "there"]),
        ("one two\nthree four\n", "one 2\nthree 4\n", ["two", "four", "2", "4"]),
        ("nothing\n", "alike at all\n", []),
        ("one two\nx\n", "one 2\ny\nz\n", []),
        ("a" * LONGEST + " b\n", "a" * LONGEST + " c\n", []),
        ("one\n", "", []),
    ],
)  # fmt: skip
def test_what_is_other_in_a_line_is_marked(old: str, new: str, words: list[str]) -> None:
    assert marked(old, new) == words


@given(st.lists(st.text("+-@\\ ab\u0301é名", max_size=6), max_size=12))
def test_marks_lie_within_their_lines(lines: list[str]) -> None:
    for at, spans in changed(["@@", *lines]).items():
        for start, end in spans:
            assert 1 <= start < end <= len(["@@", *lines][at])


def test_a_line_that_looks_like_a_name_of_a_file_is_a_change() -> None:
    painted = diff(unified("a", b"-- x\n", b"++ y\n").text)

    assert [str(span.style) for span in painted.spans] == [
        *("quiet", "quiet", "diff.place", "diff.removed", "diff.added"),
    ]


@pytest.mark.parametrize(("no_color", "underlined"), [(False, True), (True, False)])
def test_without_colours_signs_say_it_all(no_color: bool, underlined: bool) -> None:
    out = io.StringIO()
    console = Console(
        file=out, theme=THEME, force_terminal=True, no_color=no_color, color_system="standard"
    )
    put(console, [diff(unified("a", b"call(one)\n", b"call(two)\n").text)])

    assert ("\x1b[1;4;3" in out.getvalue()) is underlined
    assert "4m" not in out.getvalue() or underlined


def test_long_lines_and_long_diffs_take_no_time() -> None:
    minified = "a+b;" * 25_000
    many = [f"value {n} of many words in a line of code {n}" for n in range(10_000)]
    began = time.process_time()
    assert marked(minified, f"{minified}c") == []
    removed = [f"-{line}" for line in many]
    found = changed(["@@", *removed, *(line.replace("many", "few") for line in many)])
    assert found == {}
    found = changed(["@@", *removed, *(f"+{line.replace('many', 'few')}" for line in many)])
    assert len(found) == 2 * MOST
    assert time.process_time() - began < 2
