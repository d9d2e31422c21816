"""How long a server asks to wait before the next try."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from email.utils import mktime_tz, parsedate_tz

_NUMBER = re.compile(r"\d{1,15}(?:\.\d+)?")
_DURATION = (
    r"(?:(?P<h>\d+)\s*h(?:ours?)?\s*)?"
    r"(?:(?P<m>\d+)\s*m(?:in(?:ute)?s?)?(?![a-z])\s*)?"
    r"(?:(?P<s>\d+(?:\.\d+)?)\s*(?P<unit>ms|milliseconds?|s|sec|secs|seconds?)\b)?"
)
_GO_DURATION = re.compile(_DURATION)
_IN_WORDS = re.compile(
    r"(?:try again|retry|wait)(?: (?:in|after|for))?\s*" + _DURATION, re.IGNORECASE
)
_DATES = re.compile(
    r"[A-Za-z]{3,9},? [^,]*?\b[0-2]\d:[0-5]\d:[0-6]\d(?: GMT| UTC| [+-]\d{4}| \d{4})?"
)

_LONGEST_MS = 1e12
"""The longest wait that is handed on: one in words may have any number of digits."""
_EPOCH_MS, _EPOCH_S = 1e12, 1e9
"""From these sizes on a reset is a point in time, in milliseconds or in seconds."""


def asked_ms(headers: Mapping[str, str], message: str, now: float | None) -> int | None:
    """The wait that a response asks for, in milliseconds; none if it names none to come.

    Args:
        headers: With keys in lower case.
        message: The error's text.
        now: Unix time; without it, points in time are left out.
    """
    waits = (
        number(headers.get("retry-after-ms", "")),
        _retry_after_ms(headers.get("retry-after", ""), now),
        in_words_ms(message),
        reset_ms(headers.get("x-ratelimit-reset", ""), now),
        _bucket_ms(headers),
    )
    ms = next((ms for ms in waits if ms is not None and ms > 0), None)
    return None if ms is None else math.ceil(min(ms, _LONGEST_MS))


def number(text: str) -> float | None:
    """A plain number that is not negative; several header lines count with their largest."""
    found = [float(part) for part in map(str.strip, text.split(",")) if _NUMBER.fullmatch(part)]
    return max(found, default=None)


def in_words_ms(message: str) -> float | None:
    """The wait in a sentence such as `Please try again in 1m2.5s`."""
    return next((ms for m in _IN_WORDS.finditer(message) if (ms := _duration_ms(m))), None)


def reset_ms(text: str, now: float | None) -> float | None:
    """The wait until a reset: Unix time in seconds or milliseconds, or seconds from now."""
    value = number(text)
    if value is None or value < _EPOCH_S:
        return None if value is None else value * 1000
    if now is None:
        return None
    return (value if value >= _EPOCH_MS else value * 1000) - now * 1000


def _retry_after_ms(text: str, now: float | None) -> float | None:
    seconds = number(text)
    if seconds is not None:
        return seconds * 1000
    if now is None:
        return None
    return max((at * 1000 - now * 1000 for at in _dates(text)), default=None)


def _dates(text: str) -> Iterator[int]:
    for found in _DATES.findall(text):
        date = parsedate_tz(found)
        if date is not None:
            try:
                yield mktime_tz((*date[:9], date[9] or 0))  # without a zone: GMT, not ours
            except (ValueError, OverflowError):  # a year that is none
                continue


def _bucket_ms(headers: Mapping[str, str]) -> float | None:
    """The reset of a bucket that is empty; some servers leave out what remains."""
    waits = []
    for bucket in ("requests", "tokens"):
        reset = headers.get(f"x-ratelimit-reset-{bucket}", "").strip()
        if number(headers.get(f"x-ratelimit-remaining-{bucket}", "0")) == 0:
            found = _GO_DURATION.fullmatch(reset)
            seconds = number(reset)
            if found and (ms := _duration_ms(found)):
                waits.append(ms)
            elif seconds is not None:
                waits.append(seconds * 1000)
    return max(waits, default=None)


def _duration_ms(found: re.Match[str]) -> float:
    hours, minutes, rest = (float(found[name] or 0) for name in ("h", "m", "s"))
    seconds = rest / 1000 if (found["unit"] or "").lower().startswith("m") else rest
    return ((hours * 60 + minutes) * 60 + seconds) * 1000
