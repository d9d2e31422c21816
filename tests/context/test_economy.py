"""The formula: its terms, and what follows from them."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsm_agent.context.economy import (
    SEED_PRICE,
    Facts,
    Formula,
    best,
    bounds,
    calls_a_turn,
    decimal,
    half_away,
    half_up,
    may_pay,
    size,
    turns_left,
)
from fsm_agent.events.values import Economy, Price

START = Facts(turns=0, requests=0, tokens=0, cuts=0, context=0)

COUNTS = st.integers(0, 50)
TOKENS = st.integers(0, 300_000)
SHARES = st.integers(0, 100).map(lambda percent: str(percent / 100))
FACTS = st.builds(Facts, COUNTS, COUNTS, TOKENS, st.integers(0, 8), TOKENS)
PRICES = st.tuples(*[st.integers(0, 20_000_000)] * 3).map(
    lambda p: Price(input=max(p[:2]), cache_read=min(p[:2]), output=p[2], cache_write=max(p[:2]))
)
"""Of prices that a provider asks, the one for what is cached is no higher."""
ECONOMIES = st.builds(
    Economy,
    window=st.sampled_from([0, 8000, 200_000]),
    price=st.none() | PRICES,
    turns=st.integers(0, 10),
    turns_left=st.integers(0, 3),
    calls=st.integers(0, 8),
    summary=st.integers(0, 1000),
    fixed=st.integers(0, 10_000),
    retention=SHARES,
    loss=SHARES,
    keep=SHARES,
    quality=st.sampled_from(["0", "0.2"]),
)
SIZES = st.lists(st.integers(1, 20_000), max_size=40)
LONG = st.lists(st.integers(1000, 20_000), min_size=20, max_size=40)
"""Of these, dropping some often pays."""


def price_of(economy: Economy) -> Price:
    return economy.price or SEED_PRICE


def kept_of(sizes: list[int]) -> list[int]:
    """Tokens of the last `k` lines, for each `k`."""
    return list(accumulate(reversed(sizes), initial=0))


@pytest.mark.parametrize(("length", "tokens"), [(0, 1), (1, 2), (30, 9), (34, 10)])
def test_tokens_are_a_quarter_of_the_bytes(length: int, tokens: int) -> None:
    assert size(length) == tokens


@pytest.mark.parametrize(
    ("baseline", "expected"),
    [(8, [8, 7, 6, 5, 4, 4, 4]), (1, [2, 2, 2]), (2, [2, 1, 1]), (3, [3, 2, 1, 1]), (0, [2, 2])],
)
def test_fewer_turns_are_expected_the_more_there_were(baseline: int, expected: list[int]) -> None:
    economy = Economy(turns=baseline)

    assert [turns_left(replace(START, turns=t), economy) for t in range(len(expected))] == expected


def test_turns_that_are_set_are_expected_whatever_was() -> None:
    assert turns_left(replace(START, turns=30), Economy(turns_left=9)) == 9


@pytest.mark.parametrize(
    ("turns", "requests", "calls"),
    [(0, 0, 5), (0, 9, 5), (4, 0, 5), (4, 10, Fraction(5, 2)), (4, 3, 1)],
)
def test_calls_are_measured_where_none_are_set(turns: int, requests: int, calls: Fraction) -> None:
    facts = replace(START, turns=turns, requests=requests)

    assert calls_a_turn(facts, Economy(calls=0)) == calls
    assert calls_a_turn(facts, Economy(calls=7)) == 7


def test_what_was_known_fades_to_a_floor() -> None:
    texts = [decimal(Formula(replace(START, cuts=c), Economy()).retention) for c in range(7)]

    assert texts == ["0.8", "0.64", "0.512", "0.4096", "0.37", "0.37", "0.37"]


def test_a_mean_prompt_is_guessed_until_it_is_measured() -> None:
    measured = replace(START, requests=10, tokens=120_000)

    assert Formula(START, Economy()).average == 4000
    assert Formula(replace(measured, tokens=0), Economy()).average == 4000
    assert Formula(measured, Economy()).average == 12_000


def test_an_unknown_price_is_the_seed_s() -> None:
    given = Price(input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=0)

    assert Formula(START, Economy()).net(5000, 90_000) == Formula(START, Economy(price=given)).net(
        5000, 90_000
    )


def test_halves_are_rounded_up_and_money_away_from_zero() -> None:
    halves = [Fraction(n, 2) for n in (-3, -1, 1, 5, 9)]

    assert [half_up(half) for half in halves] == [-1, 0, 1, 3, 5]
    assert [half_away(half) for half in halves] == [-2, -1, 1, 3, 5]


@pytest.mark.parametrize(
    ("number", "text"),
    [(Fraction(20), "20"), (Fraction(1, 3), "0.333333"), (Fraction(-2, 3), "-0.666667")],
)
def test_a_number_in_the_log_is_a_short_decimal_text(number: Fraction, text: str) -> None:
    assert decimal(number) == text


def test_nothing_to_drop_is_no_candidate() -> None:
    for sizes in ([], [5], [5, 5], [5, 5, 5], [0, 0, 0, 0, 0]):
        assert best(kept_of(sizes), START, Economy()) is None


def test_of_equal_candidates_the_shortest_is_taken() -> None:
    free = Price(input=0, output=0, cache_read=0, cache_write=0)
    found = best(kept_of([100] * 20), START, Economy(price=free))

    assert found
    assert found.net == 0
    assert found.numbers.k == 6


@given(FACTS, ECONOMIES, TOKENS, TOKENS)
def test_it_is_the_sum_of_its_terms(
    facts: Facts, economy: Economy, kept: int, dropped: int
) -> None:
    price, formula = price_of(economy), Formula(facts, economy)
    retention = max(Fraction(economy.retention) ** (facts.cuts + 1), Fraction("0.37"))
    known = facts.tokens and facts.requests
    average = Fraction(facts.tokens, facts.requests) if known else 4000
    calls = turns_left(facts, economy) * calls_a_turn(facts, economy)
    fixed, whole = economy.fixed, kept + dropped
    terms = (
        (calls - 1) * price.cache_read * dropped,
        -(economy.summary + kept) * (price.input - price.cache_read),
        -price.cache_read * (fixed + dropped),
        -price.input * economy.instruction - price.output * economy.summary,
        -Fraction(economy.loss) * (1 - retention) * calls * average * price.input,
    )
    net = sum(terms)
    if economy.window and whole > Fraction("0.3") * economy.window:
        dulled = (fixed + whole) ** 2 - (fixed + kept) ** 2
        net += Fraction(economy.quality) * price.input * dulled / economy.window

    assert Fraction(formula.net(kept, dropped), formula.unit) == net


@given(FACTS, ECONOMIES, TOKENS, st.integers(1, 300_000))
def test_a_token_more_kept_costs_the_same_everywhere(
    facts: Facts, economy: Economy, kept: int, dropped: int
) -> None:
    economy = replace(economy, quality="0")
    price, formula = price_of(economy), Formula(facts, economy)
    slope = formula.net(kept + 1, dropped - 1) - formula.net(kept, dropped)

    assert slope == -((formula.calls - 3) * price.cache_read + price.input) * formula.unit


@given(LONG, FACTS, ECONOMIES, st.integers(2, 8))
def test_what_pays_keeps_as_little_as_it_may(
    sizes: list[int], facts: Facts, economy: Economy, calls: int
) -> None:
    economy = replace(economy, calls=calls, keep="0.3", loss="0.01")
    found = best(kept_of(sizes), facts, economy)
    assume(found is not None and found.net > 0)

    assert found
    assert found.numbers.k == found.numbers.least


@given(SIZES, FACTS, ECONOMIES)
def test_the_search_is_a_test_against_a_threshold(
    sizes: list[int], facts: Facts, economy: Economy
) -> None:
    economy = replace(economy, quality="0")
    price, formula, kept = price_of(economy), Formula(facts, economy), kept_of(sizes)
    stays = kept[bounds(len(sizes), Fraction(economy.keep))[0]]
    goes = kept[-1] - stays
    lost = Fraction(economy.loss) * (1 - formula.retention) * formula.calls * formula.average
    threshold = (
        (economy.summary + stays) * (price.input - price.cache_read)
        + price.cache_read * economy.fixed
        + price.input * economy.instruction
        + price.output * economy.summary
        + lost * price.input
    )
    found = best(kept, facts, economy)

    assert (found is not None and found.net > 0) == (
        goes > 0 and price.cache_read * (formula.calls - 2) * goes > threshold
    )


@given(SIZES, FACTS, ECONOMIES)
def test_where_a_glance_says_no_the_search_finds_nothing(
    sizes: list[int], facts: Facts, economy: Economy
) -> None:
    found = best(kept_of(sizes), facts, economy)

    assert may_pay(list(accumulate(sizes)), facts, economy) or found is None or found.net <= 0


@pytest.mark.parametrize(("dropped", "counts"), [(50_000, False), (50_001, True)])
def test_only_a_crowded_window_dulls(dropped: int, counts: bool) -> None:
    economy = Economy(window=200_000)
    with_ = Formula(START, replace(economy, quality="0.2")).net(10_000, dropped)

    assert (with_ != Formula(START, economy).net(10_000, dropped)) == counts


@given(FACTS, ECONOMIES, TOKENS, TOKENS)
def test_a_dulled_model_makes_a_cut_likelier(
    facts: Facts, economy: Economy, kept: int, dropped: int
) -> None:
    without, with_ = (Formula(facts, replace(economy, quality=quality)) for quality in ("0", "0.2"))

    assert Fraction(with_.net(kept, dropped), with_.unit) >= Fraction(
        without.net(kept, dropped), without.unit
    )
