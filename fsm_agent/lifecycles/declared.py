"""The shipped tables, from the one of two homes where they lie.

A wheel carries `states/` as `fsm_agent/_states`; in a checkout, and so in an editable install, it
lies beside the package. No other file knows that there are two homes. This is also the one file of
the core that reads: the tables are a part of the program, as its modules are, and are read once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from fsm_agent.machine import Table, read_table


@cache
def table_files() -> Mapping[str, bytes]:
    """The bytes of each shipped table, by machine."""
    package = files("fsm_agent")
    home = package / "_states"
    if not home.is_dir():
        home = package / ".." / "states"
    found = sorted(home.iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".toml"): file.read_bytes()
        for file in found
        if file.name.endswith(".toml")
    }


def table_path(machine: str) -> PurePath:
    """What a message calls the file of a machine's shipped table."""
    return PurePath("states", f"{machine}.toml")


@cache
def tables() -> Mapping[str, Table]:
    """The shipped tables, by machine.

    Raises:
        DeclarationError: If one of them cannot be read.
    """
    return {
        machine: read_table(data.decode(), table_path(machine))
        for machine, data in table_files().items()
    }
