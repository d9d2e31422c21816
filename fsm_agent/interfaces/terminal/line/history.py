"""Lines that were typed in this project, kept across sessions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from prompt_toolkit.history import History

NAME = "history"
"""The file's name, beside the project's sessions."""
READ = 1 << 20
"""Bytes from the file's end that are read: several thousand lines."""
LONGEST = 1 << 16
"""Bytes of a line that is kept."""


class LineHistory(History):
    """A file with one JSON text a line, however many lines that text has itself.

    A line is appended by one write, so sessions that run side by side need no lock. What cannot be
    read is passed over, and what cannot be kept is no reason to fail.
    """

    def __init__(self, path: Path, clean: Callable[[str], str]) -> None:
        """`clean` takes out what no file may hold."""
        super().__init__()
        self._path, self._clean = path, clean

    def load_history_strings(self) -> Iterable[str]:
        """Each text once, the newest first."""
        texts: dict[str, None] = {}
        for raw in reversed(self._lines()):
            with contextlib.suppress(msgspec.MsgspecError):
                texts[msgspec.json.decode(raw, type=str)] = None
        return texts

    def store_string(self, string: str) -> None:
        """Append a text."""
        text = self._clean(string.encode(errors="replace").decode())
        line = msgspec.json.encode(text) + b"\n"
        if len(line) <= LONGEST:
            with contextlib.suppress(OSError):
                self._append(line)

    def _lines(self) -> list[bytes]:
        with contextlib.suppress(OSError), self._path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - READ))
            return file.read().splitlines()
        return []

    def _append(self, line: bytes) -> None:
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            size = os.fstat(file).st_size
            torn = size and os.pread(file, 1, size - 1) != b"\n"
            os.write(file, b"\n" + line if torn else line)
        finally:
            os.close(file)
