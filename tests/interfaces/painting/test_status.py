"""Where a session stands is one line; what is unknown is said to be so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Economy, Price, Usage
from fsm_agent.interfaces.painting.status import Standing, line

PRICED = Economy(window=200_000, price=Price(3_000_000, 15_000_000, 300_000, 3_750_000))
SENT = d.SendRequest(instance="turn-1", protocol="p", model="m", digest="", bytes=1)
USED = Usage(1000, 500, cache_read=19_000, cache_write=400)
DONE = i.Completed(instance="turn-1", activity=4, stop="end_turn", usage=USED)
TOLD = "1k in + 19k cached + 400 written, 500 out"
BEGUN = d.Transition(instance="turn-1", row="T1", trigger="x", source="ready", target="compact")


def stands(*events: Event) -> Standing:
    standing = Standing()
    for event in events:
        standing.take(event)
    return standing


def settings(**given: object) -> i.Settings:
    return i.Settings(protocol="p", model="m", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], ""),
        ([settings()], "m · ask · context ? of ?"),
        ([settings(economy=PRICED)], "m · ask · context ? of 200k"),
        (
            [settings(economy=PRICED), BEGUN, SENT, DONE],
            f"m · ask · turn 1 · {TOLD} · 95% from cache · $0.0177 · context 21k of 200k (10%)",
        ),
        (
            [settings(permission="plan"), d.Plan(instance="plan", state="drafting"), SENT, DONE],
            f"m · plan · plan: drafting · {TOLD} · 95% from cache · ? · context 21k of ?",
        ),
    ],
)
def test_what_is_told(events: list[Event], expected: str) -> None:
    assert line(stands(*events), 200) == expected


def test_a_cut_makes_the_context_smaller() -> None:
    cut = d.ContextUpdate(instance="compaction", strategy="summary", before=9, after=700, of=7)

    assert stands(settings(), SENT, DONE, cut).context == 700


@given(st.integers(5, 120))
def test_it_fits_and_the_context_stays_longest(width: int) -> None:
    shown = line(stands(settings(economy=PRICED), BEGUN, SENT, DONE), width)

    assert cell_len(shown) <= width
    assert ("context" in shown) == (width >= len("context 21k of 200k (10%)"))
