"""Every file has a caption, stays small, and is named by its room."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "fsm_agent"
FILES = sorted(
    path for room in ("fsm_agent", "tests", "docs") for path in (ROOT / room).rglob("*.py")
)
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/**/__init__.py"))
HEART = (
    "lifecycles/step.py",
    "lifecycles/asks.py",
    "lifecycles/emitters.py",
    "lifecycles/fold.py",
    "machine/table.py",
)
MODEL_CHECK = PACKAGE / "lifecycles" / "checking"
"""It has its own limit: docs/decisions/005."""


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def caption(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_bytes()), clean=False) or ""


@pytest.mark.parametrize("path", FILES, ids=name)
def test_line_1_is_a_caption_of_one_short_sentence(path: Path) -> None:
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    sentence = first.removeprefix('"""').removesuffix('"""')

    assert first.startswith('"""'), first
    assert sentence == caption(path).split("\n", 1)[0]
    assert sentence.endswith((".", "?")), sentence
    assert len(sentence) <= 72, len(sentence)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_has_at_most_300_lines(path: Path) -> None:
    assert lines(path) <= 300


@pytest.mark.parametrize("room", ROOMS, ids=name)
def test_a_room_s_docstring_names_each_of_its_files(room: Path) -> None:
    files = {path.stem for path in room.glob("*.py")} | {
        path.parent.name for path in room.glob("*/__init__.py")
    }
    index = re.findall(r"^(\w+) {2,}\S", caption(room / "__init__.py"), re.MULTILINE)

    assert sorted(index) == sorted(files - {"__init__"})


def test_the_heart_has_at_most_900_lines() -> None:
    assert sum(lines(PACKAGE / part) for part in HEART) <= 900


def test_the_core_has_at_most_7000_lines_without_its_dialects() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors: list[str] = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    core = re.findall(r"\w+", " ".join(floors[floors.index("lifecycles") :]))
    files = [
        path
        for room in core
        if room != "dialects"  # docs/decisions/003
        for path in (PACKAGE / f"{room}.py", *(PACKAGE / room).rglob("*.py"))
        if path.exists() and path.parent != MODEL_CHECK
    ]
    assert PACKAGE / "errors.py" in files
    assert sum(map(lines, files)) <= 7000  # docs/decisions/009


def test_the_model_check_has_at_most_720_lines() -> None:
    assert 0 < sum(map(lines, MODEL_CHECK.glob("*.py"))) <= 720
