"""Server-sent events out of bytes that come in any sizes.

Work is done on whole buffers: line ends are made LF by `bytes.replace`, events are found by
`rfind` and cut by `split`, so an event costs well under a microsecond. Only an event's own blank
line dispatches it; what the end of the stream cuts off is never an event.
"""

from __future__ import annotations

from typing import TypeAlias

EVENT_LIMIT = 8 << 20
"""Bytes of one event, and so of one line, above which a stream is given up."""

BOM = b"\xef\xbb\xbf"

Event: TypeAlias = tuple[bytes, bytes]
"""The `event:` name (empty: none) and the joined `data:` lines."""


class Splitter:
    """Takes bytes, gives events. Lines end with LF, CR or CRLF, also across two chunks.

    Attributes:
        overflow: An event was longer than `EVENT_LIMIT`; nothing is given from then on.
    """

    def __init__(self) -> None:
        self.overflow = False
        self._buffer = bytearray()
        self._searched = 0
        self._after_cr = False
        self._begun = False

    def feed(self, chunk: bytes) -> list[Event]:
        """Take bytes in; return the events they complete."""
        if self.overflow or not chunk:
            return []
        # A CR ends its line at once; if an LF follows, it belongs to that CR.
        rest = chunk[1:] if self._after_cr and chunk.startswith(b"\n") else chunk
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in rest:
            rest = rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._buffer += rest
        end = self._buffer.rfind(b"\n\n", max(0, self._searched - 1))
        if end < 0:
            self._searched = len(self._buffer)
            self._give_up_if(self._searched > EVENT_LIMIT)
            return []
        whole = bytes(memoryview(self._buffer)[:end])
        del self._buffer[: end + 2]
        self._searched = len(self._buffer)
        if not self._begun:
            self._begun, whole = True, whole.removeprefix(BOM)
        return self._events(whole)

    def _events(self, whole: bytes) -> list[Event]:
        pieces = whole.split(b"\n\n")
        if len(whole) > EVENT_LIMIT:
            long = next((i for i, p in enumerate(pieces) if len(p) > EVENT_LIMIT), len(pieces))
            self._give_up_if(long < len(pieces))
            del pieces[long:]
        events = []
        for piece in pieces:
            if piece.startswith(b"data: ") and b"\n" not in piece:
                events.append((b"", piece[6:]))
            elif piece:
                event = _event(piece)
                if event != _NOTHING:
                    events.append(event)
        return events

    def _give_up_if(self, overflow: bool) -> None:  # noqa: FBT001  a fact, not a mode
        if overflow:
            self.overflow = True
            self._buffer.clear()


_NOTHING: Event = (b"", b"")


def _event(piece: bytes) -> Event:
    """Read an event's lines; comments (no field name), `id` and `retry` say nothing to us."""
    name, data = b"", []
    for line in piece.split(b"\n"):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return name, b"\n".join(data)
