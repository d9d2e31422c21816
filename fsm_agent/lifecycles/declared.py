"""The shipped tables, from the one of two homes where they lie.

A wheel carries `states/` as `fsm_agent/_states`; in a checkout, and so in an editable install, it
lies beside the package. No other file knows that there are two homes. This is also the one file of
the core that reads: the tables are a part of the program, as its modules are, and are read once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePath

from fsm_agent.machine import Table, read_table


@cache
def table_files() -> Mapping[str, bytes]:
    """The bytes of each shipped table, by machine."""
    package = Path(__file__).parents[1]
    home = package / "_states"
    if not home.is_dir():
        home = package.parent / "states"
    return {file.stem: file.read_bytes() for file in sorted(home.glob("*.toml"))}


def table_path(machine: str) -> PurePath:
    """What a message calls the file of a machine's shipped table."""
    return PurePath("states", f"{machine}.toml")


class _Tables(Mapping[str, Table]):
    """Each table is read when it is first asked for: most runs never need the plan."""

    def __init__(self) -> None:
        self._read: dict[str, Table] = {}

    def __getitem__(self, machine: str) -> Table:
        try:
            return self._read[machine]
        except KeyError:
            text = table_files()[machine].decode()
            table = self._read[machine] = read_table(text, table_path(machine))
            return table

    def __iter__(self) -> Iterator[str]:
        return iter(table_files())

    def __len__(self) -> int:
        return len(table_files())


@cache
def tables() -> Mapping[str, Table]:
    """The shipped tables, by machine. Asking for one that cannot be read is a `DeclarationError`."""
    return _Tables()
