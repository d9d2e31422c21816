"""Amounts as people write and read them: tokens, prices, ratios, dollars."""

from __future__ import annotations

import argparse
import re

_DOLLARS = re.compile(r"(\d{1,6})(?:\.(\d{1,6}))?", re.ASCII)
_RATIO = re.compile(r"0?\.\d{1,9}|0|1(?:\.0{1,9})?", re.ASCII)
_TOKENS = re.compile(r"(\d{1,9})([kKmM]?)", re.ASCII)
_TIMES = {"": 1, "k": 1000, "m": 1_000_000}
MICRO = 1_000_000
"""Micro-dollars in a dollar."""


def tokens(text: str) -> int:
    """A number of tokens from 1: `200000`, `200k`, `1m`."""
    found = _TOKENS.fullmatch(text)
    if not found or not int(found[1]):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of tokens, as 200000 or 200k")
    return int(found[1]) * _TIMES[found[2].lower()]


def price(text: str) -> tuple[int, int, int, int]:
    """`IN,OUT[,READ[,WRITE]]` in dollars per million tokens; gives micro-dollars for as many.

    What is not said of the cache costs what input does.
    """
    found = [_DOLLARS.fullmatch(part.strip().removeprefix("$")) for part in text.split(",")]
    parts = [int(one[1]) * MICRO + int((one[2] or "").ljust(6, "0")) for one in found if one]
    if len(parts) != len(found) or len(parts) not in (2, 3, 4):
        raise argparse.ArgumentTypeError(
            f"'{text}' is not IN,OUT[,READ[,WRITE]] in dollars per million tokens, as 3,15,0.30"
        )
    fresh, output, read, write = [*parts, *parts[:1] * (4 - len(parts))]
    return fresh, output, read, write


def ratio(text: str) -> str:
    """A decimal from 0 to 1, as its text: a log has no floats."""
    if not _RATIO.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 to 1")
    return text


def dollars(micro: int) -> str:
    """Micro-dollars as a person reads them: to the cent, small amounts to the last digit that counts."""
    if micro >= MICRO or not micro:
        return f"${micro / MICRO:,.2f}"
    return f"${micro / MICRO:.4f}" if micro >= MICRO // 1000 else f"${micro / MICRO:.6f}"


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 10:  # noqa: PLR2004 - tenths of a second matter only below
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


_AGES = ((7 * 24 * 3600, "week"), (24 * 3600, "day"), (3600, "hour"), (60, "min"))
"""Seconds of a unit, and its name."""


def age(seconds: float) -> str:
    """How long ago something was: `just now`, `3 min ago`, `1 day ago`, `2 weeks ago`."""
    for unit, name in _AGES:
        if count := max(0, int(seconds // unit)):
            plural = "s" if count > 1 and name != "min" else ""
            return f"{count} {name}{plural} ago"
    return "just now"


def thousands(count: int) -> str:
    """`84k`; below a thousand the number itself."""
    return f"{round(count / 1000)}k" if count >= 1000 else str(count)  # noqa: PLR2004 - a thousand


def context_cut(before: int, after: int, spent: int | None, net: int | None) -> str:
    """A cut of the context: its tokens, what its summary cost, and what it pays if it does."""
    summary = "?" if spent is None else dollars(spent)
    pays = f" (pays {dollars(net)})" if net and net > 0 else ""
    sizes = f"{thousands(before)} → {thousands(after)} tokens"
    return f"context cut: {sizes}, summary cost {summary}{pays}"


def rate(micro: int) -> str:
    """A price in dollars per million tokens, without zeros that say nothing."""
    whole, _, rest = f"{micro / MICRO:.6f}".partition(".")
    return f"{whole}.{rest.rstrip('0').ljust(2, '0')}"


def cost(known: int, unpriced: int) -> str:
    """What was spent: `?` where nothing is known of it, and beside what is known where it is not all."""
    if not unpriced:
        return dollars(known)
    return f"{dollars(known)} + ?" if known else "?"
