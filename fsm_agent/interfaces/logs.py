"""Which log is meant, what of it is proved, and the tables it names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from fsm_agent.errors import DamagedLog, DeclarationError, LogError, UnknownVersion, UsageError
from fsm_agent.events.inputs import SessionStart
from fsm_agent.events.lines import Batch
from fsm_agent.events.values import Blob
from fsm_agent.interfaces.configuring import home, working_directory
from fsm_agent.interfaces.outlets import aside
from fsm_agent.lifecycles.declared import table_files, table_path, tables
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.listing import head
from fsm_agent.log.reading import read
from fsm_agent.machine import Table, digest, read_table
from fsm_agent.machine.checking import check
from fsm_agent.runtime.places import LOG, find_session, newest


def log_of(named: str | None) -> Path:
    """The log of a session by id, directory or file; without a name, this directory's newest.

    Raises:
        UsageError: If there is none.
    """
    if named is None:
        last = newest(home(), working_directory())
        if last is None:
            raise UsageError("this directory has no session yet")
        return last / LOG
    path = Path(named)
    if path.is_dir():
        path = path / LOG
    if path.is_file():
        return path
    found = find_session(home(), named)
    if found is None:
        raise UsageError(
            f"'{named}' is no session's id, directory or log; `fsm-agent sessions` lists them"
        )
    return found / LOG


class Proved:
    """The batches of a log as far as they are proved; what is wrong behind them is said later.

    Attributes:
        path: The log's file.
        damage: Why the pass ended early, if it did.
    """

    def __init__(self, path: Path, *, lazily: bool = False) -> None:
        """Read nothing yet; `lazily` as in `log.reading.ReadLog`."""
        self.path = path
        self.damage: DamagedLog | None = None
        self._log = read(path, lazily=lazily)

    def __iter__(self) -> Iterator[Batch]:
        """Give one proved batch after the other.

        Raises:
            UnknownVersion: If this program cannot read the log.
            OSError: If the file cannot be read.
        """
        try:
            yield from self._log
        except DamagedLog as damage:
            self.damage = damage

    def verdict(self) -> int:
        """After a pass: say on stderr what was left out; 0, or 5 for a torn tail or an empty log.

        Raises:
            DamagedLog: If the pass ended at damage.
            UsageError: If this is no log of this program at all.
        """
        if self.damage:
            raise self.damage
        for name, count in self._log.unknown.items():
            aside(f"{self.path}: {count} lines of the unknown type '{name}'")
        torn = self._log.torn
        if torn is None:
            if not self._log.end.seq:
                aside(f"{self.path}: the log is empty: nothing was logged, or all is lost")
                return 5
            return 0
        first = head(self.path)
        if torn.offset == 0 and not (first and isinstance(first.event, SessionStart)):
            raise UsageError(f"{self.path}: this is no log of fsm-agent")
        aside(f"{self.path}: a torn tail of {torn.bytes} bytes was left out")
        return 5


@contextlib.contextmanager
def named_files(otherwise: str | Path = "stdout") -> Iterator[None]:
    """Turn failures of files that the command line names into errors of usage.

    Args:
        otherwise: What fails where the failure does not say: what is being written.

    Raises:
        UsageError: If a file cannot be read or written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{error.filename or otherwise}: {error.strerror}") from error


def own_tables(blobs: BlobStore, named: Mapping[str, Blob]) -> Mapping[str, Table]:
    """The tables that a log names, by their digests; the shipped ones if it names none.

    Raises:
        UnknownVersion: If one of them is neither shipped nor kept with the log.
    """
    shipped = {name: digest(data) for name, data in table_files().items()}
    if all(shipped.get(name) == blob.blob for name, blob in named.items()):
        return tables()
    try:
        return {
            name: read_table(blobs.text(blob), table_path(name)) for name, blob in named.items()
        }
    except (LogError, DeclarationError) as error:
        raise UnknownVersion(f"the log's own tables cannot be used: {error}") from error


def regular(path: Path) -> Path:
    """The path, unless it is a pipe or a device: reading these may never end.

    Raises:
        UsageError: If it is.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise UsageError(f"{path}: a pipe or a device, and no file")
    return path


def table_in(path: Path) -> Table:
    """The table of a file.

    Raises:
        UsageError: If it is a pipe or a device.
        DeclarationError: If it is no table.
        OSError: If it cannot be read.
    """
    try:
        return read_table(regular(path).read_text(encoding="utf-8"), path)
    except UnicodeDecodeError as error:
        raise DeclarationError(path, 1, f"not UTF-8: {error.reason}") from error


def tables_in(directory: Path) -> Mapping[str, Table]:
    """All tables of a directory, checked in full.

    Raises:
        UsageError: If there is none.
        DeclarationError: If one breaks a rule.
    """
    files = sorted(directory.glob("*.toml"))
    if not files:
        raise UsageError(f"{directory}: no table (*.toml) is here")
    found = {file.stem: table_in(file) for file in files}
    for file in files:
        if faults := check(found[file.stem], file, found):
            raise faults[0]
    return found
