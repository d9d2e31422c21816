"""Output kept whole up to a bound: its head, and a tail that moves."""

from __future__ import annotations

from typing import Protocol

HEAD = 1 << 20
TAIL = 1 << 16


class Output(Protocol):
    """Takes what a command prints, as it comes."""

    def add(self, data: bytes) -> None:
        """Take the next bytes."""

    def value(self) -> bytes:
        """What is to be shown of them."""


class Bounded:
    """Collects bytes in bounded memory; what falls between head and tail is counted."""

    def __init__(self) -> None:
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.total += len(data)
        room = HEAD - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * TAIL:
            del self._tail[:-TAIL]

    def value(self) -> bytes:
        """What is kept, with a line in the gap that says how much is missing."""
        missing = self.total - len(self._head) - TAIL
        if missing <= 0:
            return bytes(self._head + self._tail)
        note = f"\n[… {missing} bytes left out …]\n".encode()
        return bytes(self._head + note + self._tail[-TAIL:])
