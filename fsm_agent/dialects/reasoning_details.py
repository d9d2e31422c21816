"""OpenRouter's `reasoning_details`: pieces of a list that goes back whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_JOINED = ("text", "summary")


def merge(held: list[dict[str, Any]], pieces: Sequence[dict[str, Any]]) -> None:
    """Take pieces into the list: by index, texts joined, all else replaced by what came last.

    A piece without an index goes on with the last one if that is of its type.
    """
    for piece in pieces:
        one = _same(held, piece)
        if one is None:
            held.append(dict(piece))
            continue
        for name, value in piece.items():
            if name in _JOINED and isinstance(value, str) and isinstance(one.get(name), str):
                one[name] += value
            elif value is not None:
                one[name] = value


def said(pieces: Sequence[dict[str, Any]]) -> str:
    """The text that can be shown."""
    texts = (piece.get(name) for piece in pieces for name in _JOINED)
    return "".join(text for text in texts if isinstance(text, str))


def _same(held: Sequence[dict[str, Any]], piece: dict[str, Any]) -> dict[str, Any] | None:
    index = piece.get("index")
    if index is not None:
        return next((one for one in held if one.get("index") == index), None)
    last = held[-1] if held else {}
    return last if last.get("type") == piece.get("type") and "data" not in piece else None
