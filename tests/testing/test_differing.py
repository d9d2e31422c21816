"""The first difference is found, and shown around its place."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.testing.differing import Difference, common, first_difference

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
)


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ({"a": 1, "b": [2]}, {"a": 1, "b": [3]}, Difference("b[0]", "2", "3")),
        ({"a": [{"b": "x"}]}, {"a": [{}]}, Difference("a[0].b", '"x"', "(nothing)")),
        ([1], [1, {"c": 2}], Difference("[1]", "(nothing)", '{"c":2}')),
        ({"a": 1}, {"a": True}, Difference("a", "1", "true")),
        ("x" * 99 + "1", "x" * 99 + "2", Difference("", f'…{"x" * 30}1"', f'…{"x" * 30}2"')),
        ("1" + "x" * 99, "2" + "x" * 99, Difference("", f'"1{"x" * 88}…', f'"2{"x" * 88}…')),
    ],
)
def test_it_names_the_place_and_shows_both_sides(
    old: Any, new: Any, difference: Difference
) -> None:
    assert first_difference(old, new) == difference


@given(JSON)
def test_equal_values_do_not_differ(value: Any) -> None:
    assert first_difference(value, copy.deepcopy(value)) is None


@given(JSON, JSON)
def test_unequal_values_differ(old: Any, new: Any) -> None:
    if old != new:
        assert first_difference(old, new) is not None


def test_cache_marks_are_no_difference() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    assert first_difference([{"text": "a", **mark}], [{"text": "a"}]) is None
    assert common([{"text": "a", **mark}, 1, 2], [{"text": "a"}, 1]) == 2
