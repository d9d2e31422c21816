"""The only place that asks for the time, and for a session's name."""

from __future__ import annotations

import os
import time
from typing import Protocol


class Clock(Protocol):
    """What the runtime asks for time and names; tests bring their own."""

    def unix(self) -> float:
        """Seconds since 1970, UTC."""

    def session_id(self) -> str:
        """A new session's name: `YYYYMMDD-HHMMSS-xxxx`, UTC."""


class SystemClock:
    """The machine's clock."""

    def unix(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()  # noqa: TID251 - this is the clock

    def session_id(self) -> str:
        """The time of day and four random hex digits."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self.unix()))
        return f"{stamp}-{os.urandom(2).hex()}"


def iso(unix: float) -> str:
    """ISO 8601, UTC, milliseconds: `2026-11-30T09:12:44.120Z`."""
    ms = int(unix * 1000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
    return f"{stamp}.{ms % 1000:03d}Z"
