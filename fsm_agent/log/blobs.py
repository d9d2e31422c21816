"""Large texts and files, each once, named by its SHA-256."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from fsm_agent.errors import DamagedLog
from fsm_agent.events.values import INLINE_LIMIT, Blob, BlobText
from fsm_agent.log.disk import Disk, OsDisk, make_directories, not_writable, write_whole

_NAME = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """The folder `blobs/` of a session. Blobs are on the device before a line may name them."""

    def __init__(self, directory: Path, disk: Disk | None = None) -> None:
        """Keep blobs below the session's `directory`; the folder is made for the first one."""
        self._folder = directory / "blobs"
        self._disk = disk or OsDisk()

    def put(self, data: bytes) -> Blob:
        """Keep the bytes.

        Raises:
            LogNotWritable: If they could not be made durable; no blob of this name is there then.
        """
        blob = Blob(sha256(data).hexdigest(), len(data))
        path = self._folder / blob.blob
        if not path.exists():
            try:
                self._write(path, data)
            except OSError as error:
                raise not_writable(path, error, "The log does not name it.") from error
        return blob

    def share(self, texts: Mapping[str, bytes], common: BlobStore) -> dict[str, Blob]:
        """Keep, by name, what `common` keeps for many sessions: linked, where the disk can.

        Raises:
            LogNotWritable: If they could not be made durable.
        """
        kept = {name: common.put(data) for name, data in texts.items()}
        try:
            make_directories(self._disk, self._folder)
            for blob in kept.values():
                path = self._folder / blob.blob
                if not path.exists():
                    self._disk.link(common._folder / blob.blob, path)
            self._disk.sync_directory(self._folder)
        except OSError:  # other file system, or one without links
            return {name: self.put(data) for name, data in texts.items()}
        return kept

    def get(self, blob: Blob) -> bytes:
        """Give the bytes back.

        Raises:
            DamagedLog: If they are not there, or are others.
        """
        path = self._folder / blob.blob
        if not _NAME.fullmatch(blob.blob) or not path.is_file():  # no pipe, no device
            raise DamagedLog(f"{path}: the log names this blob, and it is not there")
        data = path.read_bytes()
        if sha256(data).hexdigest() != blob.blob:
            raise DamagedLog(f"{path}: its bytes are not those that the log names")
        return data

    def text_or_blob(self, text: str) -> BlobText:
        """The text itself up to `INLINE_LIMIT` bytes, else the blob it is kept in."""
        data = text.encode()
        return text if len(data) <= INLINE_LIMIT else self.put(data)

    def text(self, blob: Blob) -> str:
        """The text that is kept in this blob."""
        return self.get(blob).decode()

    def _write(self, path: Path, data: bytes) -> None:
        make_directories(self._disk, self._folder)
        draft = path.with_suffix(f".{os.getpid()}")  # another process may write the same
        file = self._disk.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            write_whole(self._disk, file, data)
            self._disk.sync(file)
            self._disk.replace(draft, path)
            self._disk.sync_directory(self._folder)
        except OSError:
            for left in (draft, path):
                with contextlib.suppress(OSError):
                    left.unlink(missing_ok=True)
            raise
        finally:
            os.close(file)
