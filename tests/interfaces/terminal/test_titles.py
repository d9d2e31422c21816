"""The terminal's title, progress and bell, and all of it taken back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.status import Standing
from fsm_agent.interfaces.terminal.titles import BELL, BUSY, DONE, KEEP, PUT_BACK, Titles, title

STANDING = Standing(model="m", turn=2, requests=3, context=5000)
STANDING.usage = Usage(1000, 50, cache_read=3000)
GHOSTTY = {"TERM": "xterm", "TERM_PROGRAM": "ghostty"}


def written(environment: Mapping[str, str], *busy: bool) -> list[str]:
    sent: list[str] = []
    titles = Titles(sent.append, environment)
    titles.begin()
    for one in busy:
        titles.show(STANDING, busy=one)
    titles.end()
    return sent


def test_a_title_tells_turns_requests_and_tokens() -> None:
    assert title(STANDING, busy=True) == "⏳ m T:2 R:3 I:4,000(75%) O:50 C:5,000"
    assert title(Standing(model="m"), busy=False) == "m T:0 R:0 I:0(—) O:0 C:0"


def test_a_model_s_name_cannot_end_the_title() -> None:
    assert "\x07" not in title(Standing(model="m\x07\x1b]0;x"), busy=False)


def test_what_is_shown_is_written_once_and_taken_back() -> None:
    text = title(STANDING, busy=True)

    assert written({"TERM": "xterm"}, True, True) == [
        *(KEEP, f"\x1b]0;{text}\x07"),
        f"\x1b]0;\x07{PUT_BACK}",
    ]


def test_progress_ends_with_the_program() -> None:
    sent = written(GHOSTTY, True)

    assert (sent.count(BUSY), sent.count(DONE)) == (1, 1)


@pytest.mark.parametrize("environment", [{}, {"TERM": "dumb"}, {"TERM": "linux"}])
def test_a_terminal_that_would_show_it_as_text_gets_nothing(environment: dict[str, str]) -> None:
    assert written(environment, True, False) == []


@pytest.mark.parametrize(
    ("wanted", "seconds", "rings"),
    [("", 99, False), ("30", 29.9, False), ("30", 30, True), ("0", 0, True)],
)
def test_the_bell_rings_after_a_long_turn_if_it_is_wanted(
    wanted: str, seconds: float, rings: bool
) -> None:
    sent: list[str] = []
    Titles(sent.append, {"FSM_AGENT_BELL": wanted}).ended(seconds)

    assert sent == [BELL] * rings


@pytest.mark.parametrize(("wanted", "rings"), [("", False), ("30", True)])
def test_the_bell_rings_for_a_question_if_it_is_wanted(wanted: str, rings: bool) -> None:
    sent: list[str] = []
    Titles(sent.append, {"FSM_AGENT_BELL": wanted}).asked()

    assert sent == [BELL] * rings
