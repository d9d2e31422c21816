"""Pictures of a session: numbers in its lines, paths behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fsm_agent.runtime.naming import readable

PLACEHOLDER = r"\[Image #([0-9]{1,9})\]"
"""What stands for a picture in a line; the group is its number."""
LARGEST = 20_000_000
"""Bytes of a picture that is kept."""
NOTE = "These are paths; the pictures are not attached. Open them with a tool or skill that sees."
_KINDS = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}


def kind_of(start: bytes) -> str:
    """The kind of picture that a file with this start (12 bytes or more) is; empty if none."""
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "webp"
    return next((kind for magic, kind in _KINDS.items() if start.startswith(magic)), "")


class Images:
    """The directory `images` of a session: `1.png`, `2.jpg`, … are pictures, or links to some.

    The next number is one above the highest, so none comes to mean another picture when an older
    one is deleted.
    """

    def __init__(self, session: Path) -> None:
        """`session` is the session's directory."""
        self._directory = session / "images"

    def add(self, picture: Path, kind: str) -> int:
        """Give a picture the next number; it stays where it is, and a link leads there.

        Raises:
            OSError: If the link cannot be made.
        """
        number = self._next()
        (self._directory / f"{number}.{kind}").symlink_to(picture)
        return number

    def keep(self, raw: bytes, kind: str) -> int:
        """Write a picture down under the next number.

        Raises:
            OSError: If it cannot be written whole; nothing is left then.
        """
        number = self._next()
        part = self._directory / "new.part"
        try:
            part.write_bytes(raw)
            part.rename(self._directory / f"{number}.{kind}")
        finally:
            part.unlink(missing_ok=True)
        return number

    def take_over(self, session: Path) -> None:
        """Let the pictures of another session be this one's, too, under their numbers."""
        for number, path in Images(session).paths().items():
            self._directory.mkdir(mode=0o700, exist_ok=True)
            (self._directory / f"{number}{path.suffix}").symlink_to(path)

    def paths(self) -> dict[int, Path]:
        """The pictures that are there, by their numbers."""
        return {n: path.resolve() for n, path in self._entries() if path.is_file()}

    def block(self, numbers: Iterable[int]) -> str:
        """Which paths these numbers stand for, as the model is told; empty if none is there."""
        there = self.paths()
        known = [n for n in sorted(set(numbers)) if n in there]
        if not known:
            return ""
        lines = [f"[Image #{n}] => {readable(str(there[n]))}" for n in known]
        return "\n".join(["<attached-images>", *lines, NOTE, "</attached-images>"])

    def _next(self) -> int:
        self._directory.mkdir(mode=0o700, exist_ok=True)
        return max((n for n, _ in self._entries()), default=0) + 1

    def _entries(self) -> Iterator[tuple[int, Path]]:
        for path in self._directory.glob("*.*"):
            if re.fullmatch("[0-9]{1,9}", path.stem):
                yield int(path.stem), path
