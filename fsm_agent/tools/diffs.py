"""Unified diffs of two versions of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

import msgspec

_CONTEXT = 3
_SEARCHED = 2000  # lines in which equal ones are looked for: that takes quadratic time

_Tag = Literal["replace", "delete", "insert", "equal"]
_Move = tuple[_Tag, int, int, int, int]


class Diff(msgspec.Struct, frozen=True):
    """A unified diff as text, and how many lines it adds and removes."""

    text: str
    added: int
    removed: int


def diff(path: str, before: bytes, after: bytes) -> Diff:
    """The change of a file; bytes that are no UTF-8 are shown as U+FFFD."""
    old, new = _lines(before), _lines(after)
    body = list(_hunks(old, new))
    return Diff(
        "".join([f"--- {path}\n", f"+++ {path}\n", *map(_ended, body)]),
        sum(line.startswith("+") for line in body),
        sum(line.startswith("-") for line in body),
    )


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, old[:0], new[:0])
    matcher.opcodes = list(_moves(old, new))  # type: ignore[attr-defined]  # what get_opcodes gives
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        (_, old_from, _, new_from, _), (_, _, old_to, _, new_to) = group[0], group[-1]
        yield f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@\n"
        for tag, one, two, three, four in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[one:two])
                continue
            yield from (f"-{line}" for line in old[one:two])
            yield from (f"+{line}" for line in new[three:four])


def _moves(old: Sequence[str], new: Sequence[str]) -> Iterator[_Move]:
    """Equal and unequal stretches. What both begin and end with is equal without a search."""
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    yield "equal", 0, head, 0, head
    if max(len(one), len(other)) > _SEARCHED:
        yield "replace", head, head + len(one), head, head + len(other)
    else:
        for tag, a, b, c, d in SequenceMatcher(None, one, other).get_opcodes():
            yield tag, a + head, b + head, c + head, d + head
    yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def _range(start: int, end: int) -> str:
    """The lines of a hunk on one side: the first, from 1, and how many; 0 before an empty file."""
    return f"{start + (end > start)},{end - start}"


def _lines(content: bytes) -> list[str]:
    """Lines with their ends; only LF ends one, so that the file's own CR shows."""
    return [line for line in re.split(r"(?<=\n)", content.decode(errors="replace")) if line]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
