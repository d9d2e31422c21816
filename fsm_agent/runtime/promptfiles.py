"""Prompt files: commands of one's own, each a Markdown file."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from fsm_agent.errors import UsageError
from fsm_agent.runtime.instructions import Places, project
from fsm_agent.runtime.naming import readable
from fsm_agent.tools.cleaning import clean_line, clean_text

YOURS, PROJECTS = "commands", ".fsm-agent/commands"
"""Where the files are: in the person's configuration, and in directories of a project."""
CAP = 100_000
"""Bytes that a prompt file may have."""
MOST = 500
"""Prompt files of one place that are looked at."""
FOLDERS = 100
"""Folders of one place that are looked into."""
LONGEST = 100
"""Characters of what a file says of itself that are kept."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_FRONT = r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)"
_FIELD = r"^([A-Za-z][A-Za-z-]*):[ \t]*(.*?)[ \t]*$"
_PLACE = r"\$(ARGUMENTS(?!\w)|[1-9](?!\d))"
_WHOLE = r"\[(?:Pasted text|Image) #[^\]\n]*\]"
"""What stands in a line for a paste or a picture: one word, whatever is in it."""


class PromptFile(NamedTuple):
    """A prompt file.

    Attributes:
        name: What it is asked for by: `fix`, or of a folder `git:commit`.
        path: Where it lies.
        root: The project it is of; none: it is the person's own.
        description: What it says of itself, else how it begins.
        hint: What it takes, as it says itself.
    """

    name: str
    path: Path
    root: Path | None
    description: str
    hint: str


class Prompt(NamedTuple):
    """What a prompt file says: its text, and the fields before it."""

    text: str
    fields: dict[str, str]


class Asked(NamedTuple):
    """What a line asks for: its text, or that of a prompt file with what stands behind its name.

    Attributes:
        text: With mentions and placeholders still in it.
        root: The project whose words these are: what they mention lies in it. None: the person's.
        news: What the person should know of that.
    """

    text: str
    root: Path | None = None
    news: tuple[str, ...] = ()


class Found(NamedTuple):
    """The prompt files that can be asked for, by name, and why others cannot."""

    files: dict[str, PromptFile]
    faults: list[str]


def find(places: Places, taken: Container[str]) -> Found:
    """The prompt files that hold at a place: the person's own, then the project's, nearest first.

    A project's file never takes the name of one of the person's own; neither takes one of `taken`.
    """
    chain = project(places)
    found = Found({}, [])
    _gather(places.config / YOURS, None, taken, found)
    for place in chain:
        _gather(place / PROJECTS, chain[-1], taken, found)
    return found


def read_prompt(path: Path) -> Prompt:
    """The file's text and fields; a file that does not begin with fields is all text.

    Raises:
        UsageError: If it cannot be read, is too long or no text.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - that of `Path` raises where it may not look
        raise UsageError("is no file")
    try:
        with path.open("rb") as file:
            raw = file.read(CAP + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}") from None
    if len(raw) > CAP:
        raise UsageError(f"is longer than {CAP:,} bytes")
    try:
        text = re.sub("\r\n?", "\n", raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError("is no text in UTF-8") from None
    if "\0" in text:
        raise UsageError("is no text in UTF-8")
    front = re.match(_FRONT, text, re.DOTALL | re.MULTILINE)
    fields = dict(re.findall(_FIELD, front[1], re.MULTILINE)) if front else {}
    body = clean_text(text[front.end() :] if front else text).strip()
    if not body:
        raise UsageError("says nothing")
    return Prompt(body, {name.lower(): _unquoted(value) for name, value in fields.items()})


def filled(text: str, given: str) -> str:
    """The text with what was typed behind the name: in its places, else at its end.

    `$ARGUMENTS` is all of that, `$1` to `$9` are its words as a shell would part them. Nothing in
    it is a place again.
    """
    words = _words(given)

    def put(place: re.Match[str]) -> str:
        if place[1] == "ARGUMENTS":
            return given
        return words[int(place[1]) - 1] if int(place[1]) <= len(words) else ""

    made, places = re.subn(_PLACE, put, text)
    return made if places or not given else f"{made}\n\n{given}"


def _words(given: str) -> list[str]:
    try:
        return shlex.split(re.sub(_WHOLE, lambda found: shlex.quote(found[0]), given))
    except ValueError:  # an apostrophe, as in don't
        return given.split()


def _gather(folder: Path, root: Path | None, taken: Container[str], found: Found) -> None:
    """Take the files of one folder in."""
    paths = list(islice(_paths(folder, found.faults), MOST + 1))
    if len(paths) > MOST:
        found.faults.append(f"{_told(folder)}: more than {MOST} files; the rest is passed over")
    for path in paths[:MOST]:
        name = ":".join(path.relative_to(folder).with_suffix("").parts)
        try:
            one = _described(name, path, root)
        except UsageError as fault:
            found.faults.append(f"{_told(path)} {fault}; it is passed over")
            continue
        known = found.files.get(name)
        if name in taken:
            found.faults.append(f"{_told(path)} is passed over: /{name} is built in")
        elif known is None:
            found.files[name] = one
        elif known.root is None:
            found.faults.append(f"{_told(path)} is passed over: you have a /{name} of your own")


def _paths(folder: Path, faults: list[str]) -> Iterator[Path]:
    """The Markdown files of a folder and of those in it, in the order of their names."""
    walk = os.walk(folder, onerror=lambda error: _unread(error, faults))
    for count, (at, names, files) in enumerate(walk):
        if count == FOLDERS:
            faults.append(f"{_told(folder)}: more than {FOLDERS} folders; the rest is passed over")
            return
        names[:] = sorted(name for name in names if not name.startswith("."))
        links = [name for name in names if os.path.islink(os.path.join(at, name))]  # noqa: PTH114, PTH118 - as `os.walk` has them
        faults += [f"{_told(Path(at, name))} is a link to a folder: not followed" for name in links]
        shown = (name for name in files if name.endswith(".md") and not name.startswith("."))
        yield from (Path(at, name) for name in sorted(shown))


def _unread(error: OSError, faults: list[str]) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        faults.append(f"{_told(Path(error.filename))} cannot be read: {error.strerror}")


def _described(name: str, path: Path, root: Path | None) -> PromptFile:
    if not re.fullmatch(f"{_NAME}(?::{_NAME})*", name):
        raise UsageError("has a name that no command can have (letters, digits, _ and -)")
    if root and not Path(os.path.realpath(path)).is_relative_to(root):
        raise UsageError("is a link that leads out of the project")
    text, fields = read_prompt(path)
    first = next(filter(None, (line.strip("# \t") for line in text.split("\n"))), "")
    said = clean_line(fields.get("description") or first)[:LONGEST]
    return PromptFile(name, path, root, said, clean_line(fields.get("argument-hint", ""))[:LONGEST])


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _told(path: Path) -> str:
    return readable(str(path))
