"""Rules about runs, turns and waiting lines."""

from __future__ import annotations

from collections.abc import Mapping

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.world import FINAL_TURN


class Runs(Monitor):
    """FSA020, 022, 024, 025, and 033 where a turn ends."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._ended = False
        """Whether the last run has said its end."""
        self._owes_crashed = False
        """Whether a resume has found something open."""
        self._persisted = False
        """Whether the turn has just passed `persist`."""

    def handlers(self) -> Mapping[type, Handler]:
        """Starts and ends of runs and turns; what takes waiting lines."""
        return {
            i.SessionStart: self._start,
            i.SessionResume: self._resume,
            d.SessionEnd: self._end,
            d.Transition: self._transition,
            d.UserLine: self._user_line,
            d.Queued: self._queued,
            d.LinesReturned: self._returned,
            i.UserTakeBack: self._taken_back,
            d.Notices: self._notices,
        }

    def batch_begins(self) -> None:
        """Is this the batch that must come now?"""
        given = self._evidence.given
        if given is None:
            return
        if self._owes_crashed and not isinstance(given.event, i.Crashed | i.SessionResume):
            self._found("FSA025", "the resume left open what the crash had left open", given)
        self._owes_crashed = False
        if self._ended and not isinstance(given.event, i.SessionResume):
            self._found("FSA020", "it comes after session_end, without a resume", given)

    def batch_ends(self) -> None:
        """At rest no line may wait."""
        world = self._evidence.world
        given = self._evidence.given
        if given is not None and isinstance(given.event, i.SessionResume):
            self._owes_crashed = bool(world.open or world.live)
        if world.waiting and world.at.get("session", "idle") == "idle":
            lost = ", ".join(f"line {seq + 1}" for seq in world.waiting)
            last = self._evidence.batch.lines[-1]
            self._found("FSA024", f"the session rests, and {lost} of the person waits on", last)

    def log_ends(self) -> None:
        """A run without an end is told, but is no breach: a crash leaves it."""
        evidence = self._evidence
        if not (self._ended or evidence.live) and evidence.world.seq:
            evidence.result.notes.append("it ends without session_end: the process died")

    def _start(self, _: i.SessionStart, line: Line) -> None:
        if line.seq:
            self._found("FSA020", "a second session_start", line)
        self._evidence.result.sessions += 1

    def _resume(self, _: i.SessionResume, __: Line) -> None:
        self._ended = False
        self._evidence.result.sessions += 1

    def _end(self, _: d.SessionEnd, line: Line) -> None:
        self._ended = True
        if live := self._evidence.world.live:
            self._found("FSA022", f"the session ends while {live} is under way", line)

    def _transition(self, event: d.Transition, line: Line) -> None:
        if event.target in FINAL_TURN:
            self._turn_ends(event, line)
        if event.target == "drain":
            self._persisted = event.source == "persist"
        elif event.source == "drain":
            self._persisted = False

    def _turn_ends(self, event: d.Transition, line: Line) -> None:
        request = self._evidence.world.turn.request
        if not (event.source == "drain" and self._persisted):
            self._found("FSA022", f"{event.instance} ends out of '{event.source}'", line)
        if request is not None:
            self._found("FSA033", f"request {request} is not closed when the turn ends", line)

    def _user_line(self, event: d.UserLine, line: Line) -> None:
        self._one(event.of, next(iter(self._evidence.world.waiting), None), "is taken", line)

    def _queued(self, event: d.Queued, line: Line) -> None:
        self._one(event.of, next(reversed(self._evidence.world.waiting), None), "is queued", line)

    def _one(self, of: int, due: int | None, what: str, line: Line) -> None:
        if of != due:
            wanted = "no line waits" if due is None else f"line {due + 1} is due"
            self._found("FSA024", f"line {of + 1} {what}, where {wanted}", line)

    def _returned(self, event: d.LinesReturned, line: Line) -> None:
        if event.of != tuple(self._evidence.world.waiting):
            self._found("FSA024", "the lines given back are not those that wait", line)

    def _taken_back(self, event: i.UserTakeBack, line: Line) -> None:
        if event.of not in self._evidence.world.waiting:
            self._found("FSA024", f"line {event.of + 1} is taken back, but does not wait", line)

    def _notices(self, event: d.Notices, line: Line) -> None:
        if event.of != tuple(self._evidence.world.pending):
            self._found("FSA024", "the notes are not those that the model has not seen", line)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)
