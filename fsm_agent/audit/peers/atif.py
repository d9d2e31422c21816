"""Trajectories in ATIF: one JSON object with all steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from fsm_agent.audit.peers.telling import Teller, Told, as_text
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Usage


class Metrics(Struct):
    """Tokens of a step; `prompt_tokens` holds the cached ones."""

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cached_tokens: int | None = 0


class Call(Struct):
    """A call of a step."""

    tool_call_id: str
    function_name: str
    arguments: Any = None


class Outcome(Struct):
    """A result of a step; without `source_call_id` it is of no call."""

    source_call_id: str | None = None
    content: Any = None


class Observation(Struct):
    """The results of a step."""

    results: list[Outcome] = []


class Step(Struct):
    """A step; what a resume has copied from an earlier trajectory was paid there."""

    source: str
    message: Any = ""
    timestamp: str | None = None
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = False


class Atif(Teller[Step]):
    """Tells such a trajectory."""

    program = "an agent, as ATIF"
    shape = Step

    def told(self, line: Step) -> Told:
        """What a step says."""
        return line.timestamp or "", list(self._told(line))

    def _told(self, step: Step) -> Iterator[Event]:
        if step.source == "user":
            yield self.said(as_text(step.message))
        elif step.source == "agent":
            yield self.asked()
        for call in step.tool_calls or ():
            yield self.call(call.tool_call_id, call.function_name, call.arguments)
        if step.metrics and not step.is_copied_context:
            yield from self.paid(_usage(step.metrics))
        for outcome in step.observation.results if step.observation else ():
            if outcome.source_call_id is not None:
                yield self.result(outcome.source_call_id, outcome.content)


def _usage(metrics: Metrics) -> Usage:
    prompt, cached = metrics.prompt_tokens or 0, metrics.cached_tokens or 0
    return Usage(max(prompt - cached, 0), metrics.completion_tokens or 0, cached)
