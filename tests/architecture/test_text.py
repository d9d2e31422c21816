"""No file names this machine, a package index or unfinished work."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = (".ci", "diagrams", "docs", "fsm_agent", "states", "tests")
FILES = sorted(
    path
    for place in (ROOT, *(ROOT / room for room in ROOMS))
    for path in (place.glob("*") if place == ROOT else place.rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
)
HERE = "|".join(map(re.escape, {str(ROOT), *({sys.prefix} - {sys.base_prefix})}))
BANNED = {
    "an unfinished thought": re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b"),
    "a package index": re.compile(r"https?://[^/\s]+/(?:simple|packages)\b|--(?:extra-)?index-url"),
    "a path of this machine": re.compile(rf"(?<![\w.])(?:{HERE})(?![\w-])"),
}


@pytest.mark.parametrize("kind", BANNED)
def test_no_file_holds(kind: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_bytes().decode(errors="replace").split("\n"), 1)
        if BANNED[kind].search(line)
    ]
    assert found == []


def test_the_files_looked_at_are_those_of_the_house() -> None:
    assert {"pyproject.toml", "README.md", "run", "turn.toml"} <= {path.name for path in FILES}
