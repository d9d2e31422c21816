"""AGENTS.md files and the like: where they lie, and what they say."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import NamedTuple

from fsm_agent.tools.cleaning import clean_text

NAMES = ("AGENTS.md", "AGENT.md", "CLAUDE.md", ".claude/CLAUDE.md")
"""Names of instruction files; the first that a directory holds is taken."""
CAP = 32 * 1024
"""Bytes of one instruction file that the model is shown."""


class Places(NamedTuple):
    """Where instruction files are looked for.

    Attributes:
        cwd: Where the work is.
        home: The person's home, which is no project even if it is under git.
        config: Where the person's configuration is; its file comes before those of the project.
    """

    cwd: Path
    home: Path
    config: Path


class Instructions(NamedTuple):
    """An instruction file as it was read; `fault` says why one that is there is not used."""

    path: Path
    text: str
    fault: str = ""


def gather(places: Places) -> list[Instructions]:
    """What holds at a place, outermost first: the person's own file, then those of the project.

    Of the project, one of each directory from the git root down to the working directory; outside
    git, only that of the directory itself. A file that two names lead to counts once.
    """
    chain = project(places)
    found = _first(places.config, None)
    for place in reversed(chain):
        found += _first(place, chain[-1])
    by_file: dict[str, Instructions] = {}
    for one in found:
        by_file.setdefault(os.path.realpath(one.path), one)
    return list(by_file.values())


def project(places: Places) -> list[Path]:
    """The working directory and those above it, up to the git root; outside git only itself."""
    cwd = places.cwd.resolve()
    chain = [cwd, *cwd.parents]
    root = next((k for k, place in enumerate(chain) if _exists(place / ".git")), 0)
    if places.home.resolve().is_relative_to(chain[root]):
        root = 0  # a home under git is no project: what lies in it has little to do with this
    return chain[: root + 1]


def read_instructions(path: Path) -> Instructions:
    """The file's text: no BOM, lines end in LF, bad bytes shown as such, cut at `CAP` with a note."""
    try:
        with path.open("rb") as file:
            raw = file.read(CAP + 1)
    except OSError as error:
        return Instructions(path, "", f"cannot be read: {error.strerror}")
    if b"\0" in raw:
        return Instructions(path, "", "is no text in UTF-8")
    whole = len(raw) <= CAP
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(raw[:CAP], final=whole)
    note = "" if whole else f"\n(cut: the file is longer than {CAP} bytes)"
    return Instructions(path, clean_text(re.sub("\r\n?", "\n", text)) + note)


def _first(place: Path, within: Path | None) -> list[Instructions]:
    """The file of one directory, and those that would come before it but cannot be used.

    A link that leads out of the project is one of these: a clone may not have what lies elsewhere
    sent to a model.
    """
    found = []
    for path in (place / name for name in NAMES if os.path.lexists(place / name)):
        if not _is_file(path):
            found.append(Instructions(path, "", "is no file"))
        elif within and not path.resolve().is_relative_to(within):
            found.append(Instructions(path, "", "is a link that leads out of the project"))
        else:
            return [*found, read_instructions(path)]
    return found


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - that of `Path` raises where it may not look


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - that of `Path` raises where it may not look
