"""Inputs that break a property: as a table to read, as a log to walk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import DERIVED, FORMAT, GENESIS, INPUTS, Kind, Line, encode, seal
from fsm_agent.events.values import Failure
from fsm_agent.lifecycles.checking.joint import Joint, Move
from fsm_agent.lifecycles.checking.product import CRASH, Way
from fsm_agent.lifecycles.checking.walk import Finding, Path, shown
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.machine.checking import VERBS
from fsm_agent.version import __version__

ABSTRACT = "a walk through the tables alone: texts are made up, seals cover states and no more"
TIME = "1970-01-01T00:00:00.000Z"
STOPS = {"tools": "tool_use", "paused": "pause", "cut": "max_tokens", "declined": "refusal"}
"""Why the model stopped, by the answer that was given to the question `answer`."""
_REQUEST: dict[str, Any] = {"protocol": "", "model": "", "digest": "", "bytes": 0}
_CUT: dict[str, Any] = {"why": "manual", "strategy": "summary", "start": 1, "before": 0, "after": 0}
_RESUME: dict[str, Any] = {"program": __version__, "semantics": SEMANTICS, "tables": {}}
_FAILURE = {"failure": Failure("server_error", "made up")}
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "ask_user": {"name": "Call", "reason": ""},
    "broken": _FAILURE,
    "finished": {"output": ""},
    "notice": {"text": "news"},
    "rejected": _FAILURE,
    "run_tool": {"name": "Call"},
    "send_request": _REQUEST,
    "session_resume": _RESUME,
    "sleep": {"ms": 0},
    "summarise": {**_REQUEST, "shared": 0, **_CUT},
    "summarised": {"text": ""},
    "user_input": {"text": "line"},
}
"""What lines need beside their place, made up."""


def as_table(path: Path) -> Iterator[str]:
    """The inputs, the rows that each takes, and the states after it: a line each."""
    cells = [("input", "rows taken", "states after")]
    for way in path:
        who, on = way.given
        rows = " ".join(move.row.id for move in way.moves)
        cells.append((on if who == "session" else f"{who} {on}", rows, shown(way.after)))
    widths = [max(len(line[column]) for line in cells) for column in (0, 1)]
    for given, rows, after in cells:
        yield f"  {given:{widths[0]}}  {rows:{widths[1]}}  {after}"


def as_log(finding: Finding) -> bytes:
    """The inputs as a sealed log that says what it is in a note."""
    log = _Log()
    start = i.SessionStart(v=FORMAT, session="counterexample", cwd="", **_RESUME)
    log.note("input", start)
    log.close("")
    log.note("note", d.Ignored(what=f"{finding.rule}: {finding.text}", why=ABSTRACT))
    log.close("")
    for way in finding.path:
        log.take(way)
    return log.raw


class _Log:
    """A log that grows by batches."""

    def __init__(self) -> None:
        self.raw, self._hash, self._seq = b"", GENESIS, 0
        self._lines: list[Line] = []
        self._names: dict[str, str] = {}
        self._open: dict[str, int] = {}
        self._turns = self._calls = 0

    def note(self, kind: Kind, event: Event, cause: int | None = None) -> int:
        """Add a line; return its place."""
        self._lines.append(Line(self._seq, TIME, kind, event, cause))
        self._seq += 1
        return self._seq - 1

    def close(self, state: str) -> None:
        """Seal the lines since the last batch."""
        digest = hashlib.sha256(state.encode()).hexdigest()[:16]
        raw, self._hash = seal([encode(line) for line in self._lines], self._hash, digest)
        self.raw += raw
        self._lines = []

    def take(self, way: Way) -> None:
        """One input with all that follows; a crash is two inputs."""
        if way.given != CRASH:
            self._batch(way.given[1], way.given[0], way.moves, way.after)
            return
        self._batch("session_resume", "session", way.moves[:1], way.after)
        if way.moves[1:]:
            self._batch("crashed", "session", way.moves[1:], way.after)

    def _batch(self, on: str, who: str, moves: tuple[Move, ...], after: Joint) -> None:
        asks = next((move for move in moves if ("answer", "tools") in move.answers), None)
        known = {*after.at, *(move.instance for move in moves)}
        calls = [name for name in sorted(known) if asks and name.startswith("tool-")]
        at: dict[str, Any] = {"instance": self._name(who), "activity": self._open.get(who, 0)}
        kept = [
            self.note("input", i.ToolCall(**at, n=n, name="Call", id=name, input={}))
            for n, name in enumerate(calls)
        ]
        last: dict[str, int] = {}
        given = self.note("input", self._input(on, at, moves))
        for move in moves:
            cause = last.get(move.by or move.instance, given)
            cause = last[move.instance] = self._move(move, cause)
            if move is asks:
                names = tuple(self._number(name) for name in calls)
                blocks = d.Blocks(
                    instance=self._name(who), of=at["activity"], kept=tuple(kept), calls=names
                )
                self.note("derived", blocks, cause)
        self.close(shown(after))

    def _name(self, instance: str) -> str:
        return self._names.get(instance, instance)

    def _number(self, call: str) -> str:
        self._calls += 1
        self._names[call] = f"tool-{self._turns}.{self._calls}"
        return self._names[call]

    def _input(self, on: str, at: Mapping[str, Any], moves: tuple[Move, ...]) -> Event:
        kind = INPUTS.get(on)
        if kind is None:
            return i.Seen(what="draft", path="")
        fields = {**FIELDS.get(on, {}), **(at if issubclass(kind, i.Outcome) else {})}
        if kind is i.Completed:
            answers = dict(moves[0].answers) if moves else {}
            fields["stop"] = STOPS.get(answers.get("answer", ""), "end_turn")
        if kind is i.PlanCommand:
            fields["verb"] = next((m.trigger for m in moves if m.trigger in VERBS), VERBS[0])
        return kind(**fields)

    def _move(self, move: Move, cause: int) -> int:
        name, row = move.instance, move.row
        if name == "turn" and move.source == "ready":
            self._turns, self._calls = self._turns + 1, 0
            self._names["turn"] = f"turn-{self._turns}"
        line = d.Transition(
            instance=self._name(name),
            row=row.id,
            trigger=move.trigger,
            source=move.source,
            target=move.target,
            answers=dict(move.answers),
            by=self._name(move.by) if move.by else None,
        )
        seq = self.note("derived", line, cause)
        if "tool_result" in row.emits:
            result = d.ToolResult(instance=self._name(name), name="Call", id=name, content="")
            self.note("derived", result, seq)
        if row.to:
            self._open.pop(name, None)
        if kind := DERIVED.get(move.does or ""):
            activity = kind(instance=self._name(name), **FIELDS.get(move.does or "", {}))
            self._open[name] = self.note("derived", activity, seq)
        return seq
