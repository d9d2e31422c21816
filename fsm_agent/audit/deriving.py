"""Rules that re-derive digests: what a request and a state must have been.

They keep the whole conversation, as the program does, so they are looked at only when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.errors import FsmAgentError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.lifecycles.world import digest


class Deriving(Monitor):
    """FSA016, 032."""

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
        if not self._ours:
            return
        world = self._evidence.world
        try:
            body = world.body.next(world)
        except FsmAgentError as error:
            self._evidence.found("FSA032", f"the body cannot be made: {error}", line)
            return
        if (body.digest, body.size) != (event.digest, event.bytes):
            why = (
                f"{event.bytes} bytes {event.digest[:16]}, not {body.size} bytes {body.digest[:16]}"
            )
            self._evidence.found("FSA032", why, line)
