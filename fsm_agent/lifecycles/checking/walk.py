"""Every joint state that can be reached, and what holds in all."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Hashable, Iterator, Mapping

import msgspec

from fsm_agent.lifecycles.checking.joint import Joint
from fsm_agent.lifecycles.checking.product import CRASH, Product, Way
from fsm_agent.machine import Table

Path = tuple[Way, ...]
"""Inputs from the beginning of a log, each with the way it went."""
PROPERTIES = {
    "matched": "every trigger finds a row",
    "rows": "every row is taken, every state reached",
    "moves": "what is under way can go on",
    "ends": "what is under way comes to an end without a person",
    "closing": "every turn ends through persist and drain",
    "answered": "every call has one result before the model is asked again",
    "judged": "no call runs unless it is allowed at that moment",
    "still": "after an interrupt or a crash nothing begins before a person speaks",
    "lines": "where the session rests, no line of the person waits",
    "recovery": "after a crash nothing is open, and no turn is live",
}
"""What is proved, by name."""


class Finding(msgspec.Struct, frozen=True):
    """A property that does not hold, and the shortest inputs that show it, if inputs can."""

    rule: str
    text: str
    path: Path = ()


class Walk:
    """A walk through the product of tables, breadth first, with what it has found.

    Attributes:
        findings: For each property that is broken the first finding; one for each dead row.
        counts: How often each property was looked at.
        worlds: How many joint states there are.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        tools: int = 2,
        limits: Mapping[str, Collection[str]] | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self._product, self._tables = Product(tables, tools, limits or {}, exact=exact), tables
        self._found: dict[str, Finding] = {}
        self._taken: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], tuple[Hashable, Way]] = {}
        self._ahead: dict[Hashable, set[Hashable]] = {}
        start = self._product.start()
        self._came: dict[Hashable, tuple[Hashable, Way] | None] = {self._product.key(start): None}
        self._given: Counter[str] = Counter()
        self._queue = deque([start])
        while self._queue:
            self._visit(self._queue.popleft())
        self._look_for_circles()
        self.worlds = len(self._came)
        self.counts = self._counts()
        self.findings = [*self._found.values(), *self._dead()]

    def _visit(self, joint: Joint) -> None:
        product, key = self._product, self._product.key(joint)
        ahead = self._ahead[key] = set()
        outcomes = product.outcomes(joint)
        if not outcomes and not product.rests(joint):
            self._find("moves", f"nothing moves it on: {shown(joint)}", self.path(key))
        for given in (*outcomes, *product.others(joint)):
            for way in product.ways(joint, given):
                reached = self._note(key, way)
                if reached is not None and given in outcomes:
                    ahead.add(reached)

    def _note(self, key: Hashable, way: Way) -> Hashable | None:
        """Count a way; return where it leads, unless it breaks a property."""
        self._given[way.given[1]] += 1
        rows = [move.id for move in way.moves]
        self._taken.update(rows)
        new = [row for row in rows if row not in self._first]
        self._first.update(dict.fromkeys(new, (key, way)))
        if way.after.flaw:
            self._find(*way.after.flaw, (*self.path(key), way))
            return None
        if way.given == CRASH and not self._product.rests(way.after):
            self._find("recovery", f"still open: {shown(way.after)}", (*self.path(key), way))
        if way.after.lines and self._product.rests(way.after):
            self._find("lines", f"a line waits: {shown(way.after)}", (*self.path(key), way))
        reached = self._product.key(way.after)
        if reached not in self._came:
            self._came[reached] = key, way
            self._queue.append(way.after)
        return reached

    def _find(self, rule: str, text: str, path: Path) -> None:
        self._found.setdefault(rule, Finding(rule, text, path))

    def path(self, key: Hashable) -> Path:
        """The shortest inputs that lead to a joint state."""
        ways = []
        while (came := self._came[key]) is not None:
            key, way = came
            ways.append(way)
        return tuple(reversed(ways))

    def _look_for_circles(self) -> None:
        """Take away what ends, from the end on; what is left goes around."""
        before = defaultdict[Hashable, list[Hashable]](list)
        for key, ahead in self._ahead.items():
            for reached in ahead:
                before[reached].append(key)
        left = {key: len(ahead) for key, ahead in self._ahead.items()}
        ended = [key for key, count in left.items() if not count]
        while ended:
            for key in before[ended.pop()]:
                left[key] -= 1
                if not left[key]:
                    ended.append(key)
        around = self._around({key: None for key in self._came if left[key]})
        if around:
            self._find("ends", f"again and again: {shown(around[-1].after)}", around)

    def _around(self, circling: Collection[Hashable]) -> Path:
        """The first way into a circle and once around it, by outcomes only."""
        product = self._product
        for key in circling:
            paths, seen = deque([self.path(key)]), set[Hashable]()
            while paths:
                path = paths.popleft()
                joint = path[-1].after
                for way in (w for g in product.outcomes(joint) for w in product.ways(joint, g)):
                    reached = product.key(way.after)
                    if reached == key:
                        return (*path, way)
                    if reached in circling and reached not in seen:
                        seen.add(reached)
                        paths.append((*path, way))
        return ()

    def _dead(self) -> list[Finding]:
        return [
            Finding("rows", f"{name}: no input takes row {row.id}")
            for name, table in self._tables.items()
            for row in table.rows
            if (name, row.id) not in self._taken
        ]

    def _counts(self) -> dict[str, int]:
        rows = [(row, self._taken[n, row.id], t) for n, t in self._tables.items() for row in t.rows]
        turn = self._tables["turn"].states
        return {
            "matched": self._taken.total(),
            "rows": len(rows),
            "moves": self.worlds,
            "ends": sum(map(bool, self._ahead.values())),
            "closing": sum(
                n for row, n, t in rows if t.name == "turn" and row.to and turn[row.to].final
            ),
            "answered": sum(n for row, n, _ in rows if "tool_result" in row.emits),
            "judged": sum(
                n for row, n, t in rows if row.to and t.states[row.to].does == "run_tool"
            ),
            "still": sum(self._given[on] for on in ("interrupt", "leave", "crashed")),
            "lines": self._given["user_input"],
            "recovery": self._given["crashed"],
        }

    def paths(self) -> Iterator[Path]:
        """The shortest inputs to each joint state."""
        return map(self.path, self._came)

    def scenarios(self) -> list[Path]:
        """Short inputs that together take every row that can be taken."""
        left, found = set(self._first), list[Path]()
        for row, (key, way) in reversed(self._first.items()):
            if row in left:
                path = (*self.path(key), way)
                left.difference_update(move.id for given in path for move in given.moves)
                found.append(path)
        return found


def shown(joint: Joint) -> str:
    """The states of all instances, in one line."""
    return ", ".join(f"{name} {state}" for name, state in joint.at.items())
