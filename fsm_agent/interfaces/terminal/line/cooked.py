"""Lines as the terminal's own editing gives them."""

from __future__ import annotations

import contextlib
import os
import termios

LONGEST = 4095
"""Bytes of a line that a terminal hands over (Linux); what is typed behind them is lost."""
TERMINAL = "/dev/tty"


class Keyboard:
    """Reads whole lines from a terminal, and leaves all else about it as it is."""

    def __init__(self, terminal: int) -> None:
        self._file = _opened(terminal)
        self._rest = b""

    def fileno(self) -> int:
        """The file to wait for."""
        return self._file

    def read(self) -> list[bytes]:
        """The lines that have been ended since; never waits.

        Raises:
            EOFError: If Ctrl-D was pressed where a line begins.
            OSError: If the terminal is gone.
        """
        try:
            read = os.read(self._file, LONGEST + 1)
        except BlockingIOError:
            return []
        if not read and os.isatty(self._file):
            raise EOFError
        if not read:
            raise OSError("the terminal is gone")
        *lines, self._rest = (self._rest + read).split(b"\n")
        return lines

    def forget(self) -> None:
        """Drop what was typed and not read."""
        self._rest = b""
        with contextlib.suppress(termios.error):  # the terminal is gone, and all that was typed
            termios.tcflush(self._file, termios.TCIFLUSH)

    def close(self) -> None:
        """Read no more."""
        os.close(self._file)


def _opened(terminal: int) -> int:
    """The terminal, opened anew: only here is it not to be waited for."""
    flags = os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK
    try:
        return os.open(os.ttyname(terminal), flags)
    except OSError:  # it is another user's, as after su
        return os.open(TERMINAL, flags)
