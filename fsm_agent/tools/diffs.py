"""Unified diffs of two versions of a file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import msgspec

_CONTEXT = 3
_SEARCHED = 2000  # lines in which equal ones are looked for: that takes quadratic time


class Diff(msgspec.Struct, frozen=True):
    """A unified diff as text, and how many lines it adds and removes."""

    text: str
    added: int
    removed: int


def diff(path: str, before: bytes, after: bytes) -> Diff:
    """The change of a file; bytes that are no UTF-8 are shown as U+FFFD."""
    old, new = _lines(before), _lines(after)
    same = _common(old, new)
    start = max(same - _CONTEXT, 0)
    rest = min(len(old), len(new)) - same  # what both begin with is no common end as well
    old, new = old[start:], new[start:]
    equal = max(min(_common(old[::-1], new[::-1]), rest) - _CONTEXT, 0)
    body = list(_hunks(old[: len(old) - equal], new[: len(new) - equal], start))
    return Diff(
        "".join([f"--- {path}\n", f"+++ {path}\n", *map(_ended, body)]),
        sum(line.startswith("+") for line in body),
        sum(line.startswith("-") for line in body),
    )


def _hunks(old: Sequence[str], new: Sequence[str], start: int) -> Iterator[str]:
    """The hunks of two parts that begin after `start` common lines."""
    if max(len(old), len(new)) > _SEARCHED:
        yield f"@@ -{start + 1},{len(old)} +{start + 1},{len(new)} @@\n"
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for line in list(difflib.unified_diff(old, new, n=_CONTEXT))[2:]:
        if line.startswith("@@"):
            yield re.sub(r"(?<=[-+])\d+", lambda found: str(int(found[0]) + start), line)
        else:
            yield line


def _lines(content: bytes) -> list[str]:
    """Lines with their ends; only LF ends one, so that the file's own CR shows."""
    return [line for line in re.split(r"(?<=\n)", content.decode(errors="replace")) if line]


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
