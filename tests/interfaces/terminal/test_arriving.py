"""An answer that arrives is shown once, as it is shown from the log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.blocks import Piece
from fsm_agent.interfaces.painting.items import (
    Item,
    Noted,
    Retrying,
    Said,
    Thought,
    TurnEnded,
)
from fsm_agent.interfaces.terminal.arriving import LET_GO, Arriving
from tests.interfaces.painting.test_pictures import painted

OVER = i.Completed(instance="turn-1", activity=4, stop="end_turn")
WORDS = st.sampled_from(["a ", "b\n", "\n", "```\n", "- c\n", "# d\n"])
ENDED = TurnEnded("answered", 1.0, Usage())


def shown(live: Arriving, deltas: Iterable[Delta], *logged: Item) -> list[Item]:
    items = [item for delta in deltas for item in live.add([delta], "")]
    live.heed(OVER)
    return items + [left for item in logged for left in live.remaining(item)]


def picture(items: Iterable[Item]) -> str:
    return "".join(map(painted, items))


BLOCKS = st.lists(st.tuples(st.sampled_from(["text", "thinking"]), st.lists(WORDS)), max_size=4)


def logged(deltas: Iterable[Delta]) -> list[Item]:
    """What the log would have of them: whole blocks, in the order in which they began."""
    blocks: dict[tuple[str, int], str] = {}
    for delta in deltas:
        key = (delta.kind, delta.block)
        blocks[key] = blocks.get(key, "") + delta.text
    said = ((kind, text) for (kind, _), text in blocks.items() if text.strip())
    return [Said(text) if kind == "text" else Thought(text) for kind, text in said]


@given(BLOCKS)
def test_live_looks_as_the_log_does(blocks: list[tuple[Any, list[str]]]) -> None:
    deltas = [Delta(kind, word, n) for n, (kind, words) in enumerate(blocks) for word in words]

    assert picture(shown(Arriving(), deltas, *logged(deltas))) == picture(logged(deltas))


@given(st.lists(st.tuples(st.sampled_from(["text", "thinking"]), st.integers(0, 1), WORDS)))
def test_blocks_that_come_in_turns_are_shown_once(parts: list[tuple[Any, int, str]]) -> None:
    deltas = [
        Delta(kind, f"{word}{kind}{block}-{n}\n", block)
        for n, (kind, block, word) in enumerate(parts)
    ]
    items = shown(Arriving(), deltas, *logged(deltas), ENDED)

    text = "".join(str(getattr(item, "source", getattr(item, "text", ""))) for item in items)
    for kind in ("text", "thinking"):
        for block in (0, 1):
            told = [n for n, part in enumerate(parts) if part[:2] == (kind, block)]
            assert re.findall(rf"{kind}{block}-(\d+)", text) == list(map(str, told))
    assert Noted(LET_GO) not in items


@given(st.lists(WORDS, min_size=1), st.text("\n"), st.text(" \n"), WORDS)
def test_blanks_around_it_and_an_end_that_only_the_log_has(
    words: list[str], before: str, after: str, end: str
) -> None:
    text = "".join(words) + end
    assume(text.strip())
    deltas = [Delta("text", before), *(Delta("text", word) for word in words)]

    items = shown(Arriving(), deltas, Said(text + after))

    assert picture(items).rstrip() == picture([Said(before + text)]).rstrip()


def test_of_two_texts_in_a_row_each_is_shown_once() -> None:
    deltas = [Delta("text", "one\n\ntwo", 0), Delta("text", "\n", 1), Delta("text", "three", 2)]
    items = shown(Arriving(), deltas, Said("one\n\ntwo"), Said("three"), ENDED)

    assert picture(items) == picture([Said("one\n\ntwo"), Said("three"), ENDED])


def test_reasoning_that_goes_on_behind_text_does_not_break_the_text() -> None:
    turns = [Delta("thinking", "Hm."), Delta("text", "one "), Delta("thinking", " Well.")]
    items = shown(
        *(Arriving(), [*turns, Delta("text", "word")]), Thought("Hm. Well."), Said("one word")
    )

    assert items == [Thought("Hm."), Thought("Well."), Said("one word")]


def test_blocks_go_up_while_the_rest_is_still_seen() -> None:
    live = Arriving()

    assert list(live.add([Delta("text", "one\n\ntwo")], "")) == [Piece("one\n", gap=True)]
    assert list(live.tail()) == [("text", "two")]


def test_reasoning_goes_up_when_the_answer_begins() -> None:
    live = Arriving()

    assert list(live.add([Delta("thinking", "Hm.")], "")) == []
    assert list(live.add([Delta("text", "Yes")], "")) == [Thought("Hm.")]
    assert list(live.remaining(Thought("Hm."))) == []


def test_a_call_closes_the_text_before_it() -> None:
    live = Arriving()
    items = list(live.add([Delta("text", "I look."), Delta("call", "Read")], ""))

    assert items == [Piece("I look.", gap=True)]
    assert list(live.remaining(Said("I look."))) == []


@pytest.mark.parametrize("end", [Retrying("network", 1, 500), ENDED])
def test_what_the_log_does_not_keep_is_said_to_be_let_go(end: Item) -> None:
    items = shown(Arriving(), [Delta("text", "one\n\ntwo")], end)

    assert items[1:] == [Noted(LET_GO), end]


@pytest.mark.parametrize("text", ["one\n\ntw", "on"])
def test_what_was_cut_off_is_marked(text: str) -> None:
    items = shown(Arriving(), [Delta("text", text)], Said(text, partial=True))

    assert picture(items) == picture([Said(text, partial=True)])


def test_another_text_in_the_log_is_shown_whole() -> None:
    items = shown(Arriving(), [Delta("text", "one\n\ntwo")], Said("three"))

    assert items[1:] == [Said("three")]


def test_secrets_are_replaced_before_they_are_seen() -> None:
    live = Arriving(lambda text: text.replace("hunter2", "<KEY>"))
    items = shown(live, [Delta("text", "a hunter2\n\nb hunter2")], Said("a <KEY>\n\nb <KEY>"))

    assert "hunter2" not in picture(items)
    assert picture(items) == picture([Said("a <KEY>\n\nb <KEY>")])
