"""A diff shows what else would not be seen to change."""

from __future__ import annotations

import pytest

from fsm_agent.interfaces.painting.excerpts import diff, whole_diff
from fsm_agent.tools.diffs import diff as unified

FILES = {
    "line feeds alone": (b"one\ntwo\n", b"one\n2\n", ["  one", "- two", "+ 2"]),
    "carriage returns throughout": (b"one\r\ntwo\r\n", b"one\r\n2\r\n", ["  one", "- two", "+ 2"]),
    "line ends that change": (
        b"one\r\ntwo\r\n",
        b"one\r\ntwo\n",
        ["  one\\r", "- two\\r", "+ two"],
    ),
    "a carriage return within": (b"one\n", b"o\rne\n", ["- one", "+ o\\rne"]),
}


@pytest.mark.parametrize("name", FILES)
def test_carriage_returns_are_seen_where_not_all_lines_have_them(name: str) -> None:
    before, after, lines = FILES[name]
    told = unified("a.txt", before, after).text
    expected = [f"  {line[0]}{line[2:]}" for line in lines]

    assert diff(told.rstrip("\n")).plain.split("\n")[3:] == expected
    assert "\n".join(text.plain for text in whole_diff(told)).split("\n")[3:] == expected
