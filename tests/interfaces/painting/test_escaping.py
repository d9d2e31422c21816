"""Nothing that is not text gets to a terminal."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten

KEPT = {"\n", "\t", "\u200c", "\u200d"}
"""Joiners are a part of emoji and of Persian words."""
VISIBLE_FORMATS = "\u0600\u0605\u06dd\u070f\u08e2\U000110bd"
"""Signs that Unicode files under formats, but that are seen."""


def test_every_control_direction_and_line_end_of_unicode_is_escaped() -> None:
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    passed = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if escape(one := chr(code)) == one
        and one not in KEPT
        and (
            unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")
            or unicodedata.bidirectional(one) in bidi
            or 0xE0000 <= code < 0xE1000
        )
    ]
    assert passed == []


@given(st.text())
def test_what_comes_out_stays_as_it_is(text: str) -> None:
    assert escape(escape(text)) == escape(text)


@given(st.text())
def test_what_comes_out_can_be_encoded_and_moves_no_cursor(text: str) -> None:
    out = escape(text).encode().replace(b"\n", b"").replace(b"\t", b"")

    assert not any(byte < 0x20 or byte == 0x7F for byte in out)


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_text_comes_through(text: str) -> None:
    hidden = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    seen = "".join(c for c in text if c not in hidden and not "\U000e0000" <= c <= "\U000e0fff")

    assert escape(seen) == seen


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[24D\x1b[Krm -rf /", r"\x1b[24D\x1b[Krm -rf /"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("hi\U000e0041\U000e007f", r"hi\U000e0041\U000e007f"),
        ("one\r\ntwo\rthree", "one\ntwo\\rthree"),
        ("\x9b2J\x7f", r"\x9b2J\x7f"),
        ("half \ud83d", r"half \ud83d"),
        ("👩\u200d🔬 é 中\ufe0f", "👩\u200d🔬 é 中\ufe0f"),
        (VISIBLE_FORMATS, VISIBLE_FORMATS),
    ],
)
def test_escapes_are_shown_as_they_are_written(given: str, shown: str) -> None:
    assert escape(given) == shown


def test_a_line_is_one_line() -> None:
    assert escape_line(" rm\n\t-rf \x1bx\n") == r"rm -rf \x1bx"


def test_a_line_is_cut_at_80_with_three_dots() -> None:
    assert shorten("x" * 80) == "x" * 80
    assert shorten("x" * 81) == "x" * 77 + "..."
