"""Cleaned text steers no terminal and hides nothing."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.tools.cleaning import clean_line, clean_output, clean_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        (b"\x1b[1;31mred\x1b[0m \x1b[2K\x1b[24D", "red "),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        (b"\x1b]52;c;aGk=\x07", ""),
        (b"\x1bPq#0;2\x1b\\sixel\x1b_app\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\", "sixel"),
        (b"\x1b(Bset\x1b=\x1b7\x1b8", "set"),
        ("\x9b31mred\x9d0;t\x9c".encode(), "red"),
        (b"\x1b]never ended", "never ended"),
        (b"end\x1b", "end\\x1b"),
        (b"\a\b\0\x7f", "\\x07\\x08\\x00\\x7f"),
        ("\x85\x80".encode(), "\\x85\\x80"),
        (b" 10%\r 50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"10%\r", "10%"),
        (b"\r\n\r\r\n", "\n\n"),
        (b"caf\xc3\xa9 \xff\xe2\x82", "café \ufffd\ufffd"),
        ("a\u202eb\u2066".encode(), "a[1 hidden character removed]b[1 hidden character removed]"),
        ("\U000e0041" * 3 + "\U000e0100", "[4 hidden characters removed]"),
        ("👩‍👧 שלום नमस्ते", "👩‍👧 שלום नमस्ते"),
    ],
)
def test_output_is_what_a_terminal_would_have_left(raw: bytes | str, text: str) -> None:
    assert clean_output(raw.encode() if isinstance(raw, str) else raw) == text


def test_line_ends_of_a_text_stay_and_lone_surrogates_go() -> None:
    assert clean_text("a\r\nb\rc\x1b\ud800") == "a\r\nb\\x0dc\\x1b\ufffd"
    assert clean_line("a\r\nb\tc") == "a\\r\\nb\\tc"


@given(st.binary() | st.text().map(lambda text: text.encode(errors="replace")))
def test_nothing_is_left_that_steers_or_hides(raw: bytes) -> None:
    text = clean_output(raw)

    assert not [
        char
        for char in text
        if (unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n")
        or 0xE0000 <= ord(char) < 0xE0200
        or unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")
    ]
    assert clean_output(text.encode()) == text


@pytest.mark.parametrize(
    "piece", ["x", "x\x1b[0m", "\x1b]", "\x1bP", "\x1b[", "\r", "a\rb", "\u202e"]
)
def test_a_megabyte_takes_less_than_a_second(piece: str) -> None:
    raw = (piece * (1_000_000 // len(piece))).encode()
    begun = time.perf_counter()
    clean_output(raw)

    assert time.perf_counter() - begun < 1
