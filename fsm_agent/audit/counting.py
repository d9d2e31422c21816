"""What was taken of the tables: rows, answers, moves, pairs of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

Key = TypeVar("Key", bound=tuple[str, ...])


class Counts(msgspec.Struct):
    """How often each was seen, by machine; counts of many logs are added.

    Attributes:
        logs: How many logs were counted.
        rows: (machine, row).
        answers: (machine, question, answer).
        moves: (machine, state, trigger).
        pairs: (machine, row, the row that the same instance took next).
    """

    logs: int = 0
    rows: dict[tuple[str, str], int] = msgspec.field(default_factory=dict)
    answers: dict[tuple[str, str, str], int] = msgspec.field(default_factory=dict)
    moves: dict[tuple[str, str, str], int] = msgspec.field(default_factory=dict)
    pairs: dict[tuple[str, str, str], int] = msgspec.field(default_factory=dict)

    @classmethod
    def merged(cls, counted: Iterable[Counts]) -> Counts:
        """The sum of many."""
        whole = cls()
        for counts in counted:
            whole.logs += counts.logs
            _add(whole.rows, counts.rows)
            _add(whole.answers, counts.answers)
            _add(whole.moves, counts.moves)
            _add(whole.pairs, counts.pairs)
        return whole


def _add(mine: dict[Key, int], theirs: dict[Key, int]) -> None:
    for key, count in theirs.items():
        mine[key] = mine.get(key, 0) + count
