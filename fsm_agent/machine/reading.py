"""A table's text read into values: shape and types, with the line.

The names are not looked up here; that is `checking.py`. Each entry stands on a line of its own,
`NAME = {...}`, so that every finding can point at it.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from fsm_agent.errors import DeclarationError
from fsm_agent.machine.rows import Ask, Row, State
from fsm_agent.machine.table import Table

Caption = Annotated[str, Meta(pattern=r"\A.*\S.*\Z")]
Name = Annotated[str, Meta(pattern=r"\A[A-Za-z]\w*\Z")]
Names = Annotated[tuple[Name, ...], Meta(min_length=1)]
Address = Annotated[str, Meta(pattern=r"\A[A-Za-z]\w*\.[A-Za-z]\w*\Z")]
Shape = TypeVar("Shape", bound=Struct)

_HEADER = re.compile(r"[ \t]*\[+[ \t]*([^\]]*?)[ \t]*\]")
_ENTRY = re.compile(r"[ \t]*([A-Za-z]\w*)[ \t]*=", re.ASCII)
_AT_LINE = re.compile(r"at line (\d+)")
_NAMED = re.compile(r"(\w+)`")


class _File(Struct, forbid_unknown_fields=True):
    machine: dict[str, Any]
    states: dict[str, Any]
    rows: dict[str, Any]
    asks: dict[str, Any] = {}
    watch: dict[str, Any] = {}  # what moves a watcher: for `audit/` to read


class _Machine(Struct, forbid_unknown_fields=True):
    name: Name
    version: int
    caption: Caption
    initial: Name


class _State(Struct, forbid_unknown_fields=True):
    caption: Caption
    final: bool = False
    does: Name | None = None
    on_crash: Name | None = None
    violation: bool = False


class _Ask(Struct, forbid_unknown_fields=True):
    of: Names
    caption: Caption
    bounded: tuple[Name, ...] = ()


class _Row(Struct, forbid_unknown_fields=True, rename={"source": "from"}):
    source: Name | Names
    on: Name
    to: Name | None = None
    when: dict[Name, Name | Names] = {}
    emits: tuple[Name, ...] = ()
    sends: tuple[Address, ...] = ()


class _Source:
    """A table's text, parsed, and where in it each entry stands."""

    def __init__(self, text: str, path: PurePath) -> None:
        self.path = path
        self.lines = _lines(text)
        try:
            parsed = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # ValueError: a number of 5,000 digits, too
            place = _AT_LINE.search(str(error))
            line = int(place[1]) if place else text.rstrip().count("\n") + 1
            raise DeclarationError(path, line, str(error)) from error
        self.file = self.section("", parsed, _File)

    def section(self, name: str, value: dict[str, Any], shape: type[Shape]) -> Shape:
        """The shape of a whole section; a fault stands at the key it names, or at the header."""
        try:
            return msgspec.convert(value, shape)
        except msgspec.ValidationError as error:
            key = _NAMED.findall(str(error))[-1]
            line = self.lines.get((name, key), [self.header(name)])[0]
            raise DeclarationError(self.path, line, str(error)) from error

    def entries(
        self, section: str, values: dict[str, Any], shape: type[Shape]
    ) -> Iterator[tuple[str, Shape, int]]:
        """The name, the shape and the line of each entry of a section."""
        for name, value in values.items():
            line = self.line(section, name)
            try:
                yield name, msgspec.convert(value, shape), line
            except msgspec.ValidationError as error:
                raise DeclarationError(self.path, line, f"{name}: {error}") from error

    def line(self, section: str, name: str) -> int:
        """The line of an entry, which must have one of its own."""
        places = self.lines.get((section, name), [])
        if len(places) == 1:
            return places[0]
        nested = self.lines.get(("", f"{section}.{name}"), [])
        message = f"'{name}' must stand once in [{section}], as NAME = {{...}} on one line"
        raise DeclarationError(self.path, [self.header(section), *nested, *places][-1], message)

    def header(self, section: str) -> int:
        """The line where the section begins."""
        return self.lines.get(("", section), [1])[0]

    def first(self, section: str) -> int:
        """The line where the section, or one inside it, begins first."""
        headers = ((name, at) for (above, name), at in self.lines.items() if not above)
        return min(
            (at[0] for name, at in headers if f"{name}.".startswith(f"{section}.")), default=1
        )


def _lines(text: str) -> dict[tuple[str, str], list[int]]:
    """The lines on which an entry seems to begin, by section and name; ("", section): a header."""
    lines: dict[tuple[str, str], list[int]] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            section = header[1]
            lines.setdefault(("", section), []).append(number)
        elif entry := _ENTRY.match(line):
            lines.setdefault((section, entry[1]), []).append(number)
    return lines


def _tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def read_table(text: str, path: PurePath) -> Table:
    """Read a table's TOML.

    Args:
        text: The file's text.
        path: Where it came from, for messages only.

    Raises:
        DeclarationError: If it is not TOML, or an entry has not the shape of the format.
    """
    source = _Source(text, path)
    file = source.file
    machine = source.section("machine", file.machine, _Machine)
    return Table(
        name=machine.name,
        version=machine.version,
        caption=machine.caption,
        initial=machine.initial,
        states={
            name: State(s.caption, s.final, s.does, s.on_crash, line, s.violation)
            for name, s, line in source.entries("states", file.states, _State)
        },
        asks={
            name: Ask(a.of, a.caption, a.bounded, line)
            for name, a, line in source.entries("asks", file.asks, _Ask)
        },
        rows=tuple(
            Row(
                id=name,
                source=_tuple(r.source),
                on=r.on,
                to=r.to,
                when={ask: _tuple(taken) for ask, taken in r.when.items()},
                emits=r.emits,
                sends=r.sends,
                line=line,
            )
            for name, r, line in source.entries("rows", file.rows, _Row)
        ),
        line=source.lines.get(("machine", "initial"), [1])[0],
        watch=source.first("watch") if file.watch else 0,
    )


def digest(data: bytes) -> str:
    """The SHA-256 of a table file's bytes, as 64 hex digits: the table's name in a log."""
    return hashlib.sha256(data).hexdigest()
