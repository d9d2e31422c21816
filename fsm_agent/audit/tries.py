"""Rules about how often a request is tried, and what closes it."""

from __future__ import annotations

from collections.abc import Mapping

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.events import derived as d
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Failure
from fsm_agent.lifecycles.asks import ONE_MORE_TRY
from fsm_agent.lifecycles.facts import Turn

SUMMARISER = "compaction"
"""The instance that asks for summaries."""
DROPS = frozenset({"interrupt", "crashed"})
"""Triggers that end a summary under way; its request is closed by that."""


class Tries(Monitor):
    """FSA033; what it says of a turn's end stands in `runs`."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._summary: int | None = None
        """The request for a summary that nothing has closed yet."""

    def handlers(self) -> Mapping[type, Handler]:
        """Requests, pauses, and what closes a request."""
        return {
            d.SendRequest: self._request,
            d.Summarise: self._summarise,
            d.Retry: self._retry,
            d.Sleep: self._sleep,
            d.Error: self._error,
            d.Stop: self._stop,
            d.ContextUpdate: self._update,
            d.Transition: self._transition,
        }

    def batch_ends(self) -> None:
        """Where nobody waits for a summary, none is asked for."""
        at = self._evidence.world.at.get(SUMMARISER, "idle")
        if self._summary is not None and at == "idle":
            last = self._evidence.batch.lines[-1]
            self._found(f"request {self._summary} for a summary is not closed", last)
            self._summary = None

    def _request(self, _: d.SendRequest, line: Line) -> None:
        request = self._evidence.world.turn.request
        if request is not None:
            self._found(f"request {request} was not closed before", line)

    def _summarise(self, _: d.Summarise, line: Line) -> None:
        if self._summary is not None:
            self._found(f"request {self._summary} was not closed before", line)
        self._summary = line.seq

    # -- tries -----------------------------------------------------------------------------------

    def _retry(self, event: d.Retry, line: Line) -> None:
        world = self._evidence.world
        trying, most = world.trying(event.instance), world.settings.max_retries
        if event.error in ONE_MORE_TRY:
            most = max(most, 1)
        if event.attempt != trying.tries + 1:
            self._found(f"try {event.attempt} after {trying.tries} tries", line)
        if event.error == "context_overflow":
            if not isinstance(trying, Turn) or trying.overflowed:
                self._found("the context was cut once already for this turn's overflow", line)
        elif event.attempt > most:
            self._found(f"try {event.attempt} of {most}", line)
        asked_for = _asked_for(trying.failure)
        if event.ms < asked_for:
            why = f"a pause of {event.ms} ms, where the server wants {asked_for} ms"
            self._found(why, line)
        self._closed(event.instance, event.of, line)

    def _sleep(self, event: d.Sleep, line: Line) -> None:
        pause = self._evidence.world.trying(event.instance).pause_ms
        if event.ms != pause:
            self._found(f"a pause of {event.ms} ms, where {pause} ms are due", line)

    # -- what closes a request -------------------------------------------------------------------

    def _error(self, event: d.Error, line: Line) -> None:
        if event.of is not None:
            self._closed(event.instance, event.of, line)

    def _stop(self, event: d.Stop, line: Line) -> None:
        self._closed(event.instance, event.of, line)

    def _update(self, event: d.ContextUpdate, line: Line) -> None:
        if event.of is not None:
            self._closed(SUMMARISER, event.of, line)

    def _transition(self, event: d.Transition, _: Line) -> None:
        if event.instance == SUMMARISER and event.trigger in DROPS:
            self._summary = None

    def _closed(self, instance: str, of: int, line: Line) -> None:
        summing = instance == SUMMARISER
        request = self._summary if summing else self._evidence.world.turn.request
        if request is None:
            self._found(f"request {of} is closed, though none is open", line)
        elif of != request:
            self._found(f"request {of} is closed, though {request} is open", line)
        if summing:
            self._summary = None

    def _found(self, message: str, line: Line) -> None:
        self._evidence.found("FSA033", message, line)


def _asked_for(failure: Failure | None) -> int:
    return (failure.retry_after_ms or 0) if failure else 0
