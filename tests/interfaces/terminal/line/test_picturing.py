"""Pictures are dragged into the line, and are the same wherever it goes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.terminal.line.picturing import MOST, Pictures
from fsm_agent.runtime.images import LARGEST, Images

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
GIF = b"GIF89a" + bytes(8)
ANSWER = "text: All is well.\n"
HANGING = "text: It begins\nhang\n"
CTRL_D, UP, ESC = "\x04", "\x1b[A", "\x1b"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def pasted(text: str) -> str:
    """What a terminal sends for a paste."""
    return f"\x1b[200~{text}\x1b[201~".replace("\n", "\r")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with two pictures and a text."""
    place = tmp_path / "desk top"
    place.mkdir()
    (place / "a.png").write_bytes(PNG)
    (place / "b\u202fç (1).gif").write_bytes(GIF)
    (place / "text.png").write_text("no picture")
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place)
    return place


def backslashed(path: Path) -> str:
    """As a terminal of macOS writes it."""
    return str(path).replace(" ", "\\ ").replace("(", "\\(").replace(")", "\\)")


WAYS: dict[str, Callable[[Path], str]] = {
    "quoted": lambda path: shlex.quote(str(path)),
    "with backslashes": backslashed,
    "as an address": lambda path: path.as_uri(),
    "of this host": lambda path: path.as_uri().replace("file://", "file://localhost"),
    "as it stands": str,
    "from home": lambda path: shlex.quote(f"~/{path.name}").replace("'~/", "~/'"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("behind", ["", " ", "\n"])
def test_a_path_of_a_picture_becomes_its_number(
    folder: Path, tmp_path: Path, way: str, behind: str
) -> None:
    pictures = Pictures(Images(tmp_path), {})
    (path,) = folder.glob("b*")

    assert pictures.dropped(WAYS[way](path) + behind).rstrip() == "[Image #1]"
    assert (tmp_path / "images" / "1.gif").read_bytes() == GIF


@pytest.mark.parametrize("between", [" ", "\n", "\r"])
def test_several_become_several(folder: Path, tmp_path: Path, between: str) -> None:
    text = between.join(f"'{path}'" for path in (folder / "a.png", *folder.glob("b*")))

    assert Pictures(Images(tmp_path), {}).dropped(f"{text} ") == "[Image #1] [Image #2] "


@pytest.mark.parametrize(
    "text",
    [
        "a.png",  # a word may name anything
        "./a.png",
        "{folder}/a.png",  # two words, neither of which is there
        "'{folder}/none.png'",
        "'{folder}/text.png'",
        "'{folder}/a.png' '{folder}/text.png'",
        "'{folder}/a.png' is it",
        "see '{folder}/a.png'",
        "'{folder}/a.png",
        "'{folder}'",
        "'{folder}/pipe'",
        "'{folder}/large'",
        "'{folder}/a.png\0'",
        "file://elsewhere{folder}/a.png",
        "https://example.org/a.png",
        "/" + "x" * 5000,
        " ".join(["'{folder}/a.png'"] * (MOST + 1)),
        "/",
        "",
    ],
)
def test_any_other_text_stays(folder: Path, tmp_path: Path, text: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "large").write_bytes(PNG + bytes(LARGEST))
    given = text.replace("{folder}", str(folder))
    if text == "{folder}/a.png":
        given = f"{given} {given}"

    assert Pictures(Images(tmp_path), {}).dropped(given) == given
    assert not (tmp_path / "images").exists()


def test_a_dragged_picture_is_sent_though_its_file_is_gone(sits_down: Sits, folder: Path) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(pasted(f"{backslashed(folder / 'a.png')} "))
    person.sees("> [Image #1]")
    (folder / "a.png").unlink()
    person.types("what is it?\r")
    person.sees("All is well.")

    (line,) = person.log("user_input")
    (kept,) = person.home.glob("projects/*/*/images/1.png")
    assert line["text"] == "[Image #1] what is it?"
    assert f"[Image #1] => {kept}\n" in line["sent"]
    assert kept.read_bytes() == PNG


def test_a_path_in_a_shell_line_stays_a_path(sits_down: Sits, folder: Path) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"!wc -c < {pasted(backslashed(folder / 'a.png'))}\r")

    person.sees("\n  16")


def test_a_line_that_is_taken_back_has_its_picture_and_numbers_go_on(
    sits_down: Sits, folder: Path
) -> None:
    person = sits_down(f"{HANGING}---\n{ANSWER}")
    person.asks("one")
    person.sees("It begins")
    person.types(f"two {pasted(str(folder / 'a.png'))}\r")
    person.sees("queued: two [Image #1]")
    person.types(UP)
    person.sees("\n> two [Image #1]")
    person.types(ESC)
    person.sees("interrupted ·")
    person.types(f" {pasted(str(folder / 'a.png'))}\r")
    person.sees("All is well.")

    sent = person.log("user_input")[-1]["sent"]
    assert sent.startswith("two [Image #1] [Image #2]\n\n<attached-images>\n[Image #1] => ")
    assert "\n[Image #2] => " in sent
    person.types(CTRL_D)
    assert person.leaves() == 0
    person = sits_down(ANSWER, "-c")
    person.sees("\n>")
    person.types(pasted(str(folder / "a.png")))
    person.sees("> [Image #3]")


def test_another_session_recalls_the_picture_itself(sits_down: Sits, folder: Path) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"see {pasted(str(folder / 'a.png'))}\r")
    person.sees("All is well.")
    person.types(CTRL_D)
    assert person.leaves() == 0
    (kept,) = person.home.glob("projects/*/*/images/1.png")
    person = sits_down(f"{ANSWER}---\n{ANSWER}")
    person.sees("\n>")
    person.types(f"other {pasted(str(*folder.glob('b*')))}\r")
    person.sees("All is well.")
    person.types(f"{UP}{UP}\r")
    person.until(lambda: person.text().count("All is well.") == 2)

    line = person.newest_log("user_input")[-1]
    assert line["text"] == f"see @{kept}"
    assert line["sent"].startswith("see [Image #2]\n\n")
    assert f"[Image #2] => {kept}\n" in line["sent"]


def test_a_number_without_a_picture_is_told_of(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("see [Image #7]")

    person.sees("· [Image #7] is no picture of this session; left as it is")
    person.sees("All is well.")
    assert "sent" not in person.log("user_input")[0]
