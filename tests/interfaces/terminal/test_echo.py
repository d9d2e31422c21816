"""A key that is pressed is seen at once, whatever is under way."""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

LIMIT_S = 0.2
"""Seconds from a key to its echo, as the median of many.

Far above what a benchmark holds it to: it shows that nothing keeps keys waiting, on any machine.
"""
KEYS = "~%&$#=+*" * 8
SEQUENCE = rb"\x1b\[[0-?]*[ -/]*[@-~]"
STREAMING = "text: word after word\ndelay: 0.01\n" * 500

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def echoed(file: int, key: bytes) -> float:
    """Press a key; how many seconds it took until it was on the screen."""
    while select.select([file], [], [], 0)[0]:
        os.read(file, 1 << 16)
    began, seen = time.perf_counter(), b""
    os.write(file, key)
    while key not in re.sub(SEQUENCE, b"", seen):
        assert select.select([file], [], [], 2)[0], seen
        seen += os.read(file, 1 << 16)
    return time.perf_counter() - began


@pytest.mark.parametrize("script", [STREAMING, "text: idle\n"], ids=["streaming", "idle"])
def test_keys_are_echoed_while_something_is_under_way(sits_down: Sits, script: str) -> None:
    person = sits_down(script)
    person.asks("one")
    person.sees("answering" if script == STREAMING else "· 0.")
    taken = []
    for key in KEYS:
        taken.append(echoed(person.child.child_fd, key.encode()))
        time.sleep(0.013)  # at another moment of the redraws each time

    assert median(taken) < LIMIT_S
