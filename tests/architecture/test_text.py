"""No file names this machine, a package index or unfinished work."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = (".ci", "diagrams", "docs", "fsm_agent", "states", "tests")
FILES = sorted(
    path
    for place in (ROOT, *(ROOT / room for room in ROOMS))
    for path in (place.glob("*") if place == ROOT else place.rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
)
WORDS = {".md", ".py", ".toml", ""}
"""Endings of what we write ourselves; the rest is drawn, recorded or a case."""
HERE = "|".join(map(re.escape, {str(ROOT), *({sys.prefix} - {sys.base_prefix})}))


def places(pattern: str, files: Iterable[Path]) -> list[str]:
    """Where a pattern is found, as `file:line`."""
    found = re.compile(pattern).search
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_bytes().decode(errors="replace").split("\n"), 1)
        if found(line)
    ]


def test_nothing_is_marked_as_unfinished() -> None:
    ours = [path for path in FILES if path.suffix in WORDS]

    assert places(r"\b(?:TO" r"DO|FIX" r"ME)\b", ours) == []


def test_no_package_index_is_named() -> None:
    assert places(r"https?://[^/\s]+/(?:simple|packages)\b|--(?:extra-)?index-url", FILES) == []


def test_no_path_of_this_machine_is_named() -> None:
    assert places(rf"(?<![\w.])(?:{HERE})(?![\w-])", FILES) == []


def test_the_files_looked_at_are_those_of_the_house() -> None:
    assert {"pyproject.toml", "README.md", "run", "turn.toml"} <= {path.name for path in FILES}
