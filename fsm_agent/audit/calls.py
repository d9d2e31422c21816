"""Rules about tool calls: who allowed them, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.facts import Call
from fsm_agent.policy.grants import EDITS
from fsm_agent.policy.judging import ACTING

LOOP = 3
"""So many times the same call with the same result is a loop."""
BY_MODE = {"allow": ("allow", "edits"), "deny": ("read", "plan")}
"""The modes that allow a call, or deny one, by themselves."""
_encode = msgspec.json.Encoder().encode


class Calls(Monitor):
    """FSA030, 031, 041, 050, 055, 073."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._last = b""
        """The last call with its result, and how often it came in a row."""
        self._times = 0

    def handlers(self) -> Mapping[type, Handler]:
        """What is said of calls."""
        return {
            d.Transition: self._transition,
            d.Permission: self._permission,
            d.AskUser: self._named,
            d.RunTool: self._runs,
            d.ToolResult: self._result,
        }

    def _transition(self, event: d.Transition, line: Line) -> None:
        if event.source == "tool_exec" != event.target:
            for call in self._evidence.world.turn.calls.values():
                if call.result is None:
                    self._found("FSA030", f"{call.instance} has no result", line)

    def _named(self, event: d.AskUser | d.RunTool | d.Permission, line: Line) -> Call | None:
        call = self._evidence.world.turn.calls.get(event.instance)
        if call is None:
            self._found("FSA031", f"{event.instance} is no call of the answer", line)
        elif call.line.name != event.name:
            self._found("FSA031", f"{event.name}, where the model asked for {call.line.name}", line)
        return call

    def _runs(self, event: d.RunTool, line: Line) -> None:
        call, settings = self._named(event, line), self._evidence.world.settings
        if call is None or call.line.name not in ACTING:
            return
        path = call.line.input.get("path")
        if call.line.name in EDITS and settings.draft and path == settings.draft:
            return  # anyone's, in every mode
        if settings.permission == "plan":
            self._found("FSA050", f"{event.name} runs in plan mode", line)
        elif settings.permission == "read":
            self._found("FSA055", f"{event.name} runs in read mode", line)

    def _result(self, event: d.ToolResult, line: Line) -> None:
        call = self._evidence.world.turn.calls.get(event.instance)
        if call is None:
            self._found("FSA031", f"{event.instance} is no call of the answer", line)
            return
        if (event.id, event.name) != (call.id, call.line.name):
            why = f"a result for {event.name} '{event.id}', not {call.line.name} '{call.id}'"
            self._found("FSA031", why, line)
        if call.result is not None:
            self._found("FSA030", f"{event.instance} has a result already", line)
        turn = self._evidence.world.turns
        made = _encode((turn, event.name, call.line.input, event.content))
        self._times = self._times + 1 if made == self._last else 1
        self._last = made
        if self._times == LOOP:
            self._found("FSA073", f"{event.name}: {LOOP} times the same call and result", line)

    def _permission(self, event: d.Permission, line: Line) -> None:
        call = self._named(event, line)
        allowed = event.decision == "allow"
        at = self._evidence.world.at.get(event.instance)
        if allowed == (at == "denied"):
            self._found("FSA041", f"{event.decision}, though the call goes to '{at}'", line)
        if event.layer == "person":
            given = self._evidence.given
            answer = i.Approved if allowed else i.Declined
            by = given.event if given else None
            if not isinstance(by, answer) or by.instance != event.instance:
                self._found("FSA041", f"{event.decision} by a person who was not heard", line)
        elif event.layer == "mode" and call:
            mode = self._evidence.world.settings.permission
            if mode not in BY_MODE[event.decision] or (mode == "edits" and event.name not in EDITS):
                self._found("FSA055", f"{event.decision} for {event.name} by mode '{mode}'", line)
        elif event.layer == "grant" and call and not (allowed and self._granted(call)):
            self._found("FSA041", f"{event.decision} by a standing yes never given", line)

    def _granted(self, call: Call) -> bool:
        world = self._evidence.world
        return world.grants.cover(call.line, world.cwd)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)
