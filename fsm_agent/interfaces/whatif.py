"""`--with`: other tables or settings, and a table of what they change."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.dialects import dialect
from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Blob, Economy
from fsm_agent.interfaces.logs import own_tables, regular, tables_in
from fsm_agent.interfaces.painting.escaping import escape_line, shorten
from fsm_agent.interfaces.reckoning import Bill
from fsm_agent.lifecycles.divergence import Divergence, fields
from fsm_agent.lifecycles.replay import Instead, Tables, TablesOf
from fsm_agent.log.blobs import BlobStore

WIDTH = 60
"""Characters of a line in the column of what was."""
KINDS = ("states", "settings")
_BETWEEN = re.compile(rf",(?=(?:{'|'.join(KINDS)})=)")


class WhatIf(msgspec.Struct, frozen=True):
    """What to decide with in place of what was recorded.

    Attributes:
        tables_of: The tables, by what the log names.
        settings: The settings, by what was recorded; none: as recorded.
    """

    tables_of: TablesOf
    settings: Instead | None = None


def what_if(blobs: BlobStore, given: str | None) -> WhatIf:
    """Read what `--with` names; without it, all is as the log says.

    Raises:
        UsageError: If it is not `states=DIR`, `settings=FILE` or both, or a setting is wrong.
        DeclarationError: If a table breaks a rule.
    """
    places = _places(given) if given is not None else {}
    tables = tables_in(places["states"]) if "states" in places else None

    def tables_of(named: Mapping[str, Blob]) -> Tables:
        return own_tables(blobs, named) if tables is None else tables

    return WhatIf(tables_of, settings_in(places["settings"]) if "settings" in places else None)


def settings_in(path: Path) -> Instead:
    """What puts a TOML file's settings in place of recorded ones.

    Raises:
        UsageError: If it cannot be read as such.
    """
    try:
        found = tomllib.loads(regular(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    weighed = found.pop("economy", {})
    if not isinstance(weighed, dict):
        raise UsageError(f"{path}: 'economy' is a table, as in [economy]")
    return _replacing(_checked(path, Settings, found), _checked(path, Economy, weighed))


def table(divergences: Sequence[Divergence]) -> Iterator[str]:
    """All differences, a line each, and how many there are of each kind."""
    yield f"{'line':>8}  {'kind':10}  {'was':{WIDTH}}  is now"
    for one in divergences:
        was, now = (shorten(escape_line(side), WIDTH) for side in sides(one))
        yield f"{one.seq + 1:8}  {one.kind:10}  {was:{WIDTH}}  {now}"
    counts = Counter(one.kind for one in divergences)
    yield ", ".join(f"{count} {kind}" for kind, count in counts.most_common())


def money(was: Bill, now: Bill) -> Iterator[str]:
    """What the session costs by estimate, as it was and with other settings."""
    yield f"{'by estimate':24}{'was':>12}{'is now':>12}"
    for name, one, other in (
        ("requests", was.requests, now.requests),
        ("summaries among them", was.summaries, now.summaries),
        ("fresh tokens", was.tokens.input, now.tokens.input),
        ("cached tokens", was.tokens.cache_read, now.tokens.cache_read),
        ("output tokens", was.tokens.output, now.tokens.output),
        ("micro-dollars", was.cost, now.cost),
    ):
        yield f"{name:24}{_figure(one):>12}{_figure(other):>12}"


def _figure(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def sides(one: Divergence) -> tuple[str, str]:
    """Both lines in short: their type, whose they are, and what differs."""
    old, new = _flat(one.recorded), _flat(one.derived)
    differ = [key for key in {**old, **new} if old.get(key) != new.get(key) and key not in _PLACE]
    return _short(old, differ), _short(new, differ)


_PLACE = frozenset({"seq", "time", "kind", "type", "cause", "instance"})


def _flat(line: str) -> dict[str, Any]:
    """A line's fields, answers beside them; of a text that is no line, the text."""
    try:
        found = fields(line.encode())
    except msgspec.DecodeError:
        return {"type": line}
    answers = found.pop("answers", {})
    return {**found, **answers}


def _short(line: Mapping[str, Any], differ: Iterable[str]) -> str:
    if not line:
        return "(no such line)"
    words = [line["type"], line.get("instance", "")]
    for key in differ:
        if key in line:
            value = line[key]
            shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            words.append(f"{key}={shown}")
    return " ".join(filter(None, words))


def _places(given: str) -> dict[str, Path]:
    places: dict[str, Path] = {}
    for part in _BETWEEN.split(given):
        what, _, place = part.partition("=")
        if what not in KINDS or not place or what in places:
            raise UsageError(f"--with takes states=DIR, settings=FILE or both, not '{given}'")
        places[what] = Path(place)
    return places


def _checked(path: Path, of: type[Settings | Economy], given: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name: field.type for field in msgspec.structs.fields(of)}
    return {key: _value(path, key, given[key], known) for key in given}


def _value(path: Path, key: str, value: object, known: Mapping[str, Any]) -> object:
    if key not in known:
        near = difflib.get_close_matches(key, known, 1, 0)
        raise UsageError(f"{path}: there is no setting '{key}'; did you mean '{near[0]}'?")
    try:
        converted: object = msgspec.convert(value, known[key])
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: '{key}': {error}") from error
    if key == "protocol":
        dialect(str(value))
    return converted


def _replacing(fields: Mapping[str, Any], weighed: Mapping[str, Any]) -> Instead:
    def instead(recorded: Settings) -> Settings:
        economy = msgspec.structs.replace(recorded.economy, **weighed)
        return msgspec.structs.replace(recorded, economy=economy, **fields)

    return instead
