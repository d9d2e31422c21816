"""How much is measured, and what a measurement gives."""

from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """How much is measured."""

    steps: tuple[int, int, int] = (50, 200, 1000)
    text: int = 5_000_000
    sleep_s: float = 0.5
    lines: int = 100_000
    sessions: int = 1000
    tools: int = 3
    messages: int = 10_000
    typed_s: float = 5.0
    turns: int = 500
    printed: int = 10_000


FULL = Sizes()
QUICK = Sizes((10, 50, 60), 100_000, 0.1, 2000, 20, 2, 1000, 1.0, 20, 1000)


class Figure(NamedTuple):
    """What one run gave, and what it stands beside."""

    name: str
    value: float
    beside: float | None = None


class Target(NamedTuple):
    """A limit in `unit`; where figures stand beside something, of their ratio."""

    unit: str
    limit: float
    beside: str = ""
