"""Files beside the log that can be made again from it; never synced."""

from __future__ import annotations

import os
from pathlib import Path

from fsm_agent.log.disk import Disk, OsDisk, write_whole


class Projections:
    """`conversation.jsonl`, `stats.json` and their like, in the session's directory.

    A write that fails raises `OSError`; the log is not concerned.
    """

    def __init__(self, directory: Path, disk: Disk | None = None) -> None:
        self._directory = directory
        self._disk = disk or OsDisk()

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of the file."""
        self._write(self._directory / name, os.O_APPEND, data)

    def replace(self, name: str, data: bytes) -> None:
        """Put these bytes in place of the file's, all at once."""
        draft = self._directory / f"{name}.new"
        self._write(draft, os.O_TRUNC, data)
        self._disk.replace(draft, self._directory / name)

    def _write(self, path: Path, flag: int, data: bytes) -> None:
        file = self._disk.open(path, os.O_WRONLY | os.O_CREAT | flag)
        try:
            write_whole(self._disk, file, data)
        finally:
            os.close(file)
