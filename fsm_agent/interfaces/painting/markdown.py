"""Blocks of Markdown as pictures that lose nothing and steer nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token as Mark
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String  # type: ignore[import-untyped]  # no stubs
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, TableElement
from rich.measure import Measurement
from rich.segment import Segment
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.table import Table
from rich.text import Text

from fsm_agent.interfaces.painting.blocks import opens
from fsm_agent.interfaces.painting.escaping import escape

_PARSER = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["strikethrough", "table"])
    # a definition would not be seen, an entity could be anything, a picture is its address here
    .disable(["reference", "entity", "image"])
)
TAB = 4
"""Columns between two tab stops in code."""
ANY_WIDTH = 100_000
"""Columns of a screen on which a table would need no line to be broken."""
_COLOURS = ANSISyntaxTheme(
    {
        Comment: Style(color="bright_black"),
        Keyword: Style(color="magenta"),
        Operator.Word: Style(color="magenta"),
        String: Style(color="green"),
        Number: Style(color="cyan"),
        Name.Function: Style(color="blue", bold=True),
        Name.Class: Style(color="blue", bold=True),
        Name.Tag: Style(color="blue"),
        Name.Builtin: Style(color="cyan"),
        Generic.Inserted: Style(color="green"),
        Generic.Deleted: Style(color="red"),
    }
)
"""Colours of code that are read on a light background and on a dark one."""


def code(source: str, language: str) -> Text:
    """Lines of a fence, the code in colours, all of their characters kept."""
    lines = escape(source).removesuffix("\n").split("\n")
    begin = 1 if opens(lines[0]) else 0
    end = len(lines) - (1 if begin < len(lines) and opens(lines[-1]) else 0)
    parts = [Text(line, "quiet") for line in lines[:begin]]
    if begin < end:
        parts.append(_highlighted("\n".join(lines[begin:end]), language))
    parts += [Text(line, "quiet") for line in lines[end:]]
    return Text("\n").join(parts)


def _highlighted(code: str, language: str) -> Text:
    code = code.expandtabs(TAB)  # a lexer would do it, too
    text = Syntax("", language or "text", theme=_COLOURS).highlight(code)
    return text[: len(code)]  # a lexer may end the last line


class Prose:
    """A block that is no fence: prose, a list, a table, a quote."""

    def __init__(self, source: str) -> None:
        self._markdown = _Markdown("", hyperlinks=False)
        source = escape(source)
        self._markdown.parsed = _PARSER.parse(source)
        _make_visible(self._markdown.parsed)
        _keep_tables(self._markdown.parsed, source.split("\n"))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines, without empty ones around them and without spaces that fill them up."""
        drawn = Segment.split_lines(console.render(self._markdown, options))
        lines = [_without_end(line) for line in drawn]
        for line in _stripped(lines):
            yield from line
            yield Segment.line()


def _without_end(line: list[Segment]) -> list[Segment]:
    while line and not line[-1].text.strip():
        line = line[:-1]
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else []


def _stripped(lines: list[list[Segment]]) -> list[list[Segment]]:
    full = [number for number, line in enumerate(lines) if line]
    return lines[full[0] : full[-1] + 1] if full else []


def _make_visible(marks: Iterable[Mark]) -> None:
    """Lines stay lines, as they were written; addresses are shown, so they are escaped, too."""
    for mark in marks:
        if mark.type == "softbreak":
            mark.type = "hardbreak"
        mark.attrs = {
            name: escape(value) if isinstance(value, str) else value
            for name, value in mark.attrs.items()
        }
        _make_visible(mark.children or ())


def _keep_tables(marks: Iterable[Mark], lines: Sequence[str]) -> None:
    """Give each table its source, and say whether some of its cells are in no column."""
    for mark in marks:
        if mark.type == "table_open" and mark.map:
            source = lines[slice(*mark.map)]
            columns, *rows = map(_cells, source)
            mark.meta = {"source": "\n".join(source), "spills": any(row > columns for row in rows)}


def _cells(line: str) -> int:
    return len(escapedSplit(line.strip().removeprefix("|").removesuffix("|")))


class _Table(TableElement):
    """A table; one without room for its words, or with too many cells, stands as it was written."""

    def __init__(self, source: str, *, spills: bool) -> None:
        super().__init__()
        self._source, self._spills = source, spills

    @classmethod
    def create(cls, _: Markdown, token: Mark) -> _Table:
        return cls(**token.meta)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, if no word of it has to be cut."""
        table = cast("Table", next(iter(super().__rich_console__(console, options))))
        needed = Measurement.get(console, options.update_width(ANY_WIDTH), table).minimum
        spills = self._spills or needed > options.max_width
        yield Text(self._source, overflow="fold") if spills else table


class _Heading(Heading):
    """A heading where text begins, and no box around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Code(CodeBlock):
    """Code in a list or a quote: broken where the line ends, never cut off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = _highlighted(str(self.text).removesuffix("\n"), self.lexer_name)
        text.overflow = "fold"
        yield text


class _Markdown(Markdown):
    elements = {  # noqa: RUF012 - as the base class declares it
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "table_open": _Table,
    }
