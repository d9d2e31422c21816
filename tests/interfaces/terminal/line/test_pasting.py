"""A large paste is a placeholder in the line, and whole when it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.terminal.line.pasting import CHARACTERS, LINES, PLACEHOLDER, Pastes
from fsm_agent.tools.cleaning import clean_text

ANSWER = "text: All is well.\n"
HANGING = "text: It begins\nhang\n"
UP = "\x1b[A"
LONG = st.text(st.characters(exclude_characters="\r"), min_size=1).map(
    lambda text: text * (CHARACTERS + 1)
)

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def pasted(text: str) -> str:
    """What a terminal sends for a paste: its line ends are those of the Enter key."""
    return f"\x1b[200~{text}\x1b[201~".replace("\n", "\r")


MANY = "\n".join(f"line {n} @README.md" for n in range(312))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one", "one"),
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("x\n" * LINES, "x\n" * LINES),
        ("a\0b\x1b[31mc\tü", "a\\x00b\\x1b[31mc\tü"),
        ("\udcff", "\ufffd"),
        ("x\n" * (LINES + 1), "[Pasted text #1, 11 lines]"),
        ("x" * (CHARACTERS + 1), "[Pasted text #1, 1,001 characters]"),
    ],
)
def test_what_stands_in_the_line(text: str, shown: str) -> None:
    assert Pastes().shown(text) == shown


@given(st.lists(LONG))
def test_each_placeholder_becomes_what_was_pasted(texts: list[str]) -> None:
    pastes = Pastes()
    line = " and ".join(pastes.shown(text) for text in texts)

    assert len(re.findall(PLACEHOLDER, line)) == len(texts)
    assert pastes.expand(line) == " and ".join(map(clean_text, texts))


def test_one_that_is_not_known_stays() -> None:
    assert Pastes().expand("[Pasted text #1, 11 lines]") == "[Pasted text #1, 11 lines]"


def test_another_run_of_the_session_counts_on_and_gives_the_whole_line_back() -> None:
    pastes = Pastes()
    pastes.learn("see [Pasted text #7, 2,000 characters]", "see it all")
    pastes.learn("no paste", None)

    assert pastes.returned("see [Pasted text #7, 2,000 characters]") == "see it all"
    assert pastes.shown("x\n" * 20) == "[Pasted text #8, 20 lines]"
    assert pastes.returned("[Pasted text #8, 20 lines]") == "[Pasted text #8, 20 lines]"


def test_the_model_gets_all_of_a_paste_and_the_screen_its_size(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks(f"explain {pasted(MANY)} please")
    person.sees("All is well.")

    assert "> explain [Pasted text #1, 312 lines] please" in person.text()
    (line,) = person.log("user_input")
    assert line["text"] == "explain [Pasted text #1, 312 lines] please"
    assert line["sent"] == f"explain {MANY} please"
    assert "README.md:" not in person.text()  # nothing in a paste is a mention


def test_a_paste_in_a_line_that_was_taken_back_is_still_known(sits_down: Sits) -> None:
    person = sits_down(f"{HANGING}---\n{ANSWER}")
    person.asks("one")
    person.sees("It begins")
    person.types(f"two {pasted(MANY)}\r")
    person.sees("queued: two [Pasted text #1, 312 lines]")
    person.types(UP)
    person.sees("\n> two [Pasted text #1, 312 lines]")
    person.types("\x1b")
    person.sees("interrupted ·")
    person.types("\r")
    person.sees("All is well.")

    assert person.log("user_input")[-1]["sent"] == f"two {MANY}"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (b"a\xff\xfeb", "a\ufffd\ufffdb"),
        (b"\x1b[200~a\xffb\x1b[201~", "a\ufffdb"),
        (b"\x1b[200~\xed\xa0\x80 x\x1b[201~", "\ufffd\ufffd\ufffd x"),
        (b"\x1b[200~one\r/quit\r\x1b[201~", "one\n/quit\n"),
    ],
    ids=["typed", "pasted", "a surrogate", "lines"],
)
def test_bytes_that_are_no_text_and_lines_that_are_commands_do_no_harm(
    sits_down: Sits, typed: bytes, text: str
) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.child.send(typed)
    person.types("\r")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == [text]
