"""Rule files read: a table in the format of `states/`, and what moves it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from fsm_agent.audit.findings import Rule
from fsm_agent.errors import DeclarationError, UsageError
from fsm_agent.events.lines import KNOWN
from fsm_agent.machine import Table, read_table
from fsm_agent.machine.checking import check

Field = Annotated[str, Meta(pattern=r"\A[a-z]\w*(\.\w+)*\Z")]
Scalar: TypeAlias = str | int | bool


class Event(Struct, forbid_unknown_fields=True):
    """When a line is an event for the watcher: type, equal fields, fields that match a pattern."""

    on: str | tuple[str, ...]
    where: dict[Field, Scalar | list[Scalar]] = {}
    matches: dict[Field, str] = {}


class Sum(Struct, forbid_unknown_fields=True):
    """What is added up over the events, each field times a factor, and what is too much."""

    add: dict[Field, int]
    limit: int


class Watch(Struct, forbid_unknown_fields=True):
    """The section `watch`: what moves the machine, and for each value of which field there is one."""

    events: dict[str, Event]
    per: Field | None = None
    sums: dict[str, Sum] = {}


class Watcher(Struct, frozen=True):
    """A rule file, read: its table, and what moves it."""

    table: Table
    watch: Watch

    @property
    def rule(self) -> Rule:
        """The rule that it is."""
        why = " ".join(s.caption for s in self.table.states.values() if s.violation)
        return Rule(self.table.name, "error", self.table.caption, why, "See the team's own rules.")


def own_watchers(paths: Iterable[Path], taken: Collection[str]) -> list[Watcher]:
    """The rules of a team, each file once.

    Args:
        paths: Their files.
        taken: Names that other rules have.

    Raises:
        UsageError: If a file cannot be read, or a rule has another one's name.
        DeclarationError: If a file is not sound.
    """
    found: dict[str, Watcher] = {}
    for path in dict.fromkeys(paths):
        watcher = read_watcher(_text(path), path)
        name = watcher.rule.id
        if name in taken or name in found:
            raise UsageError(f"{path}: another rule is called '{name}' already: choose a new name")
        found[name] = watcher
    return list(found.values())


def _text(path: Path) -> str:
    if path.exists() and not (path.is_file() or path.is_dir()):  # it may never end
        raise UsageError(f"{path}: a pipe or a device: put the rules into a file")
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error


def read_watcher(text: str, path: PurePath) -> Watcher:
    """Read a rule file.

    Args:
        text: The file's text, in the format of `states/*.toml` with a section `watch`.
        path: Where it came from, for messages only.

    Raises:
        DeclarationError: If it has not the shape of the format, or says what cannot be.
    """
    table = read_table(text, path)
    line = table.watch or 1
    try:
        watch = msgspec.convert(tomllib.loads(text).get("watch", {}), Watch)
    except msgspec.ValidationError as error:
        raise DeclarationError(path, line, f"[watch]: {error}") from error
    faults = [
        *check(table, path, watcher=True),
        *(DeclarationError(path, line, f) for f in _faults(table, watch)),
    ]
    if faults:
        raise faults[0]
    return Watcher(table, watch)


def _faults(table: Table, watch: Watch) -> Iterator[str]:
    """What is wrong with a watcher beyond what is wrong with its table."""
    for name, event in watch.events.items():
        yield from (f"event '{name}': {fault}" for fault in _strange(event))
    for row in table.rows:
        if row.on not in watch.events:
            yield f"{row.id}: '{row.on}' is no event of [watch.events]"
        if row.emits or row.sends:
            yield f"{row.id}: a watcher neither emits nor sends"
    for name, ask in table.asks.items():
        if name not in watch.sums or len(ask.of) != len(WITHIN_OR_OVER):
            yield f"question '{name}' needs two answers, and a sum in [watch.sums]"
    if not any(state.violation for state in table.states.values()):
        yield "no state has violation = true: it can find nothing"


WITHIN_OR_OVER = (False, True)
"""What the two answers to a sum's question stand for."""


def _strange(event: Event) -> Iterator[str]:
    if not event.on:
        yield "'on' names no type of line"
    for kind in (event.on,) if isinstance(event.on, str) else event.on:
        if kind not in KNOWN:
            yield f"there is no type of line '{kind}'"
            continue
        known = {f.encode_name for f in msgspec.structs.fields(KNOWN[kind])}
        for field in (*event.where, *event.matches):
            if field.partition(".")[0] not in known:
                yield f"a line of type '{kind}' has no field '{field}'"
    for pattern in event.matches.values():
        try:
            re.compile(pattern)
        except re.error as error:
            yield f"{pattern!r} is no regular expression: {error}"


@cache
def built_in() -> tuple[Watcher, ...]:
    """The built-in rules that are watchers."""
    room = files("fsm_agent") / "audit" / "watches"
    found = sorted((f for f in room.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(read_watcher(f.read_text(encoding="utf-8"), PurePath(f.name)) for f in found)
