"""What an `@file` may mean: a name, a name and lines, or no file at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Behind a letter, a digit or one of these signs it is an address, a path or a diff's `@@`.
MENTION = (
    r'(?<![A-Za-z0-9_.%+/@\\-])@(?:"([^"\n]+)"(:[0-9]+(?:-[0-9]+)?)?|(?!@)((?:\\.|[^\s"\\])+))'
)
"""A mention: what is quoted, the lines behind that, or what is not quoted."""
_LINES = r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?"
_CLOSING = ".,;:!?)]}>'`*。，、；：！？）」』】》’”"
"""What may end a sentence or close a bracket right behind a name."""
_PATH_LIKE = r"[./~].*|[^(]*\.[A-Za-z][A-Za-z0-9]{0,4}(?::[0-9:-]+)?"


class Meaning(NamedTuple):
    """A file that may be meant.

    Attributes:
        name: Its path.
        lines: Its first and last line that are meant, from 1; none: all.
        rest: What of the mention belongs to the sentence.
    """

    name: str
    lines: tuple[int, int] | None
    rest: str


def meanings(found: re.Match[str]) -> Iterator[Meaning]:
    """All that a mention may mean, the most literal first."""
    quoted, behind, plain = found.groups()
    if quoted:
        yield from _with_lines(quoted + (behind or ""), "")
        return
    for run in _runs(plain):
        yield from _with_lines(re.sub(r"\\(.)", r"\1", run), plain[len(run) :])


def is_path(found: re.Match[str], cwd: Path) -> bool:
    """Whether a mention without a file was surely meant as one: not `@decorator`, `@scope/pkg`."""
    plain = found[3]
    if plain is None or "\\" in plain:
        return True
    name = _runs(plain)[-1]
    folder, slash, _ = name.partition("/")
    return bool(re.fullmatch(_PATH_LIKE, name) or (slash and (cwd / folder).is_dir()))


def _runs(plain: str) -> list[str]:
    """The whole of it; without what closes the sentence; what stands before spaceless script."""
    latin = re.split("[^ -~]", plain, maxsplit=1)[0]
    runs = plain, plain.rstrip(_CLOSING), latin.rstrip(_CLOSING)
    return list(dict.fromkeys(filter(None, runs)))


def _with_lines(name: str, rest: str) -> Iterator[Meaning]:
    yield Meaning(name, None, rest)
    if ranged := re.fullmatch(_LINES, name, re.DOTALL):
        base, first, last = ranged.groups()
        yield Meaning(base, (int(first), int(last or first)), rest)
