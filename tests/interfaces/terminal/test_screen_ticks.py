"""What is waited for is told by the second, though nothing comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_seconds_without_a_byte_are_counted_up_to_the_next_one(sits_down: Sits) -> None:
    person = sits_down("text: It begins\ndelay: 4.6\ntext: and ends\nhang\n")
    person.asks("one")
    person.sees("no byte for 3 s")
    assert 0.5 < person.sees("no byte for 4 s") < 1.5

    person.sees("and ends")
    person.until(lambda: "no byte" not in person.text(), 1)


def test_seconds_before_a_request_is_sent_again_are_counted_down(sits_down: Sits) -> None:
    person = sits_down("error: 503 retry-after=2 busy\ntext: At last.\n")
    person.asks("one")
    person.sees("waiting to try again · 2 s to go")
    assert 0.5 < person.sees("waiting to try again · 1 s to go") < 1.5

    person.sees("At last.")
