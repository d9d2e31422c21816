"""Ctrl-V puts the picture on the clipboard into the line."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.line.clipboard import picture, sources
from fsm_agent.runtime.images import LARGEST

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
ANSWER = "text: All is well.\n"
CTRL_V = "\x16"
WAYLAND = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ""}
X11 = {"WAYLAND_DISPLAY": "", "DISPLAY": ":0"}
BOTH = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}
NONE = {"WAYLAND_DISPLAY": "", "DISPLAY": ""}

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


class Desktop:
    """Programs that a desktop has for its clipboard, and the environment in which they are."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self._monkeypatch = folder, monkeypatch
        folder.mkdir()
        (folder / "picture").write_bytes(PNG)

    def has(self, name: str, body: str) -> None:
        """A program of this name that does this."""
        program = self.folder / name
        program.write_text(f'#!/bin/sh\ncd "{self.folder}"\n{body}\n')
        program.chmod(0o755)

    def environment(self, display: dict[str, str]) -> dict[str, str]:
        """What a program sees that runs on it."""
        return {**display, "PATH": str(self.folder)}

    def enter(self, display: dict[str, str]) -> None:
        """Let programs of this test run on it."""
        for name, value in display.items():
            self._monkeypatch.setenv(name, value)
        self._monkeypatch.setenv("PATH", str(self.folder), prepend=":")


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    return Desktop(tmp_path / "bin", monkeypatch)


def on(desktop: Desktop, display: dict[str, str], platform: str = "linux") -> bytes:
    """The picture on its clipboard."""
    desktop.enter({})
    return asyncio.run(picture(desktop.environment(display), platform))


@pytest.mark.parametrize(
    ("display", "platform", "programs"),
    [
        (WAYLAND, "linux", ["wl-paste"]),
        (X11, "linux", ["xclip"]),
        (BOTH, "linux", ["wl-paste", "xclip"]),
        (NONE, "linux", []),
        ({}, "darwin", ["osascript"]),
    ],
)
def test_which_programs_are_asked(
    display: dict[str, str], platform: str, programs: list[str]
) -> None:
    assert [source.argv[0] for source in sources(display, platform)] == programs


@pytest.mark.parametrize(
    ("name", "display", "asked"),
    [
        ("wl-paste", WAYLAND, "--type image/png"),
        ("xclip", X11, "-selection clipboard -t image/png -o"),
    ],
)
def test_a_desktop_s_program_is_asked_for_a_png(
    desktop: Desktop, name: str, display: dict[str, str], asked: str
) -> None:
    desktop.has(name, f'test "$*" = "{asked}" && cat picture')

    assert on(desktop, display) == PNG


def test_bytes_as_applescript_writes_them_are_read(desktop: Desktop) -> None:
    desktop.has("osascript", f"printf '\\302\\253data PNGf{PNG.hex().upper()}\\302\\273\\n'")

    assert on(desktop, {}, "darwin") == PNG


def test_the_next_program_is_asked_where_the_first_has_none(desktop: Desktop) -> None:
    desktop.has("wl-paste", "echo Nothing is copied >&2; exit 1")
    desktop.has("xclip", "cat picture")

    assert on(desktop, BOTH) == PNG


@pytest.mark.parametrize(
    ("program", "display", "said"),
    [
        ("exit 1", X11, "^no image on the clipboard$"),
        (
            "echo Error: target image/png not available >&2; exit 1",
            X11,
            r"^no image on the clipboard \(xclip: Error: target image/png not available\)$",
        ),
        ("echo just text", X11, "^no image on the clipboard$"),
        ("sleep 60 & sleep 60", X11, "^xclip did not answer within 2 s$"),
        ("cat picture; exec cat /dev/zero", X11, "^the image on the clipboard is larger than 20"),
        ("cat picture", WAYLAND, "^the clipboard cannot be read: install wl-clipboard$"),
        ("cat picture", NONE, "^no clipboard is in reach: neither WAYLAND_DISPLAY nor DISPLAY"),
    ],
)
def test_what_is_wrong_is_said(
    desktop: Desktop, program: str, display: dict[str, str], said: str
) -> None:
    desktop.has("xclip", program)
    began = time.monotonic()

    with pytest.raises(UsageError, match=said):
        on(desktop, display)
    assert time.monotonic() - began < 5


def test_a_picture_of_just_the_largest_size_is_taken(desktop: Desktop) -> None:
    (desktop.folder / "picture").write_bytes(PNG + bytes(LARGEST - len(PNG)))
    desktop.has("xclip", "cat picture")

    assert len(on(desktop, X11)) == LARGEST


def test_a_picture_is_kept_and_named_where_the_cursor_is(sits_down: Sits, desktop: Desktop) -> None:
    desktop.enter(X11)
    desktop.has("xclip", "cat picture")
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"see  now\x1b[D\x1b[D\x1b[D\x1b[D{CTRL_V}")
    person.sees("> see [Image #1] now")
    person.types("\r")
    person.sees("All is well.")

    (line,) = person.log("user_input")
    (kept,) = person.home.glob("projects/*/*/images/1.png")
    assert kept.read_bytes() == PNG
    assert line["text"] == "see [Image #1] now"
    assert line["sent"].startswith("see [Image #1] now\n\n<attached-images>\n[Image #1] => ")
    assert f"=> {kept}\n" in line["sent"]


def test_one_press_of_backspace_takes_a_picture_out(sits_down: Sits, desktop: Desktop) -> None:
    desktop.enter(X11)
    desktop.has("xclip", "cat picture")
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(CTRL_V)
    person.sees("> [Image #1]")
    person.types(CTRL_V)
    person.sees("> [Image #1][Image #2]")
    person.types("\x7f\x7fnone\r")
    person.sees("All is well.")

    (line,) = person.log("user_input")
    assert line["text"] == "none"
    assert "sent" not in line


def test_without_a_picture_the_line_is_as_it_was(sits_down: Sits, desktop: Desktop) -> None:
    desktop.enter(X11)
    desktop.has("xclip", "echo text; exit 0")
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"my line{CTRL_V}")
    person.sees("· no image on the clipboard")
    person.sees("> my line\n")
