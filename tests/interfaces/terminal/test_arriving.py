"""An answer that arrives is shown once, as it is shown from the log."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
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


@given(st.lists(WORDS), st.lists(WORDS, min_size=1))
def test_live_looks_as_the_log_does(thinking: list[str], text: list[str]) -> None:
    deltas = [*(Delta("thinking", part) for part in thinking), *(Delta("text", t) for t in text)]
    logged: list[Item] = []
    logged += [Thought("".join(thinking))] if "".join(thinking).strip() else []
    logged += [Said("".join(text))] if "".join(text).strip() else []

    assert picture(shown(Arriving(), deltas, *logged)) == picture(logged)


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


def test_what_was_cut_off_is_marked() -> None:
    items = shown(Arriving(), [Delta("text", "one\n\ntw")], Said("one\n\ntw", partial=True))

    assert picture(items) == picture([Said("one\n\ntw", partial=True)])


def test_another_text_in_the_log_is_shown_whole() -> None:
    items = shown(Arriving(), [Delta("text", "one\n\ntwo")], Said("three"))

    assert items[1:] == [Said("three")]


def test_secrets_are_replaced_before_they_are_seen() -> None:
    live = Arriving(lambda text: text.replace("hunter2", "<KEY>"))
    items = shown(live, [Delta("text", "a hunter2\n\nb hunter2")], Said("a <KEY>\n\nb <KEY>"))

    assert "hunter2" not in picture(items)
    assert picture(items) == picture([Said("a <KEY>\n\nb <KEY>")])
