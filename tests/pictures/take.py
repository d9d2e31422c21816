"""Takes the pictures of the documentation, at a real terminal.

    python tests/pictures/take.py [NAME…]

The program runs with a scripted model in a terminal of 100 by 30; what stands on its screen at the
end of each scene becomes `docs/pictures/NAME.svg`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[0] = str(ROOT)  # the files beside this one go by their full names
from tests.interfaces.terminal.sitting import Person  # noqa: E402 - behind the line above
from tests.pictures.drawing import drawn  # noqa: E402 - as above
from tests.pictures.scenes import SCENES, Scene, lay_out  # noqa: E402 - as above

PICTURES = ROOT / "docs" / "pictures"
PLACE = Path(tempfile.gettempdir()) / "fsm-agent-pictures"
SIZE = 100, 30
SETTLED_S = 0.3
"""Seconds until what was last written has come."""


def main() -> None:
    """Take those that are named, or all."""
    PICTURES.mkdir(exist_ok=True)
    for scene in SCENES:
        if not sys.argv[1:] or scene.name in sys.argv[1:]:
            PLACE.mkdir()  # always the same, for it stands in the pictures
            try:
                picture = taken(scene, PLACE)
            finally:
                shutil.rmtree(PLACE)
            (PICTURES / f"{scene.name}.svg").write_text(picture, encoding="utf-8")
            print(f"{scene.name}: {scene.title}")  # noqa: T201 - words out


def taken(scene: Scene, place: Path) -> str:
    """The picture of a scene, played in an empty directory."""
    people: list[Person] = []
    workspace = place.resolve() / "prices"
    workspace.mkdir()
    lay_out(workspace)

    def sits(script: str, *options: str) -> Person:
        people.append(Person(workspace, place / "home", script, *options, size=SIZE))
        return people[-1]

    try:
        person = scene.play(sits)
        person.reads(SETTLED_S)
        return drawn(person.glass, scene.name, scene.title)
    finally:
        for one in people:
            one.child.close(force=True)


if __name__ == "__main__":
    os.environ |= {"HOME": str(PLACE), "XDG_CONFIG_HOME": str(PLACE), "LANG": "C.UTF-8"}
    main()
