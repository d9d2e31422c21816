"""Marks that tell a server up to where to cache, put into finished bytes."""

from __future__ import annotations

MARK = b',"cache_control":{"type":"ephemeral"}'
MOST_MARKS = 4
"""As many a request may have."""


def mark(body: bytes, end: bytes) -> bytes:
    """Put the mark into the last object of a list, if `body` ends with one: `end` closes both."""
    return body.removesuffix(end) + MARK + end if body.endswith(end) else body
