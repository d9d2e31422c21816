"""Rules as machines: events move them, and some states are findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import msgspec

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.audit.rulefiles import WITHIN_OR_OVER, Event, Scalar, Watcher
from fsm_agent.events.lines import KNOWN, Line

Getter: TypeAlias = Callable[[Any], Any]


class _Match(NamedTuple):
    """When an event of a log is an event of the watcher."""

    name: str
    equal: Mapping[str, tuple[Getter, tuple[Scalar, ...]]]
    like: tuple[tuple[Getter, re.Pattern[str]], ...]

    def fits(self, event: object) -> bool:
        """Whether all its fields are as they must be."""
        for get, values in self.equal.values():
            if get(event) not in values:
                return False
        return not self.like or all(p.search(_text(get(event))) for get, p in self.like)


class Watching(Monitor):
    """One watcher at work on one log; its instances are forgotten in their final states."""

    def __init__(self, watcher: Watcher, evidence: Evidence) -> None:
        self._table, self._watch = watcher.table, watcher.watch
        self._evidence = evidence
        self._at: dict[str, str] = {}
        self._sums: dict[str, dict[str, int]] = defaultdict(dict)
        self._matches: dict[type, list[_Match]] = defaultdict(list)
        self._keys: dict[type, Getter] = {}
        self._addends: dict[type, list[tuple[str, Getter, int]]] = {}
        self._steps = {
            pair: None if self._table.questions(*pair) else rows[0].to or pair[0]
            for pair, rows in self._table.at.items()
        }
        """Where an event leads in a state that cares; None: that depends on sums."""
        for name, event in self._watch.events.items():
            for kind in _tuple(event.on):
                self._add(name, event, KNOWN[kind])

    def _add(self, name: str, event: Event, of: type) -> None:
        equal = {field: (_getter(of, field), _values(v)) for field, v in event.where.items()}
        like = tuple((_getter(of, field), re.compile(p)) for field, p in event.matches.items())
        self._matches[of].append(_Match(name, equal, like))
        self._addends[of] = [
            (ask, _getter(of, field), factor)
            for ask, sum_ in self._watch.sums.items()
            for field, factor in sum_.add.items()
        ]
        if self._watch.per is not None:
            self._keys[of] = _getter(of, self._watch.per)

    def handlers(self) -> Mapping[type, Handler]:
        """What may move it, by type of line."""
        return {of: self._looker(of, matches) for of, matches in self._matches.items()}

    def _looker(self, of: type, matches: Sequence[_Match]) -> Handler:
        """Looks for the first match; by a field that all of them ask for, if there is one."""
        key = self._keys.get(of)
        shared = [f for f in matches[0].equal if all(f in match.equal for match in matches)]
        if not shared:

            def look(event: Any, line: Line) -> None:  # noqa: ANN401 - any event
                self._try(matches, key, event, line)

            return look
        get, _ = matches[0].equal[shared[0]]
        likely: dict[object, list[_Match]] = {}
        for match in matches:
            others = {field: e for field, e in match.equal.items() if field != shared[0]}
            for value in match.equal[shared[0]][1]:
                likely.setdefault(value, []).append(match._replace(equal=others))

        def look_up(event: Any, line: Line) -> None:  # noqa: ANN401 - any event
            if found := likely.get(get(event)):
                self._try(found, key, event, line)

        return look_up

    def _try(
        self, matches: Sequence[_Match], key: Getter | None, event: object, line: Line
    ) -> None:
        for match in matches:
            if match.fits(event):
                who = key(event) if key else ""
                if who is not None:
                    self._move(match.name, _text(who), event, line)
                return

    def _move(self, name: str, key: str, event: object, line: Line) -> None:
        state = self._at.get(key, self._table.initial)
        if self._watch.sums:
            self._add_up(key, event)
        if (state, name) not in self._steps:
            return  # it does not care
        to = self._steps[state, name] or self._asked(state, name, key)
        target = self._table.states[to]
        if target.violation:
            self._evidence.found(self._table.name, target.caption, line)
        if target.final:
            self._at.pop(key, None)
            self._sums.pop(key, None)
        else:
            self._at[key] = to

    def _asked(self, state: str, name: str, key: str) -> str:
        """Where the event leads with the answers to the questions about sums."""
        asks = self._table.questions(state, name)
        row = self._table.fire(state, name, tuple((ask, self._answer(key, ask)) for ask in asks))
        return row.to or state

    def _add_up(self, key: str, event: object) -> None:
        sums = self._sums[key]
        for ask, get, factor in self._addends[type(event)]:
            sums[ask] = sums.get(ask, 0) + factor * (get(event) or 0)

    def _answer(self, key: str, ask: str) -> str:
        over = self._sums[key].get(ask, 0) > self._watch.sums[ask].limit
        return self._table.asks[ask].of[WITHIN_OR_OVER.index(over)]


def _getter(of: type, path: str) -> Getter:
    """What reads a field, by its name in the line, and what is inside it; None where it is not."""
    first, *others = path.split(".")
    fields = {f.encode_name: f.name for f in msgspec.structs.fields(of)}
    name = fields.get(first)
    if name is None:
        return lambda _: None
    if not others:
        return attrgetter(name)

    def get(event: object) -> object:
        value: Any = getattr(event, name)
        for part in others:
            value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
        return value

    return get


def _tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _values(value: Scalar | list[Scalar]) -> tuple[Scalar, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _text(value: object) -> str:
    """A value as it is looked at: texts as they are, all else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
