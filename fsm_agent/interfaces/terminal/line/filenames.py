"""Names of the files below a directory, found, matched and written."""

from __future__ import annotations

import heapq
import os
import re
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from fsm_agent.interfaces.painting.escaping import escape_line

MOST = 500_000
"""Names that are kept."""
WALKED = 50_000
"""Names that a walk gives where no git is."""
WALK_S = 2.0
"""Seconds that a walk takes at most."""
GIT_S = 20.0
"""Seconds that git has to list a repository."""
FRESH_S = 5.0
"""Seconds for which a list is good."""
OFFERED = 50
"""Names that are offered at once."""
STRETCH = 250
"""Names that are looked at in one go."""
PAUSE_S = 0.0002
"""Seconds that are paused after it: keys are taken meanwhile, which the interpreter lets only one
thread do at a time."""
_LISTING = (
    *("git", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"),
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"),
)
_Name = TypeVar("_Name", str, bytes)
_ELSEWHERE = ("/", "~/", "./", "../")
_PASSED_OVER = frozenset({"node_modules", "__pycache__"})


class FileNames:
    """What `@` may be followed by. It takes its time: not for the thread that draws."""

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._names: list[str] = []
        self._until = 0.0

    def matching(self, typed: str) -> list[str]:
        """The names that fit best: those that begin so, then those with a part that does."""
        if typed.startswith(_ELSEWHERE):
            return sorted(islice(_beside(typed, self._cwd), OFFERED))
        found = heapq.nsmallest(OFFERED, _ranked(_gently(self._all()), typed.casefold()))
        return [name for _, _, name in found]

    def _all(self) -> list[str]:
        now = time.monotonic()
        if now >= self._until:
            files = _tracked(self._cwd) or list(_walked(self._cwd))
            self._names = [*_folders(_gently(files)), *files]
            self._until = time.monotonic() + FRESH_S
        return self._names


def written(name: str) -> str:
    """The name as a mention has it: quoted or escaped where it must be."""
    if '"' in name:
        return re.sub(r'([\s"\\]|^@)', r"\\\1", name)
    return f'"{name}"' if re.search(r"\s|\\|^@", name) else name


def _ranked(names: Iterable[str], sought: str) -> Iterator[tuple[int, int, str]]:
    """Where in a name it stands, how long that is, and the name; without those it is not in."""
    for name in names:
        folded = name.casefold()
        if folded.startswith(sought):
            yield 0, len(name), name
        elif f"/{sought}" in folded:
            yield 1, len(name), name
        elif sought in folded:
            yield 2, len(name), name


def _tracked(cwd: Path) -> list[str]:
    """What git knows or would add; nothing where there is no git or no repository."""
    try:
        ended = subprocess.run(  # noqa: S603 - nothing in it comes from outside
            _LISTING,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return list(_usable(map(os.fsdecode, _gently(islice(_split(ended.stdout), MOST)))))


def _split(raw: bytes) -> Iterator[bytes]:
    """What NULs end; one after the other, as a split of some megabytes lets no other thread run."""
    start = 0
    while (end := raw.find(b"\0", start)) >= 0:
        yield raw[start:end]
        start = end + 1


def _gently(names: Iterable[_Name]) -> Iterator[_Name]:
    """The names, with a pause after each stretch."""
    for number, name in enumerate(names, 1):
        yield name
        if number % STRETCH == 0:
            time.sleep(PAUSE_S)


def _walked(cwd: Path) -> Iterator[str]:
    """Names level by level, so that the near ones are there if there are too many."""
    until, left = time.monotonic() + WALK_S, WALKED
    folders = deque([""])
    while folders and left > 0 and time.monotonic() < until:
        here = folders.popleft()
        entries = list(islice(_entries(cwd / here), left))
        left -= len(entries)
        names = [(f"{here}{entry.name}", entry.is_dir(follow_symlinks=False)) for entry in entries]
        yield from _usable(name for name, folder in names if not folder)
        folders += [f"{name}/" for name, folder in names if folder]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and entry.name not in _PASSED_OVER:
                    yield entry
    except OSError:
        return


def _beside(typed: str, cwd: Path) -> Iterator[str]:
    """Names in a directory that is written out, which may be anywhere."""
    folder, slash, begun = typed.rpartition("/")
    place = cwd / Path(f"{folder}{slash}").expanduser()
    try:
        with os.scandir(place) as entries:
            found = [f"{entry.name}{'/' * entry.is_dir()}" for entry in entries]
    except (OSError, ValueError):
        return
    for name in _usable(found):
        if name.startswith(begun) and (begun or not name.startswith(".")):
            yield f"{folder}{slash}{name}"


def _folders(files: Iterable[str]) -> Iterator[str]:
    """The directories in which files are, each once."""
    seen: set[str] = set()
    for name in files:
        folder = os.path.dirname(name)  # noqa: PTH120 - a hundred thousand paths are slow
        while folder and folder not in seen:
            seen.add(folder)
            yield f"{folder}/"
            folder = os.path.dirname(folder)  # noqa: PTH120 - as above


def _usable(names: Iterable[str]) -> Iterator[str]:
    """Those that can be typed: nothing that steers, hides or is no text."""
    return (name for name in names if name and (_is_plain(name) or escape_line(name) == name))


def _is_plain(name: str) -> bool:
    return name.isascii() and name.isprintable()
