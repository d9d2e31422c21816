"""The standard files: always open, and written while somebody reads."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from fsm_agent.interfaces.painting.escaping import escape


def prepare() -> None:
    """Make the standard files usable, however the program was started.

    One that is closed becomes `/dev/null`: else the log could get its number, and what is said
    there. What an output's encoding does not have is shown as an escape.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # by their numbers
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def aside(text: str) -> None:
    """Say a line beside the answer, on stderr; names and texts in it do not steer a terminal."""
    Outlet(sys.stderr).say(escape(text))


class Outlet:
    """A standard output; what nobody takes is let go, so that it never stands in the way.

    Attributes:
        lost: Why nothing can be written any more. A `BrokenPipeError` is a reader who has left.
    """

    def __init__(self, stream: TextIO) -> None:
        self.lost: OSError | None = None
        self._stream = stream

    def say(self, text: str) -> None:
        """Write a line."""
        self.write(f"{text}\n".encode(self._stream.encoding, "backslashreplace"))

    def write(self, raw: bytes) -> None:
        """Write and flush."""
        try:
            self._stream.buffer.write(raw)
            self.flush()
        except OSError as error:
            self.lose(error)

    def flush(self) -> None:
        """Write what was held back."""
        try:
            self._stream.flush()
        except OSError as error:
            self.lose(error)

    def lose(self, error: OSError) -> None:
        """Write no more: what is still held, and all that comes, goes nowhere."""
        self.lost = error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
