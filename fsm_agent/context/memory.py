"""Memory files: Markdown in five sections, changed without losing a byte."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

USER, SCRATCH = "User Memory", "Scratch Notes"
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        USER: "how the person likes to work, in whatever project",
        "Project Memory": "how this project is built, tested and laid out",
        "Constraints": "what must or must never be done",
        "Consolidated Facts": "what was found out, and will still be true later",
        SCRATCH: "the person's own notes; the model never changes them",
    }
)
"""Titles in their order, and what each section holds. `USER` has a file of its own."""
CAP = 32 * 1024
"""Bytes of one memory file that the model is shown."""

DREAM = """\
Dream: look back over this whole session and keep what later sessions will need. Call Remember \
once, with the whole new text of each section that changes.
Begin with what the sections hold now, as this prompt and the notes since have it: keep what is \
still true, join what says the same, put right or leave out what turned out wrong.
Worth keeping is what holds beyond this session and would have to be found out again: how the \
person wants things done, how the project works, what must never be done, facts that cost effort \
to find. It is no summary of what happened. Leave out what files, AGENTS.md or the history of the \
repository already say, and all secrets. A few short lines a section.
Change nothing else. Then say in one sentence what you kept; if there is nothing worth keeping, \
say that and call nothing."""
"""What `/dream` asks of the model."""

_LINE = r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+"
_HEADING = r"\ufeff? {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z"
_TEXT = 7
_FENCE = r" {0,3}(`{3,}|~{3,})(.*)\Z"


class Part(NamedTuple):
    """A stretch of the file; all of them, head and body, are the file.

    Attributes:
        title: That of a section; of what is none of the five, nothing.
        level: How deep its heading is, from 1.
    """

    title: str
    level: int
    head: str
    body: str


def parse(text: str) -> list[Part]:
    """Divide a file into its sections and what stands between them.

    A section begins with a heading of its title, however deep and in whatever case, and ends
    before the next section, or before another heading that is not deeper than its own.
    """
    lines = re.findall(_LINE, text)
    starts = [n for n, line in enumerate(lines) if _section(line)]
    ends = [*starts, len(lines)]
    parts = [Part("", 0, "", "".join(lines[: ends[0]]))]
    for start, end in pairwise(ends):
        title, level, rest = _section(lines[start]), _level(lines[start]), lines[start + 1 : end]
        own = next(_ends(rest, level), len(rest))
        parts.append(Part(title, level, lines[start], "".join(rest[:own])))
        parts.append(Part("", 0, "", "".join(rest[own:])))
    return [part for part in parts if part.head or part.body]


def section(text: str, title: str) -> str:
    """What a section says; where the file has it more than once, all of it."""
    bodies = (_tidy(part.body) for part in parse(text) if part.title == title)
    return "\n\n".join(filter(None, bodies))


def with_section(text: str, title: str, new: str) -> str:
    """The file with this as the text of a section; whatever else it holds stays, byte for byte.

    Headings in the text that would end the section are quoted, and code that is not closed is.
    """
    parts, ending = parse(text), "\r\n" if "\r\n" in text else "\n"
    places = [n for n, part in enumerate(parts) if part.title == title]
    level = parts[places[0]].level if places else 2
    given = _tidy(new)
    new = _quoted(given, level)
    if section(text, title) in (given, new):
        return text
    if not places:
        at = _place(parts, title)
        before = "".join(part.head + part.body for part in parts[:at])
        parts.insert(at, Part(title, level, f"{_gap(before, ending)}## {title}{ending}", ""))
        places = [at]
    for n in places:
        said, last = new if n == places[0] else "", n == len(parts) - 1
        head = parts[n].head if parts[n].head.endswith(("\r", "\n")) else parts[n].head + ending
        body = f"\n{said}\n" if said else ""
        body = (body if last else f"{body}\n").replace("\n", ending)
        parts[n] = parts[n]._replace(head=head, body=body)
    return "".join(part.head + part.body for part in parts)


def shown(raw: bytes) -> str:
    """What the model is shown of a file: no section that is blank, cut at `CAP` with a note."""
    whole = len(raw) <= CAP
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(raw[:CAP], final=whole)
    parts = [_tidy(part.head + part.body) for part in parse(text) if _says(part)]
    note = [] if whole else [f"(cut: the file is longer than {CAP} bytes)"]
    return "\n\n".join([*parts, *note])


def _section(line: str) -> str:
    """The title of the section that begins with this line."""
    found = re.match(_HEADING, line.rstrip("\r\n"))
    said = " ".join((found[2] or "").split()).rstrip(":").casefold() if found else ""
    return next((title for title in SECTIONS if title.casefold() == said), "")


def _level(line: str) -> int:
    """How deep the heading is; `_TEXT` if the line is none."""
    found = re.match(_HEADING, line.rstrip("\r\n"))
    return len(found[1]) if found else _TEXT


def _ends(lines: Sequence[str], level: int) -> Iterator[int]:
    """Where headings stand, outside of code, that end a section of this level."""
    yield from (n for n in _prose(lines)[0] if _level(lines[n]) <= level)


def _prose(lines: Sequence[str]) -> tuple[list[int], str]:
    """The lines that are not inside of fenced code, and the last fence that nobody closes.

    One that nobody closes fences nothing: a slip of the hand shall not swallow the file.
    """
    prose, n, open_ends = list[int](), 0, dict[str, int]()
    while n < len(lines):
        prose.append(n)
        found = re.match(_FENCE, lines[n].rstrip("\r\n"))
        n += 1
        if not found or (found[1][0] == "`" and "`" in found[2]):
            continue
        mark, least = found[1][0], len(found[1])
        if least >= open_ends.get(mark, least + 1):
            continue  # it has been looked for already
        closing = rf" {{0,3}}{mark}{{{least},}}[ \t]*\Z"
        rest = range(n, len(lines))
        end = next((m for m in rest if re.match(closing, lines[m].rstrip("\r\n"))), None)
        if end is None:
            open_ends[mark] = least
        else:
            n = end + 1
    return prose, max((mark * least for mark, least in open_ends.items()), key=len, default="")


def _quoted(text: str, level: int) -> str:
    r"""The text so that it stays in its section: `\# heading`."""
    lines = re.findall(_LINE, text)
    ends = set(_ends(lines, level))
    quoted = {n for n, line in enumerate(lines) if n in ends or _section(line)}
    text = "".join(line.replace("#", "\\#", n in quoted) for n, line in enumerate(lines))
    while fence := _prose(re.findall(_LINE, text))[1]:
        text = f"{text}\n{fence}"
    return text


def _tidy(text: str) -> str:
    """The text with LF as its line ends, and no blank lines around it."""
    text = re.sub("\r\n?", "\n", text)
    return re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()


def _place(parts: Sequence[Part], title: str) -> int:
    """Where a section is put that the file does not have: before those that come after it."""
    titles = list(SECTIONS)
    later = titles[titles.index(title) + 1 :]
    return next((n for n, part in enumerate(parts) if part.title in later), len(parts))


def _gap(before: str, ending: str) -> str:
    """What it takes for a blank line after this text."""
    if not before.strip("\ufeff"):
        return ""
    lines = re.findall(_LINE, before)
    if not lines[-1].endswith(("\r", "\n")):
        return ending * 2
    return ending if lines[-1].strip() else ""


def _says(part: Part) -> bool:
    """Whether there is anything in it but a heading."""
    if part.title:
        return bool(part.body.strip())
    lines = re.findall(_LINE, part.body)
    return any(line.strip("\ufeff \t\r\n") and _level(line) == _TEXT for line in lines)
