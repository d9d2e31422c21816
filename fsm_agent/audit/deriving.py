"""Rules that re-derive digests: what a request and a state must have been.

They keep the whole conversation, as the program does, so they are looked at only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.errors import FsmAgentError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.bodies import Body, summary_of
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.lifecycles.world import World, digest


class Deriving(Monitor):
    """FSA016, 032, 038."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._ours = True
        """Whether what is derived now is what this program would derive."""

    def handlers(self) -> Mapping[type, Handler]:
        """Requests, and who wrote the log."""
        return {
            i.SessionStart: self._writer,
            i.SessionResume: self._writer,
            d.SendRequest: self._request,
            d.Summarise: self._summary,
        }

    def batch_ends(self) -> None:
        """The state's digest."""
        evidence = self._evidence
        if self._ours and digest(evidence.world) != evidence.batch.seal.state:
            why = "the state's digest is not that of the lines"
            evidence.found("FSA016", why, evidence.batch.lines[-1])
            self._ours = False  # every later one differs, too

    def _writer(self, event: i.SessionStart | i.SessionResume, _: Line) -> None:
        self._ours = event.semantics == SEMANTICS
        if not self._ours:
            note = f"digests not compared (semantics {event.semantics}, this is {SEMANTICS})"
            self._evidence.result.notes.append(note)

    def _request(self, event: d.SendRequest, line: Line) -> None:
        if body := self._made(lambda world: world.body.next(world), line):
            self._compare(event, body, line)

    def _summary(self, event: d.Summarise, line: Line) -> None:
        word, start = self._evidence.world.cutting.instruction, event.start
        if body := self._made(lambda world: summary_of(world, start, word), line):
            self._compare(event, body, line)
            if event.shared != body.size - body.tail:
                why = f"{event.shared} bytes shared, where {body.size - body.tail} are"
                self._evidence.found("FSA038", why, line)

    def _made(self, make: Callable[[World], Body], line: Line) -> Body | None:
        """The body, unless others made it, or a text of it is lost."""
        try:
            return make(self._evidence.world) if self._ours else None
        except FsmAgentError as error:
            self._evidence.found("FSA032", f"the body cannot be made: {error}", line)
            return None

    def _compare(self, event: d.SendRequest | d.Summarise, body: Body, line: Line) -> None:
        if (body.digest, body.size) != (event.digest, event.bytes):
            why = (
                f"{event.bytes} bytes {event.digest[:16]}, not {body.size} bytes {body.digest[:16]}"
            )
            self._evidence.found("FSA032", why, line)
