"""Which words of a changed line are others than before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import TypeAlias

LONGEST = 300
"""Characters of a line that is compared word by word: comparing takes quadratic time."""
MOST = 200
"""Pairs of lines of one diff that are compared."""
ALIKE = 0.4
"""Share of characters that two lines must have in common: else all of it is new."""
_JOINED = "[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d."
_WORD = re.compile(rf"(?:\w(?:{_JOINED})*)+|\s+|[^\w\s](?:{_JOINED})*")
Spans: TypeAlias = list[tuple[int, int]]
"""Where stretches begin and end, in characters."""


def changed(lines: Sequence[str]) -> Mapping[int, Spans]:
    """What is other in lines of a unified diff, by their place in it.

    Lines that were taken away and as many that stand in their place are pairs, in their order.
    """
    found: dict[int, Spans] = {}
    for old, new in islice(_pairs(lines), MOST):
        for at, spans in zip((old, new), _others(lines[old][1:], lines[new][1:]), strict=True):
            if spans:
                found[at] = [(start + 1, end + 1) for start, end in spans]
    return found


def _pairs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    taken: list[int] = []
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
    told = (at for at in range(first, len(lines)) if not lines[at].startswith("\\ "))
    for sign, group in groupby(told, key=lambda at: lines[at][:1]):
        here = list(group)
        if sign == "+" and len(here) == len(taken):
            yield from zip(taken, here, strict=True)
        taken = here if sign == "-" else []


def _others(old: str, new: str) -> tuple[Spans, Spans]:
    """What each has that the other has not; nothing if they are too long or too little alike."""
    if max(len(old), len(new)) > LONGEST:
        return [], []
    before, after = _WORD.findall(old), _WORD.findall(new)
    moves = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    same = sum(len("".join(before[a:b]).strip()) for tag, a, b, _, _ in moves if tag == "equal")
    if same < ALIKE * max(len(old.strip()), len(new.strip())):
        return [], []
    other = [move[1:] for move in moves if move[0] != "equal"]
    return (
        _spans(before, [(a, b) for a, b, _, _ in other]),
        _spans(after, [(c, d) for _, _, c, d in other]),
    )


def _spans(words: Sequence[str], stretches: Sequence[tuple[int, int]]) -> Spans:
    """Stretches of words as stretches of characters."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return [(ends[a], ends[b]) for a, b in stretches if a < b]
