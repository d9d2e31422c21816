"""Somebody sits down at a real terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.terminal.sitting import Person, Sits


@pytest.fixture
def sits_down(workspace: Path, home: Path) -> Iterator[Sits]:
    people: list[Person] = []

    def begin(script: str, *options: str, terminal: str = "xterm-256color") -> Person:
        people.append(Person(workspace, home, script, *options, terminal=terminal))
        return people[-1]

    yield begin
    for person in people:
        person.goes()
