"""Memory files: what of them the model is told, and when."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.events.inputs import Seen
from fsm_agent.runtime.remembering import MemoryFiles
from fsm_agent.tools.protocol import Workplace


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    user, project = (str(tmp_path / name) for name in ("user.md", "project.md"))
    return Workplace(str(tmp_path), {}, user_memory=user, project_memory=project)


def test_what_says_something_is_read_the_person_first(place: Workplace) -> None:
    Path(place.project_memory).write_bytes(
        b"## Constraints\r\n\r\n## Project Memory\r\nmake \x1b\r\n"
    )
    assert MemoryFiles(place).read() == ((place.project_memory, "## Project Memory\nmake \\x1b"),)

    Path(place.user_memory).write_text("# User Memory\ntabs\n")
    assert [path for path, _ in MemoryFiles(place).read()] == [
        place.user_memory,
        place.project_memory,
    ]


def test_a_change_is_seen_once(place: Workplace) -> None:
    files, path = MemoryFiles(place), Path(place.project_memory)
    assert list(files.changes()) == []

    path.write_text("## Constraints\na\n")
    assert list(files.changes()) == [Seen(what="memory", path=str(path), text="## Constraints\na")]
    assert files.told[str(path)] == b"## Constraints\na\n"
    assert list(files.changes()) == []

    path.unlink()
    assert list(files.changes()) == [Seen(what="memory", path=str(path), text=None)]


def test_what_reads_the_same_is_no_news(place: Workplace) -> None:
    path = Path(place.project_memory)
    path.write_text("## Constraints\na\n")
    files = MemoryFiles(place)
    os.utime(path, ns=(1, 1))
    assert list(files.changes()) == []

    path.write_text("\ufeff## Constraints\r\na\r\n\r\n## Scratch Notes\r\n")
    assert list(files.changes()) == []
    assert files.told[str(path)] == path.read_bytes()
