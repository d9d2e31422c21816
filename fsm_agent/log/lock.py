"""One writer a session: a lock that the kernel lets go of."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from fsm_agent.errors import SessionInUse
from fsm_agent.log.disk import not_writable


class SessionLock:
    """The right to write a session's log, held for the life of this object.

    It is a `flock` on `events.lock`, so it ends with the process, however that ends. What stands
    in the file only names the owner. (`lockf` will not do: closing any other handle of the file
    gives it up.)
    """

    def __init__(self, directory: Path) -> None:
        """Take the lock of the session in `directory`.

        Raises:
            SessionInUse: If another process, or this one, has it.
            LogNotWritable: If the lock's file cannot be opened or locked.
        """
        self.directory = directory
        path = directory / "events.lock"
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)  # Python closes it on exec
        except OSError as error:
            raise not_writable(path, error, "The session was not opened.") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = _owner(self._file)
            os.close(self._file)
            if not isinstance(error, BlockingIOError):
                raise not_writable(path, error, "The session was not opened.") from error
            raise SessionInUse(
                f"{directory}: {owner} is using this session. "
                "Wait until it ends, fork the session, or start a new one."
            ) from None
        with contextlib.suppress(OSError):  # the name is a courtesy; a full disk is told by the log
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()} {_started(os.getpid())}\n".encode(), 0)

    def close(self) -> None:
        """Give the lock up; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def holder(directory: Path) -> str | None:
    """Who is writing the session in `directory` just now; None if nobody is, or it has no lock."""
    try:
        file = os.open(directory / "events.lock", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _owner(file)
    except OSError:
        return None  # a file system without locks
    finally:
        os.close(file)
    return None


def _owner(file: int) -> str:
    """Who holds the lock; the start time tells a pid that was given anew from its old bearer."""
    pid, _, started = os.pread(file, 64, 0).decode(errors="replace").strip().partition(" ")
    if pid.isdecimal() and _started(int(pid)) == started:
        return f"process {pid}"
    return "another process"


def _started(pid: int) -> str:
    """When the process began, in clock ticks since boot; empty where there is no `/proc`."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    return stat.rpartition(b")")[2].split()[19].decode()  # field 22, counted behind the name
