"""Long texts cut to what is worth a look, escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.painting.items import Call
from fsm_agent.interfaces.painting.wording import changed

RESULT_LINES = 8
"""Lines of a result that are shown."""
DIFF_LINES = 60
"""Lines of a diff that are shown."""
AT_ONCE = 200
"""Lines that are printed at once: between them keys are looked at."""
WORD = "diff.word"
"""The style of what is other within a line that was changed."""
LONG = 200
"""Characters of one line of a result that are shown."""


def named(call: Call) -> str:
    """`Name(what)`, escaped, on one line, `what` cut at 80 characters."""
    return f"{escape_line(call.name)}({shorten(escape_line(call.subject))})"


def diff(text: str, more: str = "") -> Text:
    """The first and last lines of a unified diff, in colours."""
    lines = excerpt(_ended(text), DIFF_LINES, more=more)
    return next(_painted(lines, len(lines)))


def whole_diff(text: str) -> Iterator[Text]:
    """All of a unified diff in colours, uncut, a few lines at once."""
    yield from _painted(escape(_ended(text)).split("\n"), AT_ONCE)


def _ended(text: str) -> str:
    """The diff; carriage returns at line ends are shown unless every line of the file has one."""
    whole = text.removesuffix("\n") + "\n"
    lines = whole.partition("\n@@")[2].split("\n")[1:]
    every = all(line.endswith("\r") for line in lines if line[:1] in ("+", "-", " "))
    return whole.replace("\r\n", "\n" if every else "\\r\n").removesuffix("\n")


def _painted(lines: Sequence[str], at_once: int) -> Iterator[Text]:
    others, painted, named = changed(lines), Text(), True
    for at, line in enumerate(lines, 1):
        named = named and line.startswith(("---", "+++"))
        style = "quiet" if named else _DIFF.get(line[:1], "quiet")
        painted.append(f"  {line}\n", style)
        begin = len(painted) - len(line) - 1
        for start, end in others.get(at - 1, ()):
            painted.stylize(WORD, begin + start, begin + end)
        if at % at_once == 0 or at == len(lines):
            painted.right_crop(1)
            yield painted
            painted = Text()


_DIFF = {"@": "diff.place", "+": "diff.added", "-": "diff.removed"}


def excerpt(text: str, most: int, *, last: bool = False, more: str = "") -> list[str]:
    """The text's lines, escaped and cut; of many more than `most` the first and the last.

    Args:
        text: However long: only what is shown is escaped.
        most: Lines that are shown where not all are.
        last: Whether only the last are shown.
        more: What is said behind the count of those that are not.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) <= most + 1:  # what says that one is missing would take its place
        return [_line(line) for line in lines]
    head = 0 if last else most // 2
    tail = lines[len(lines) - (most - head) :]
    gap = f"… {len(lines) - most:,} more lines{more}"
    return [*map(_line, lines[:head]), gap, *map(_line, tail)]


def _line(line: str) -> str:
    return shorten(escape(line[: LONG + 1]), LONG)
