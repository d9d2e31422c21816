"""A file read whole, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import Location

LIMIT = 1_000_000
"""Bytes that Write and Edit put into one file at most."""


def read_whole(location: Location, limit: int) -> bytes:
    """All bytes of a regular file.

    Raises:
        ToolFailure: If there is none, it may not be read or is longer than the limit.
    """
    with os.fdopen(location.open(), "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ToolFailure(f"{location.shown} is larger than {limit} bytes")
    return content


def encode(text: str, what: str) -> bytes:
    """A text of the model as the bytes of a file.

    Raises:
        ToolFailure: If it is too long, or holds a lone surrogate, which has no bytes.
    """
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise ToolFailure(f"{what} holds a lone surrogate at character {error.start}") from error
    check_size(content, what)
    return content


def check_size(content: bytes, what: str) -> None:
    """Refuse what is too long for Write and Edit.

    Raises:
        ToolFailure: If it is.
    """
    if len(content) > LIMIT:
        raise ToolFailure(f"{what} would have {len(content)} bytes; the limit is {LIMIT}")


def replace(location: Location, content: bytes) -> None:
    """Put these bytes in the place of a file, or make it.

    A temporary file beside it is written, synced and renamed over it, so a reader sees the old
    bytes or the new. Mode and, where allowed, owner stay; other names of the old file keep the
    old bytes.

    Raises:
        ToolFailure: If the file is read-only or no regular one, or the disk does not take it.
            The old file is then as it was.
    """
    old = _replaceable(location)
    name = f".fsm-agent-{os.urandom(8).hex()}.tmp"
    try:
        _write(location.parent, name, content, old)
        os.rename(name, location.name, src_dir_fd=location.parent, dst_dir_fd=location.parent)
        os.fsync(location.parent)
    except OSError as error:
        with suppress(OSError):
            os.unlink(name, dir_fd=location.parent)
        raise ToolFailure(f"{location.shown} was not written: {error.strerror}") from error


def _write(directory: int, name: str, content: bytes, old: os.stat_result | None) -> None:
    """Make a new file with these bytes on the disk, and the mode and owner of the old one."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o666 if old is None else 0o600, dir_fd=directory)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if old is not None:
            with suppress(PermissionError):
                os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        os.fsync(descriptor)


def _replaceable(location: Location) -> os.stat_result | None:
    """What is known of the file that will go; None if there is none."""
    try:
        old = os.stat(location.name, dir_fd=location.parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(old.st_mode):
        raise ToolFailure(f"{location.shown} is not a regular file")
    if not os.access(location.name, os.W_OK, dir_fd=location.parent):
        raise ToolFailure(f"permission denied: {location.shown} is read-only")
    return old
