"""A tool's output cut to what the model gets: head, marker, last lines."""

from __future__ import annotations

LIMIT = 50_000
"""Bytes of UTF-8 that the model gets of one result."""
TAIL_LINES = 5


def cut(text: str, limit: int = LIMIT) -> str:
    """Cut a text in its middle where it is longer than the limit.

    The last five lines are kept, but at most a quarter of the limit, so that one giant line cannot
    push the beginning out. Cuts are made between characters.

    Args:
        text: The whole output.
        limit: The most bytes of UTF-8 that the answer may have, the marker included.
    """
    raw = text.encode(errors="replace")
    if len(raw) <= limit:
        return text
    start = len(raw) - 1  # what ends the last line does not begin another
    for _ in range(TAIL_LINES):
        start = raw.rfind(b"\n", 0, max(start, 0))
    tail = _whole(raw[max(start + 1, len(raw) - limit // 4) :])
    note = (
        f"\n[… cut: {len(raw)} bytes in all; the first {{}} and the last {len(tail)} are shown …]\n"
    )
    room = limit - len(note.format(limit).encode()) - len(tail)
    head = _whole(raw[: room if room > 0 else limit // 2])
    shown = head + note.format(len(head)).encode() + tail
    return _whole(shown[:limit]).decode()


def _whole(part: bytes) -> bytes:
    """The part without the pieces of characters at its ends."""
    return part.decode(errors="ignore").encode()
