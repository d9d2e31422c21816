"""The few calls of the file system that a log needs, and one that fails."""

from __future__ import annotations

import errno
import os
from collections import Counter
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from fsm_agent.errors import LogNotWritable

_fdatasync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class Disk(Protocol):
    """What writing a log asks of a file system. Every call raises `OSError` when it fails."""

    def make_directory(self, path: Path) -> None:
        """Make one directory, readable by its owner only."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file; one that is created can be read by its owner only."""

    def write(self, file: int, data: bytes) -> int:
        """Write once and return how many bytes were taken."""

    def sync(self, file: int) -> None:
        """Return when the file's bytes and size have reached the device."""

    def truncate(self, file: int, size: int) -> None:
        """Cut the file to `size` bytes."""

    def replace(self, source: Path, target: Path) -> None:
        """Give the file its new name at once, in place of what had it."""

    def link(self, source: Path, target: Path) -> None:
        """Give the file a second name."""

    def sync_directory(self, path: Path) -> None:
        """Return when the names in the directory have reached the device."""


class OsDisk:
    """The file system of this machine."""

    def make_directory(self, path: Path) -> None:
        """See `Disk`."""
        path.mkdir(mode=0o700, exist_ok=True)  # another session may make a parent

    def open(self, path: Path, flags: int) -> int:
        """See `Disk`."""
        return os.open(path, flags, 0o600)

    def write(self, file: int, data: bytes) -> int:
        """See `Disk`."""
        return os.write(file, data)

    def sync(self, file: int) -> None:
        """See `Disk`."""
        _fdatasync(file)

    def truncate(self, file: int, size: int) -> None:
        """See `Disk`."""
        os.ftruncate(file, size)

    def replace(self, source: Path, target: Path) -> None:
        """See `Disk`."""
        source.replace(target)

    def link(self, source: Path, target: Path) -> None:
        """See `Disk`."""
        target.hardlink_to(source)

    def sync_directory(self, path: Path) -> None:
        """See `Disk`."""
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


Call: TypeAlias = Literal[
    "make_directory", "open", "write", "sync", "truncate", "replace", "link", "sync_directory"
]


class FaultyDisk:
    """The file system of this machine, with a fault at the n-th call of one kind.

    Attributes:
        calls: How often each kind was called, the failed ones too.
        failed: How many calls failed.
    """

    def __init__(
        self, call: Call, nth: int, error: int, *, lasting: bool = False, taken: int = 0
    ) -> None:
        """Plan the fault.

        Args:
            call: The kind of call that fails.
            nth: Which of them, from 1.
            error: The errno it fails with; 0 for a write that is short and says no more.
            lasting: Whether all later calls of the kind fail too.
            taken: How many bytes of a failing write reach the file.
        """
        self.calls: Counter[Call] = Counter()
        self.failed = 0
        self._call, self._nth, self._error = call, nth, error
        self._lasting, self._taken = lasting, taken
        self._disk = OsDisk()

    def make_directory(self, path: Path) -> None:
        """See `Disk`."""
        self._count("make_directory")
        self._disk.make_directory(path)

    def open(self, path: Path, flags: int) -> int:
        """See `Disk`."""
        self._count("open")
        return self._disk.open(path, flags)

    def write(self, file: int, data: bytes) -> int:
        """See `Disk`."""
        if not self._due("write"):
            return self._disk.write(file, data)
        taken = self._disk.write(file, data[: self._taken])
        if self._error:
            raise OSError(self._error, os.strerror(self._error))
        return taken

    def sync(self, file: int) -> None:
        """See `Disk`."""
        self._count("sync")
        self._disk.sync(file)

    def truncate(self, file: int, size: int) -> None:
        """See `Disk`."""
        self._count("truncate")
        self._disk.truncate(file, size)

    def replace(self, source: Path, target: Path) -> None:
        """See `Disk`."""
        self._count("replace")
        self._disk.replace(source, target)

    def link(self, source: Path, target: Path) -> None:
        """See `Disk`."""
        self._count("link")
        self._disk.link(source, target)

    def sync_directory(self, path: Path) -> None:
        """See `Disk`."""
        self._count("sync_directory")
        self._disk.sync_directory(path)

    def _count(self, call: Call) -> None:
        if self._due(call):
            raise OSError(self._error, os.strerror(self._error))

    def _due(self, call: Call) -> bool:
        self.calls[call] += 1
        count = self.calls[call]
        due = call == self._call and (count == self._nth or (self._lasting and count > self._nth))
        self.failed += due
        return due


def make_directories(disk: Disk, path: Path) -> None:
    """Make the directory and its missing parents, so that a power loss leaves all or none.

    Raises:
        OSError: If one cannot be made or synced.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        disk.make_directory(folder)
        disk.sync_directory(folder.parent)


def write_whole(disk: Disk, file: int, data: bytes) -> None:
    """Write all bytes with one call.

    Raises:
        OSError: If the call fails, or takes less: then the disk is full or a limit was met.
    """
    taken = disk.write(file, data)
    if taken != len(data):
        raise OSError(f"short write, {taken} of {len(data)} bytes: disk full or a limit was met")


_ADVICE = {
    errno.ENOSPC: "Free space on the disk",
    errno.EDQUOT: "Free space in the quota",
    errno.EFBIG: "Raise the limit on file size (ulimit -f)",
    errno.EMFILE: "Raise the limit on open files (ulimit -n)",
    errno.EACCES: "Make it writable",
    errno.EPERM: "Make it writable",
    errno.EROFS: "Make it writable",
}


def not_writable(path: Path, error: OSError, kept: str) -> LogNotWritable:
    """Say which file failed and why, what is kept, and what to do."""
    number = error.errno or 0
    why = f"{error.strerror} ({errno.errorcode.get(number, number)})" if number else error
    advice = _ADVICE.get(number, "Check the disk")
    return LogNotWritable(f"{path}: cannot be written: {why}. {kept} {advice}, then resume.")
