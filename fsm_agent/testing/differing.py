"""The first place in which two JSON values differ."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import msgspec

Json: TypeAlias = Any
"""What a JSON text decodes to."""
AROUND = 30
"""Characters shown before the first that differs, and …"""
BEHIND = 60
"""… from it on."""
ABSENT = object()
MARK = "cache_control"
"""A key that requests are compared without: it moves on with every one of them."""


class Difference(NamedTuple):
    """Where two values part (`messages[2].content`), and what each has there, shortened."""

    where: str
    old: str
    new: str


def first_difference(old: Json, new: Json, where: str = "") -> Difference | None:
    """Find the first difference, in the order in which `old` is written; none if there is none."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in dict.fromkeys([*old, *new]) if name != MARK]
        dot = "." if where else ""
        pairs = [(f"{where}{dot}{n}", old.get(n, ABSENT), new.get(n, ABSENT)) for n in names]
    elif isinstance(old, list) and isinstance(new, list):
        longer = range(max(len(old), len(new)))
        pairs = [(f"{where}[{n}]", _at(old, n), _at(new, n)) for n in longer]
    elif old == new and type(old) is type(new):
        return None
    else:
        return Difference(where, *_excerpts(old, new))
    found = (first_difference(a, b, place) for place, a, b in pairs)
    return next((difference for difference in found if difference), None)


def common(old: list[Json], new: list[Json]) -> int:
    """How many items are the same from the beginning on."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, pair in pairs if first_difference(*pair)), min(len(old), len(new)))


def _at(items: list[Json], place: int) -> Json:
    return items[place] if place < len(items) else ABSENT


def _excerpts(old: Json, new: Json) -> tuple[str, str]:
    left, right = _shown(old), _shown(new)
    pairs = enumerate(zip(left, right, strict=False))
    begin = max(0, next((n for n, (a, b) in pairs if a != b), 0) - AROUND)
    return _cut(left, begin), _cut(right, begin)


def _shown(value: Json) -> str:
    return "(nothing)" if value is ABSENT else msgspec.json.encode(value).decode()


def _cut(text: str, begin: int) -> str:
    end = begin + AROUND + BEHIND
    return f"{'…' * (begin > 0)}{text[begin:end]}{'…' * (end < len(text))}"
