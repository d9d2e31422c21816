"""Paths lead beneath the workspace or nowhere, whatever stands on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.tools import beneath
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import (
    Location,
    locate,
    locate_for_writing,
    open_folder,
)
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.replacing import read_whole, replace

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "paths.jsonl").read_text(encoding="utf-8").splitlines()
]


class Scene:
    """A workspace `proj` with a folder `other` beside it, and one row's files in it."""

    def __init__(self, root: Path, row: dict[str, Any]) -> None:
        self.root, self.row = root, row
        self.ws, self.out = root / "proj", root / "other"
        for folder in (self.ws, self.out, root / "home"):
            folder.mkdir()
        self.place = Workplace(str(self.ws), {})
        self.run(row["setup"])
        self.path = self.filled(row["path"])

    def filled(self, text: str) -> str:
        values = {"root": self.root, "ws": self.ws, "out": self.out, "home": self.root / "home"}
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def run(self, script: str) -> None:
        subprocess.run(["bash", "-c", self.filled(script)], cwd=self.ws, check=True)

    def outside(self) -> dict[str, bytes]:
        """All that lies beside the workspace."""
        return {
            str(path): path.read_bytes() if path.is_file() else b""
            for path in self.root.rglob("*")
            if not path.is_relative_to(self.ws)
        }


@pytest.fixture(params=ROWS, ids=[row["id"] for row in ROWS])
def scene(request: pytest.FixtureRequest, tmp_path: Path, way: str) -> Scene:
    return Scene(tmp_path.resolve(), request.param)


def at(descriptor: int) -> str:
    """Where an open file really is."""
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


def use(location: Location, op: str) -> tuple[str, bytes]:
    """Act on a location; where that was, and what was read or written."""
    with location:
        if op == "read":
            descriptor = location.open()
            try:
                return at(descriptor), os.read(descriptor, 100)
            finally:
                os.close(descriptor)
        replace(location, b"new\n")
        return f"{at(location.parent)}/{location.name}", read_whole(location, 100)


def test_no_row_escapes_and_none_is_refused_wrongly(scene: Scene) -> None:
    before = scene.outside()
    find = locate if scene.row["op"] == "read" else locate_for_writing
    try:
        location = find(scene.path, scene.place)
        if swap := scene.row.get("swap"):
            scene.run(swap)
        where, content = use(location, scene.row["op"])
    except ToolFailure:
        assert scene.row["expect"] == "outside" or scene.row.get("refuse_ok")
    else:
        assert where.startswith(f"{scene.ws}/")
        assert content in (b"x\n", b"new\n")
        assert scene.row["expect"] == "inside" or "swap" in scene.row
    assert scene.outside() == before


@pytest.fixture
def flipping(tmp_path: Path) -> Iterator[Path]:
    """A workspace where another process swaps `d/f` and `d` between inside and outside."""
    root = tmp_path.resolve()
    (root / "ws/in").mkdir(parents=True)
    (root / "out").mkdir()
    (root / "ws/in/f").write_text("inside")
    (root / "out/f").write_text("secret")
    code = (
        "import os, itertools\n"
        "for n in itertools.count():\n"
        "    os.symlink(('in', '../out')[n % 2], 't'); os.rename('t', 'd')\n"
        "    os.symlink(('in/f', '../out/f')[n % 2], 't'); os.rename('t', 'l')\n"
        "    n or print(flush=True)\n"
    )
    swapper = subprocess.Popen(
        [sys.executable, "-Sc", code], cwd=root / "ws", stdout=subprocess.PIPE
    )
    assert swapper.stdout
    swapper.stdout.readline()
    yield root / "ws"
    swapper.kill()
    swapper.communicate()


def test_nothing_outside_is_touched_while_links_are_swapped(flipping: Path, way: str) -> None:
    place, seen = Workplace(str(flipping), {}), set()
    for turn in range(600):
        path = ("d/f", "l", "d/new")[turn % 3]
        try:
            with (locate, locate_for_writing)[path == "d/new"](path, place) as location:
                if path == "d/new":
                    replace(location, b"new")
                else:
                    seen.add(read_whole(location, 100))
        except ToolFailure:
            seen.add(b"refused")

    assert seen == {b"inside", b"refused"}
    assert sorted(path.name for path in (flipping.parent / "out").iterdir()) == ["f"]
    assert not list(flipping.rglob(".fsm-agent-*"))


def refusal(path: str, place: Workplace) -> str:
    with pytest.raises(ToolFailure) as caught, locate(path, place) as location:
        os.close(location.open())
    return str(caught.value)


def test_each_refusal_says_why(workspace: Path, place: Workplace) -> None:
    (workspace / "folder").mkdir()
    os.mkfifo(workspace / "fifo")
    (workspace / "out").symlink_to("/etc")

    assert refusal("", place) == "no path"
    assert refusal("no\nsuch", place) == r"no\nsuch not found"
    assert refusal("~/x", place) == "~/x not found (~ is not expanded)"
    assert refusal("folder", place) == "folder is a directory, not a regular file"
    assert refusal(".", place) == ". is a directory, not a regular file"
    assert refusal("folder/", place) == "folder/ is a directory, not a regular file"
    assert refusal("fifo", place) == "fifo is a FIFO, not a regular file"
    assert refusal("..", place) == ".. leads outside the workspace"
    assert refusal("out/passwd", place) == "out/passwd leads outside the workspace"
    assert refusal("/etc/passwd", place) == f"/etc/passwd is outside the workspace {workspace}"
    assert refusal("a\0b", place) == r"not a path: a\x00b"
    assert refusal("\ud800", place) == "not a path: \ufffd"
    (workspace / "odd").symlink_to(b"\xff".decode(errors="surrogateescape"))
    assert refusal("odd", place) == "not a path: \ufffd"
    assert refusal("n" * 300, place) == f"{'n' * 300}: File name too long"


def test_a_socket_is_no_file(workspace: Path, place: Workplace) -> None:
    os.mknod(workspace / "socket", 0o140600)

    assert "socket" in refusal("socket", place)


def test_a_readable_directory_is_read_but_not_written(workspace: Path) -> None:
    library = workspace.parent / "library"
    library.mkdir()
    (library / "f").write_text("text")
    place = Workplace(str(workspace), {}, readable=(str(library),))

    with locate(f"{library}/f", place) as location:
        assert read_whole(location, 100) == b"text"
    os.close(open_folder(str(library), place))
    with pytest.raises(ToolFailure, match="outside the workspace"):
        locate_for_writing(f"{library}/f", place)


@pytest.mark.parametrize("form", ["/{}", "{}//", "{}/./", "/.{}/.//./", "///{}/"])
def test_an_absolute_path_may_be_spelled_in_any_way(
    workspace: Path, place: Workplace, form: str
) -> None:
    (workspace / "f").write_text("text")
    with locate(f"{form.format(workspace)}/f", place) as location:
        assert read_whole(location, 100) == b"text"
    with pytest.raises(ToolFailure, match="outside the workspace"):
        locate(f"/{workspace}2//f", place)


def test_a_working_directory_that_is_gone_is_named(workspace: Path, place: Workplace) -> None:
    gone = f"working directory {workspace} no longer exists"
    moved = workspace.rename(workspace.parent / "moved")
    assert refusal("f", place) == gone
    assert refusal("/etc/passwd", place) == gone

    workspace.symlink_to(moved)
    assert refusal("f", place) == gone

    workspace.unlink()
    moved.rename(workspace)
    assert refusal("f", place) == "f not found"


@pytest.mark.parametrize("open_directory", [beneath.open_directory, beneath.walk])
def test_a_walk_gets_as_far_as_the_kernel(
    workspace: Path, open_directory: Callable[[int, str], int]
) -> None:
    (workspace / "a/b").mkdir(parents=True)
    (workspace / "l").symlink_to("a/./b//")
    top = os.open(workspace, os.O_RDONLY)
    for path in (".", "a", "l", "l/../b", "l/../../a/b", "a//b/"):
        os.close(open_directory(top, path))
    for path in ("..", "a/../..", "l/../../..", "none", "a/none/../.."):
        with pytest.raises(OSError):
            open_directory(top, path)
    os.close(top)


def test_no_descriptor_is_left_open(workspace: Path, place: Workplace, way: str) -> None:
    (workspace / "f").write_text("text")
    (workspace / "l").symlink_to("f")
    (workspace / "loop").symlink_to("loop")
    before = {*Path("/proc/self/fd").iterdir()}
    for path in ("f", "l", "loop", "none/f", "../f", ".", "f/", "f/g", "deep/er/new"):
        try:
            with locate_for_writing(path, place) as location:
                location.exists()
        except ToolFailure:
            pass

    assert {*Path("/proc/self/fd").iterdir()} == before
