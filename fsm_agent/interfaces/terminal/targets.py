"""Files that a command names, as far as its text tells: for reading only."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fsm_agent.policy.paths import is_inside

MOST = 50
"""Files that are looked for."""
LONGEST = 20_000
"""Characters of a command that are looked through: somebody waits for the question."""
_OPERATORS = "();<>|&\n"
_OPEN = re.compile(r"[$`*?]")
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})


class Named(NamedTuple):
    """A word that names a file, and how: `writes` or `names`, seen from a directory."""

    how: str
    word: str
    at: str


def targets(command: str, cwd: str) -> Iterator[tuple[str, bool]]:
    """What a command would write and what else it names, in lines.

    A line is marked if it tells of a file that lies elsewhere than it seems to, or outside the
    workspace. Nothing follows from what is not told: a program may touch any file.
    """
    plain: dict[str, list[str]] = {}
    for named in dict.fromkeys(islice(_named(command[:LONGEST]), MOST)):
        if _OPEN.search(named.word):
            if " " not in named.word:  # else it is rather a script for a program
                plain.setdefault("is known only when it runs:", []).append(named.word)
            continue
        shown, leads, inside = _resolved(named, cwd)
        if leads or not inside:
            link = f" -> {leads}" if leads else ""
            yield f"{named.how} {shown}{link}{'' if inside else ' (outside the workspace)'}", True
        elif named.how == "writes" or os.path.exists(os.path.join(cwd, shown)):  # noqa: PTH110, PTH118 - raises nothing
            plain.setdefault(named.how, []).append(shown)
    for how, names in plain.items():
        yield f"{how} {', '.join(names)}", False


def leading(path: str, cwd: str) -> str:
    """Where a path really leads, if a link makes that elsewhere than it says; else nothing."""
    return _resolved(Named("names", path, "."), cwd)[1]


def _resolved(named: Named, cwd: str) -> tuple[str, str, bool]:
    """The path as seen from the workspace, where a link leads, and whether that is inside."""
    try:
        word = os.path.expanduser(named.word)  # noqa: PTH111 - as text
        path = os.path.normpath(os.path.join(cwd, named.at, word))  # noqa: PTH118 - as text
        real = os.path.realpath(path)
    except ValueError:  # no file has such a name
        return named.word, "", True
    shown = os.path.relpath(path, cwd) if is_inside(path, cwd) else path
    return shown, "" if real == path else real, is_inside(real, cwd)


def _named(command: str) -> Iterator[Named]:
    words = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    words.whitespace, words.commenters, words.whitespace_split = " \t\r", "", True
    part: list[str] = []
    before, at = "", "."
    try:
        for word in words:
            operates = bool(word) and word[0] in _OPERATORS
            if operates:
                if word.startswith("<<"):
                    return  # what follows is a text, in part
                if not set(word) & set("<>"):
                    at, part = _moved(part, at), []
            elif ">" in before:
                if not (before.endswith("&") and word.isdigit()) and word not in _NOWHERE:
                    yield Named("writes", word, at)
            elif value := _value(word, first=not part):
                yield Named("names", value, at)
            if not operates and ">" not in before:
                part.append(word)
            before = word if operates else ""
    except ValueError:  # quotes that do not end
        return


def _moved(part: list[str], at: str) -> str:
    """Where the next part of the command is, after this one."""
    return os.path.join(at, part[1]) if len(part) > 1 and part[0] == "cd" else at  # noqa: PTH118


def _value(word: str, *, first: bool) -> str:
    """The part of a word that may name a file; nothing if none can."""
    if first and "/" not in word:
        return ""
    if word.startswith("-") or re.match(r"\w+=", word):
        word = word.partition("=")[2]
    return "" if "://" in word or word in _NOWHERE else word
