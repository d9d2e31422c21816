"""Pictures that are pasted or dragged into the line."""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fsm_agent.interfaces.terminal.line.clipboard import picture
from fsm_agent.interfaces.terminal.line.filenames import written
from fsm_agent.runtime.images import LARGEST, PLACEHOLDER, Images, kind_of

MOST = 20
"""Pictures that are dragged at once."""
_PATH = re.compile(r"""\s*['"]?(?:/|~/|file://)""")
"""How a path begins that a terminal writes for what is dragged onto it."""


class Pictures:
    """The pictures of a session at the prompt: `[Image #N]` stands for one in the line."""

    def __init__(self, images: Images, environment: Mapping[str, str]) -> None:
        self._images, self._environment = images, environment

    async def pasted(self) -> str:
        """What stands for the picture on the clipboard.

        Raises:
            UsageError: If there is none, or no way to it.
            OSError: If it cannot be kept.
        """
        raw = await picture(self._environment)
        return f"[Image #{self._images.keep(raw, kind_of(raw))}]"

    def dropped(self, text: str) -> str:
        """What stands for pictures whose paths the text is, and nothing else; any other text as is.

        They are kept as they are now: what is dragged is often a file for a moment only.
        """
        try:
            kept = [self._images.keep(raw, kind_of(raw)) for raw in _pictures(text)]
        except (OSError, ValueError):
            return text
        shown = " ".join(f"[Image #{number}]" for number in kept)
        return f"{shown} " if kept and text.endswith(" ") else shown or text


def spelled(line: str, images: Images) -> str:
    """The line with files in the place of their numbers, which mean others in another session."""
    there = images.paths()

    def name(found: re.Match[str]) -> str:
        path = there.get(int(found[1]))
        return f"@{written(str(path))}" if path else found[0]

    return re.sub(PLACEHOLDER, name, line)


def _pictures(text: str) -> list[bytes]:
    """The bytes of the files that the text names.

    Raises:
        OSError: If one is not there, or cannot be read.
        ValueError: If one is no picture, or the text no path.
    """
    if not _PATH.match(text):
        return []
    paths = [path for row in text.splitlines() for path in _paths(row)]
    if len(paths) > MOST:
        raise ValueError("too many to be what was dragged")
    return list(map(_picture, paths))


def _paths(row: str) -> Iterator[Path]:
    """The row as one path, if it is one as it stands; else its words as a shell reads them."""
    whole = Path(row.strip()).expanduser()
    if whole.is_absolute() and whole.is_file():
        yield whole
        return
    for word in shlex.split(row):
        url = urlsplit(word)
        local = url.scheme == "file" and url.netloc in ("", "localhost")
        path = Path(unquote(url.path) if local else word).expanduser()
        if not path.is_absolute():
            raise ValueError("it may be any word")
        yield path


def _picture(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe or device may never end
        raise ValueError("no file")
    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST or not kind_of(raw):
        raise ValueError("no picture, or a very large one")
    return raw
