"""The wheel holds the package and the tables, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "fsm_agent"
KINDS = {".py", ".typed", ".toml", ".json", ".md", ".script"}

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """The files of a wheel built from this tree, by name."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (built,) = folder.iterdir()
    with ZipFile(built) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_tables_are_those_of_states_byte_for_byte(wheel: Mapping[str, bytes]) -> None:
    room = "fsm_agent/_states/"
    packed = {name.removeprefix(room): wheel[name] for name in wheel if name.startswith(room)}

    assert packed == {path.name: path.read_bytes() for path in (ROOT / "states").iterdir()}
    assert "turn.toml" in packed


def test_the_modules_are_those_of_the_package(wheel: Mapping[str, bytes]) -> None:
    packed = {name for name in wheel if name.startswith("fsm_agent/") and name.endswith(".py")}

    assert packed == {path.relative_to(ROOT).as_posix() for path in PACKAGE.rglob("*.py")}


def test_nothing_else_is_packed(wheel: Mapping[str, bytes]) -> None:
    rooms = {name.partition("/")[0].partition("-")[0] for name in wheel}
    kinds = {Path(name).suffix for name in wheel if name.startswith("fsm_agent/")}

    assert rooms == {"fsm_agent"}
    assert kinds <= KINDS


def test_the_command_is_an_entry_point(wheel: Mapping[str, bytes]) -> None:
    (entry,) = [wheel[name] for name in wheel if name.endswith("/entry_points.txt")]

    assert b"[console_scripts]\nfsm-agent = fsm_agent.__main__:main\n" in entry
