"""Amounts are read as people write them; nothing else is one."""

from __future__ import annotations

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.amounts import cost, dollars, price, rate, ratio, tokens


@pytest.mark.parametrize(
    ("text", "count"), [("1", 1), ("200000", 200_000), ("200k", 200_000), ("2M", 2_000_000)]
)
def test_tokens_may_be_thousands_or_millions(text: str, count: int) -> None:
    assert tokens(text) == count


@pytest.mark.parametrize("text", ["", "0", "0k", "-1", "1.5k", "k", "1g", "１", "1" * 10])
def test_what_is_no_number_of_tokens_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a number of tokens"):
        tokens(text)


@pytest.mark.parametrize(
    ("text", "micro"),
    [
        ("3,15", (3_000_000, 15_000_000, 3_000_000, 3_000_000)),
        ("3,15,0.30", (3_000_000, 15_000_000, 300_000, 3_000_000)),
        ("3,15,.30,3.75", None),
        ("$3, $15, $0.30, $3.75", (3_000_000, 15_000_000, 300_000, 3_750_000)),
        ("0,0", (0, 0, 0, 0)),
        ("0.000001,1", (1, 1_000_000, 1, 1)),
        ("3", None),
        ("", None),
        ("3,", None),
        ("1,2,3,4,5", None),
        ("-1,2", None),
        ("1e3,2", None),
        ("0.0000001,2", None),
        ("1234567,2", None),
        ("a,b", None),
    ],
)
def test_a_price_is_two_to_four_amounts(text: str, micro: tuple[int, ...] | None) -> None:
    if micro is None:
        with pytest.raises(argparse.ArgumentTypeError, match="dollars per million tokens"):
            price(text)
    else:
        assert price(text) == micro


@given(st.lists(st.integers(0, 10**11), min_size=4, max_size=4))
def test_a_price_is_read_as_it_is_written(micro: list[int]) -> None:
    assert price(",".join(map(rate, micro))) == tuple(micro)


@pytest.mark.parametrize("text", ["0", "1", "1.0", "0.8", ".8", "0.03"])
def test_a_ratio_is_kept_as_its_text(text: str) -> None:
    assert ratio(text) == text


@pytest.mark.parametrize("text", ["", "1.1", "2", "-0.1", "1/2", "80%", "nan", "0.", "."])
def test_what_is_no_ratio_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="from 0 to 1"):
        ratio(text)


@pytest.mark.parametrize(
    ("micro", "text"),
    [
        (0, "$0.00"),
        (1, "$0.000001"),
        (999, "$0.000999"),
        (12_345, "$0.0123"),
        (1_234_567_890, "$1,234.57"),
    ],
)
def test_dollars_are_as_exact_as_they_are_small(micro: int, text: str) -> None:
    assert dollars(micro) == text


def test_what_is_not_known_of_a_cost_is_said() -> None:
    assert [cost(12_345, 0), cost(12_345, 1), cost(0, 1)] == ["$0.0123", "$0.0123 + ?", "?"]
