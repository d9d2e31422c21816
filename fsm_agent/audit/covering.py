"""How much of the tables logs have taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsm_agent.audit.counting import Counts, Key
from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.events import derived as d
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.world import FINAL_TOOL, FINAL_TURN
from fsm_agent.machine import Row, Table
from fsm_agent.machine.drawing import mermaid


class Covering(Monitor):
    """Counts every transition of one log."""

    def __init__(self, evidence: Evidence) -> None:
        self._counts = evidence.result.coverage = Counts(logs=1)
        self._last: dict[str, str] = {}
        """The last row of each instance that has not come to its end."""

    def handlers(self) -> Mapping[type, Handler]:
        """Transitions."""
        return {d.Transition: self._count}

    def _count(self, event: d.Transition, _: Line) -> None:
        counts, name = self._counts, event.instance
        machine = name.partition("-")[0]
        _one_more(counts.rows, (machine, event.row))
        _one_more(counts.moves, (machine, event.source, event.trigger))
        for ask, answer in event.answers.items():
            _one_more(counts.answers, (machine, ask, answer))
        before = self._last.get(name)
        if before is not None:
            _one_more(counts.pairs, (machine, before, event.row))
        if event.target in FINAL_TURN or event.target in FINAL_TOOL:
            self._last.pop(name, None)
        else:
            self._last[name] = event.row


def _one_more(counts: dict[Key, int], key: Key) -> None:
    counts[key] = counts.get(key, 0) + 1


class Share:
    """Of one machine: what is declared, and how much of it was taken."""

    def __init__(self, table: Table, counts: Counts) -> None:
        name = table.name
        self.table = table
        self.rows = {row.id: counts.rows.get((name, row.id), 0) for row in table.rows}
        self.answers = {
            f"{ask}={answer}": counts.answers.get((name, ask, answer), 0)
            for ask, declared in table.asks.items()
            for answer in declared.of
        }
        self.moves = {f"{s}/{on}": counts.moves.get((name, s, on), 0) for s, on in table.at}
        self.pairs = {
            f"{one}>{other}": counts.pairs.get((name, one, other), 0)
            for one, other in sorted(_pairs(table))
        }

    @property
    def parts(self) -> Mapping[str, Mapping[str, int]]:
        """What is counted, by its name."""
        return {
            "rows": self.rows,
            "answers": self.answers,
            "moves": self.moves,
            "pairs": self.pairs,
        }


def _pairs(table: Table) -> Iterator[tuple[str, str]]:
    """The rows that can follow each other: one ends where the other begins."""
    for row in table.rows:
        ends = {row.to} if row.to else set(row.source)
        for other in table.rows:
            if ends & set(other.source):
                yield row.id, other.id


def shares(counts: Counts, tables: Mapping[str, Table]) -> list[Share]:
    """The share of each machine, by name."""
    return [Share(tables[name], counts) for name in sorted(tables)]


def as_table(counts: Counts, tables: Mapping[str, Table]) -> str:
    """A plain table, and behind it the rows that no log took."""
    logs = "log" if counts.logs == 1 else "logs"
    lines = [f"Taken in {counts.logs} {logs}", ""]
    lines.append(f"{'machine':<12}" + "".join(f"{part:>12}" for part in _PARTS))
    for share in shares(counts, tables):
        cells = (f"{sum(map(bool, c.values()))}/{len(c)}" for c in share.parts.values())
        lines.append(f"{share.table.name:<12}" + "".join(f"{cell:>12}" for cell in cells))
    for share in shares(counts, tables):
        never = " ".join(row for row, count in share.rows.items() if not count)
        lines += [f"never in {share.table.name}: {never}"] if never else []
    return "\n".join(lines) + "\n"


_PARTS = ("rows", "answers", "moves", "pairs")


def as_data(counts: Counts, tables: Mapping[str, Table]) -> dict[str, object]:
    """The same as data: of each machine, how often each part was taken."""
    machines = {share.table.name: share.parts for share in shares(counts, tables)}
    return {"logs": counts.logs, "machines": machines}


def lcov(counts: Counts, tables: Mapping[str, Table]) -> str:
    """The same for coverage viewers: the rows as lines of `states/NAME.toml`, answers as branches."""
    lines: list[str] = []
    for share in shares(counts, tables):
        table = share.table
        lines += ["TN:", f"SF:states/{table.name}.toml"]
        for number, (answer, count) in enumerate(share.answers.items()):
            line = table.asks[answer.partition("=")[0]].line
            lines.append(f"BRDA:{line},0,{number},{count or '-'}")
        lines += [f"BRF:{len(share.answers)}", f"BRH:{sum(map(bool, share.answers.values()))}"]
        lines += [f"DA:{row.line},{share.rows[row.id]}" for row in table.rows]
        lines += [f"LF:{len(share.rows)}", f"LH:{sum(map(bool, share.rows.values()))}"]
        lines.append("end_of_record")
    return "\n".join(lines) + "\n"


def picture(counts: Counts, table: Table) -> str:
    """The machine's picture with how often each edge was taken; what never was is red."""
    share = Share(table, counts)
    taken = iter([share.rows[row.id] for row in _drawn(table) for _ in row.source])
    lines = [
        f"{line} ×{next(taken)}" if " --> " in line and " : " in line else line
        for line in mermaid(table).splitlines()
    ]
    entered = {row.to for row in table.rows if row.to and share.rows[row.id]}
    reached = {table.initial, *entered} if any(share.rows.values()) else set()
    for colour, states in (("green", reached), ("red", set(table.states) - reached)):
        if states:
            lines.append(f"    classDef {colour} stroke:{colour},color:{colour}")
            lines.append(f"    class {', '.join(sorted(states))} {colour}")
    return "\n".join(lines) + "\n"


def _drawn(table: Table) -> list[Row]:
    """The rows in the order in which the picture draws them."""
    return sorted(table.rows, key=lambda row: row.id)
