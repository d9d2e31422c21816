"""The shipped tables are those of `states/`, read once, and sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.lifecycles.declared import table_files, table_path, tables
from fsm_agent.machine.checking import check

STATES = Path(__file__).parents[2] / "states"


def test_they_are_byte_for_byte_those_of_the_checkout() -> None:
    assert table_files() == {path.stem: path.read_bytes() for path in STATES.glob("*.toml")}


def test_each_is_named_as_its_file_is() -> None:
    assert {name: table.name for name, table in tables().items()} == {
        name: name for name in ("compaction", "plan", "session", "tool", "turn")
    }


def test_they_are_read_once() -> None:
    assert tables() is tables()
    assert table_files() is table_files()


@pytest.mark.parametrize("name", sorted(tables()))
def test_the_full_check_finds_nothing(name: str) -> None:
    assert check(tables()[name], table_path(name), tables()) == []
    assert table_path(name).as_posix() == f"states/{name}.toml"
