"""One batch, one write: on the disk as a whole, or cut back; never a hole."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Sequence
from pathlib import Path

from fsm_agent.errors import LogNotWritable
from fsm_agent.events.derived import LogDamage
from fsm_agent.events.lines import Line, encode, seal
from fsm_agent.log.disk import Disk, OsDisk, make_directories, not_writable, write_whole
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.proof import End
from fsm_agent.log.reading import EVENTS, ReadLog

_CHUNK = 1 << 20


class LogWriter:
    """The one writer of a session's log; it holds the session's lock.

    After the first failure it is read-only for good: the kernel may have dropped what it could
    not write, so a second try would leave a hole.

    Attributes:
        path: The log's file.
        end: Where the next batch goes: `seq` and `time` for its lines.
        damage: The torn tail that `resume` set aside, to be noted in the log.
    """

    def __init__(self, path: Path, file: int, lock: SessionLock, end: End, disk: Disk) -> None:
        """Use `create` or `resume`."""
        self.path = path
        self.end = end
        self.damage: LogDamage | None = None
        self._file, self._lock, self._disk = file, lock, disk
        self._failure = ""

    @classmethod
    def create(cls, directory: Path, disk: Disk | None = None) -> LogWriter:
        """Begin a session in `directory`, which is made with its parents.

        Raises:
            SessionInUse: If somebody is doing the same.
            LogNotWritable: If there is a log already, or something cannot be made.
        """
        disk = disk or OsDisk()
        path = directory / EVENTS
        try:
            make_directories(disk, directory)
        except OSError as error:
            raise not_writable(directory, error, "No session was begun.") from error
        with contextlib.ExitStack() as undo:
            lock = SessionLock(directory)
            undo.callback(lock.close)
            try:
                file = disk.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
                undo.callback(os.close, file)
                disk.sync_directory(directory)
            except OSError as error:
                raise not_writable(path, error, "No session was begun.") from error
            undo.pop_all()
        return cls(path, file, lock, End(), disk)

    @classmethod
    def resume(cls, lock: SessionLock, log: ReadLog, disk: Disk | None = None) -> LogWriter:
        """Go on behind what `log` has proved; a torn tail is moved to a file of its own first.

        Args:
            lock: Taken before the log was read; the writer gives it up when it is closed.
            log: Read to its end.
            disk: Where to write, if not on this machine's file system.

        Raises:
            LogNotWritable: If the log, or the file for its tail, cannot be written.
        """
        if not log.finished:
            raise ValueError(f"{log.path}: read it to its end before going on with it")
        disk = disk or OsDisk()
        with contextlib.ExitStack() as undo:
            try:
                file = disk.open(log.path, os.O_WRONLY | os.O_APPEND)
                undo.callback(os.close, file)
                writer = cls(log.path, file, lock, log.end, disk)
                writer._set_tail_aside()
            except OSError as error:
                raise not_writable(log.path, error, "Nothing of it was lost.") from error
            undo.pop_all()
        return writer

    def append(self, lines: Sequence[Line | bytes], state: str, *, durable: bool) -> bytes:
        """Add one batch.

        Args:
            lines: The batch, encoded or not; `seq` goes on from `end`.
            state: Digest of the small state after it, 16 hex digits.
            durable: Whether to return only when the batch, and so all before it, is on the device.

        Returns:
            The batch's bytes as written.

        Raises:
            LogNotWritable: If it could not be written, now or once before. It is cut off again.
            ValueError: If the lines do not go on from `end`; nothing was written.
        """
        if self._failure:
            raise LogNotWritable(self._failure)
        encoded = [line if isinstance(line, bytes) else encode(line) for line in lines]
        time = self._last_time(encoded)
        raw, digest = seal(encoded, self.end.hash, state)
        try:
            write_whole(self._disk, self._file, raw)
            if durable:
                self._disk.sync(self._file)
        except BaseException as error:  # an interrupt too: what is not acknowledged must go
            self._give_up(error)
            if isinstance(error, OSError):
                raise LogNotWritable(self._failure) from error
            raise
        self.end = End(self.end.offset + len(raw), self.end.seq + len(encoded), time, digest)
        return raw

    def close(self) -> None:
        """Close the log and give up the session's lock."""
        os.close(self._file)
        self._lock.close()

    def _last_time(self, encoded: Sequence[bytes]) -> str:
        """Check that the lines go on from `end`, and give the last one's time."""
        if not encoded:
            raise ValueError("a batch has at least one line")
        time = self.end.time.encode()
        for seq, line in enumerate(encoded, self.end.seq):
            head = b'{"seq":%d,"time":"' % seq
            before, time = time, line[len(head) : line.find(b'"', len(head))]
            if not line.startswith(head) or time < before or b"\n" in line:
                raise ValueError(f"not line {seq} of a log after {before!r}: {line[:200]!r}")
        return time.decode()

    def _give_up(self, error: BaseException) -> None:
        reason = error if isinstance(error, OSError) else OSError(repr(error))
        kept = (
            f"The log ends before line {self.end.seq + 1}; the session is read-only from here on."
        )
        try:
            self._disk.truncate(self._file, self.end.offset)
        except OSError:
            kept += " What was written behind that could not be cut off: resume judges it."
        self._failure = str(not_writable(self.path, reason, kept))

    def _set_tail_aside(self) -> None:
        at, size = self.end.offset, os.fstat(self._file).st_size
        if size == at:
            return
        kept = self._free_name(at)
        file = self._disk.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with self.path.open("rb") as log:
                log.seek(at)
                while chunk := log.read(_CHUNK):
                    write_whole(self._disk, file, chunk)
            self._disk.sync(file)
        finally:
            os.close(file)
        self._disk.sync_directory(kept.parent)
        self._disk.truncate(self._file, at)
        self._disk.sync(self._file)
        self.damage = LogDamage(at=at, bytes=size - at, why="torn tail", kept_in=kept.name)

    def _free_name(self, offset: int) -> Path:
        path = self.path.with_name(f"events.torn-{offset}")
        later = (path.with_name(f"{path.name}.{number}") for number in itertools.count(2))
        return next(path for path in itertools.chain([path], later) if not path.exists())
