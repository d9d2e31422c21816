"""`@file` in a person's line, replaced before the core sees it."""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import re
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fsm_agent.runtime.images import PLACEHOLDER, Images, kind_of
from fsm_agent.runtime.mentions import MENTION, is_path, meanings
from fsm_agent.runtime.naming import readable
from fsm_agent.tools.cleaning import clean_line, clean_text
from fsm_agent.tools.reading import count_lines

CAP = 50_000
"""Bytes of one file that a line may bring in."""
TOTAL = 4 * CAP
"""Bytes of all files together that a line may bring in."""
LISTED = 200
"""Names of one directory that a line may bring in."""
LOOKED_AT = 1 << 24
"""Bytes from a file's start among which lines are counted."""
_ABSENT = {errno.ENOENT, errno.ENOTDIR}


class Expanded(NamedTuple):
    """What the model gets of a line, and what the person should know of that."""

    text: str
    warnings: Sequence[str]


def expand(
    line: str, cwd: Path, images: Images, piped: str = "", within: Path | None = None
) -> Expanded:
    """The line as the model gets it: files in the place of their mentions, then what was piped in.

    The paths of pictures stand at its end. Nothing in a file or in what was piped in is a mention.
    A line that is not the person's own brings in only what lies `within` a place.
    """
    files = _Files(cwd, images, within)
    text = with_stdin(re.sub(MENTION, files.replace, line), piped)
    numbers = [int(number) for number in re.findall(PLACEHOLDER, line)]
    block = images.block([*numbers, *files.pictures])
    absent = sorted({*numbers} - images.paths().keys()) if numbers else []
    warnings = [f"[Image #{n}] is no picture of this session; left as it is" for n in absent]
    return Expanded(f"{text}\n\n{block}" if block else text, [*files.warnings, *warnings])


def with_stdin(prompt: str, piped: str) -> str:
    """The prompt and what was piped in, as one line of the person."""
    if not piped.strip():
        return prompt
    return f"{prompt}\n\n<stdin>\n{piped.rstrip()}\n</stdin>" if prompt else piped


def joined(words: Sequence[str], cwd: Path) -> str:
    """The words of a command line as one line; `@` and a name with spaces in it stay one name."""
    return " ".join(
        f'@"{word[1:]}"'
        if word.startswith("@") and re.search(r"\s", word) and os.path.lexists(cwd / word[1:])
        else word
        for word in words
    )


class _Files:
    """What the mentions of one line bring in, one after the other."""

    def __init__(self, cwd: Path, images: Images, within: Path | None) -> None:
        self.warnings: list[str] = []
        self.pictures: list[int] = []
        self._cwd, self._images, self._within, self._left = cwd, images, within, TOTAL

    def replace(self, found: re.Match[str]) -> str:
        """What stands in a mention's place; where there is no such file, the mention stays."""
        faults: list[str] = []
        absent = ""
        for name, lines, rest in meanings(found):
            try:
                return self._shown(name, lines) + rest
            except OSError as error:
                fault = f"@{name}: {error.strerror}"
                if error.errno not in _ABSENT:
                    faults.append(fault)
                elif lines is None:
                    absent = fault
            except ValueError as error:  # a NUL, or lines that are not there
                faults.append(f"@{name}: {error}")
        if not faults and is_path(found, self._cwd):
            faults.append(absent)
        self.warnings += [f"{fault}; left as it is" for fault in faults[:1]]
        return found[0]

    def _shown(self, name: str, lines: tuple[int, int] | None) -> str:
        path = self._cwd / (Path(name).expanduser() if name.startswith("~/") else name)
        mode = path.stat().st_mode
        if self._within and not path.resolve().is_relative_to(self._within):
            raise ValueError("it lies outside the project")
        if stat.S_ISDIR(mode):
            return self._listing(name, path)
        if not stat.S_ISREG(mode):  # a pipe or device may never end
            raise OSError(errno.EINVAL, "Not a regular file")
        with path.open("rb") as file:
            start = file.read(CAP + 1)
            if kind := kind_of(start):
                self.pictures.append(self._images.add(path, kind))
                return f"[Image #{self.pictures[-1]}]"
            if b"\0" in start:
                self.warnings.append(f"@{name}: no text, so it is named but not shown")
                return _element("file", name, f"(no text: {path.stat().st_size} bytes, not shown)")
            if lines is None:
                return _element("file", name, self._cut(name, start))
            part, last = _part(start, file, *lines)
            return _element("file", name, self._cut(name, part), lines=f"{lines[0]}-{last}")

    def _cut(self, name: str, raw: bytes) -> str:
        room = min(CAP, self._left)
        whole = len(raw) <= room
        self._left -= min(len(raw), room)
        text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(raw[:room], final=whole)
        if whole:
            return clean_text(text)
        self.warnings.append(f"@{name}: cut, as it is longer than {room} bytes")
        return f"{clean_text(text)}\n(cut: the file is longer than {room} bytes)"

    def _listing(self, name: str, path: Path) -> str:
        with os.scandir(path) as entries:
            names = sorted(entry.name + "/" * entry.is_dir() for entry in entries)
        more = len(names) - LISTED
        shown = [clean_line(readable(one)) for one in names[:LISTED]] or ["(empty)"]
        note = [f"(cut: {more} more names)"] if more > 0 else []
        return _element("directory", name, "\n".join([*shown, *note]))


def _part(start: bytes, file: BinaryIO, first: int, last: int) -> tuple[bytes, int]:
    """The bytes of these lines, as far as they are there, and which of them is the last."""
    if not 0 < first <= last:
        raise ValueError(f"lines are counted from 1 up, not {first}-{last}")
    raw = start + file.read(LOOKED_AT - len(start))
    lines = list(islice(io.BytesIO(raw), first - 1, last))
    if not lines:
        raise ValueError(f"it has {count_lines(raw)} lines")
    return b"".join(lines), first + len(lines) - 1


def _element(tag: str, name: str, content: str, **attributes: str) -> str:
    given = {"path": name, **attributes}
    shown = " ".join(f"{key}={json.dumps(v, ensure_ascii=False)}" for key, v in given.items())
    end = "" if content.endswith("\n") else "\n"
    return f"<{tag} {shown}>\n{content}{end}</{tag}>"
