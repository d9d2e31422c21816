"""What ripgrep prints, taken as it comes: names, and lines under names."""

from __future__ import annotations

from collections.abc import Container

from fsm_agent.tools.bounded import Bounded


class Names:
    """Names that each end with NUL: all of them, for a filter that has a gap is none.

    Attributes:
        names: In the order in which they came.
    """

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self._rest = b""

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        *names, self._rest = (self._rest + data).split(b"\0")
        self.names += names

    def value(self) -> bytes:
        """What is no name: why there are none."""
        return self._rest


class Sections:
    """Lines under the names of their files, in bounded memory; those of other files go by.

    A section is a name, NUL, its lines; a blank line stands between two of them.
    """

    def __init__(self, names: Container[bytes]) -> None:
        self._names, self._kept = names, Bounded()
        self._line, self._name = b"", b""
        self._in_name, self._keep = True, False

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            if self._in_name:
                self._read_name(line)
            elif not line:
                self._in_name, self._name = True, b""
            elif self._keep:
                self._kept.add(line + b"\n")

    def value(self) -> bytes:
        """The lines of the files that were named; without any, what is no section: an error."""
        return self._kept.value() or self._name + self._line

    def _read_name(self, line: bytes) -> None:
        name, nul, text = (self._name + line).partition(b"\0")
        if not nul:  # the name itself holds a line end
            self._name += line + b"\n"
            return
        self._in_name, self._keep, self._name = False, name in self._names, b""
        if self._keep:
            between = b"\n" if self._kept.total else b""
            self._kept.add(between + name + b"\0" + text + b"\n")
