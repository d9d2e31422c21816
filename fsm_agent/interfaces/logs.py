"""Which log is meant, and the tables it was decided with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fsm_agent.errors import DeclarationError, LogError, UnknownVersion, UsageError
from fsm_agent.events.values import Blob
from fsm_agent.interfaces.configuring import home, working_directory
from fsm_agent.lifecycles.declared import table_files, table_path, tables
from fsm_agent.log.blobs import BlobStore
from fsm_agent.machine import Table, digest, read_table
from fsm_agent.machine.checking import check
from fsm_agent.runtime.places import LOG, find_session, sessions


def log_of(named: str | None) -> Path:
    """The log of a session by id, directory or file; without a name, this directory's newest.

    Raises:
        UsageError: If there is none.
    """
    if named is None:
        newest = next(sessions(home(), working_directory()), None)
        if newest is None:
            raise UsageError("this directory has no session yet")
        return newest / LOG
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


def tables_in(directory: Path) -> Mapping[str, Table]:
    """All tables of a directory, checked in full.

    Raises:
        UsageError: If there is none.
        DeclarationError: If one breaks a rule.
    """
    files = sorted(directory.glob("*.toml"))
    if not files:
        raise UsageError(f"{directory}: no table (*.toml) is here")
    found = {file.stem: read_table(file.read_text(), file) for file in files}
    for file in files:
        if faults := check(found[file.stem], file, found):
            raise faults[0]
    return found
