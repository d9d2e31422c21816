"""Numbers of the wire, believed only where they can be true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LARGEST = 10**12
"""The largest number of tokens that is believed."""


def count(tokens: Mapping[str, Any], name: str) -> int:
    """A number of tokens; 0 where it is left out, negative, infinite, too large or none."""
    value = tokens.get(name)
    return int(value) if isinstance(value, int | float) and 0 <= value <= LARGEST else 0
