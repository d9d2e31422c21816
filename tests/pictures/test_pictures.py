"""Pictures of the documentation: each is there, and can be taken."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pyte
import pytest

from tests.pictures.drawing import drawn
from tests.pictures.scenes import SCENES, Scene
from tests.pictures.take import PICTURES, ROOT, taken


def read(picture: str) -> str:
    """What can be read in it."""
    return " ".join(ET.fromstring(picture).itertext()).replace("\xa0", " ")


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_scene_can_be_played_and_its_picture_stands_in_the_documentation(
    scene: Scene, tmp_path: Path
) -> None:
    picture = taken(scene, tmp_path)
    kept = (PICTURES / f"{scene.name}.svg").read_text(encoding="utf-8")

    for words in map(read, (picture, kept)):
        assert scene.title in words
        assert scene.seen in words


def test_every_picture_has_a_scene_and_is_shown_somewhere() -> None:
    files = {path.stem for path in PICTURES.iterdir()}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"pictures/(\w+)\.svg", page.read_text(encoding="utf-8"))
    }

    assert files == {scene.name for scene in SCENES} == shown


def test_a_picture_has_the_screen_s_colours_and_escapes_its_text() -> None:
    screen = pyte.Screen(20, 3)
    pyte.Stream(screen).feed("a \x1b[31m<red>\x1b[0m\r\n\x1b[38;2;1;2;3m&\x1b[0m \x1b[93m日\x1b[0m")
    picture = drawn(screen, "test", "A <title>")

    assert "a <red>" in " ".join(read(picture).split())
    assert "日" in read(picture)
    assert "#010203" in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
