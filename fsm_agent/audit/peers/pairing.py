"""Rules about calls and results that need no seal and no table of ours."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from fsm_agent.audit.calls import LOOP
from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.events.derived import ToolResult
from fsm_agent.events.inputs import Opened, ToolCall, UserInput
from fsm_agent.events.lines import Line

_encode = msgspec.json.Encoder(order="sorted").encode


class Pairing(Monitor):
    """FSA030, 031, 073 for logs of other programs."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._open: dict[str, ToolCall] = {}
        self._closed: set[str] = set()
        """Ids of the calls of this answer that have their result …"""
        self._missed: set[str] = set()
        """… and of those that had none when the model was asked again; it may come late."""
        self._last = b""
        """The last call with its result, and how often it came in a row."""
        self._times = 0

    def handlers(self) -> Mapping[type, Handler]:
        """Calls, results, and what ends a row of them."""
        return {
            UserInput: self._said,
            Opened: self._opened,
            ToolCall: self._called,
            ToolResult: self._result,
        }

    def log_ends(self) -> None:
        """What is open then is told, but is no breach: the program may have been stopped."""
        if count := len(self._open):
            calls = "call" if count == 1 else "calls"
            self._evidence.result.notes.append(f"it ends with {count} {calls} without a result")

    def _said(self, _: UserInput, __: Line) -> None:
        self._last = b""

    def _opened(self, _: Opened, line: Line) -> None:
        """The model was asked again: what its last answer called for must be there."""
        self._closed.clear()
        for id_, call in list(self._open.items()):
            if call.instance.startswith("turn-"):
                del self._open[id_]
                self._missed.add(id_)
                self._found("FSA030", f"the call {call.name} '{id_}' has no result", line)

    def _called(self, event: ToolCall, line: Line) -> None:
        if event.id in self._open:
            self._found("FSA031", f"two open calls have the id '{event.id}'", line)
        self._open[event.id] = event

    def _result(self, event: ToolResult, line: Line) -> None:
        call = self._open.pop(event.id, None)
        if call is None:
            if event.id in self._missed:
                self._missed.remove(event.id)
            elif event.id in self._closed:
                self._found("FSA030", f"the call '{event.id}' has a result already", line)
            else:
                self._found("FSA031", f"a result for '{event.id}', which no call has as id", line)
            return
        self._closed.add(event.id)
        made = _encode((call.name, call.input, event.content))
        self._times = self._times + 1 if made == self._last else 1
        self._last = made
        if self._times == LOOP:
            self._found("FSA073", f"{call.name}: {LOOP} times the same call and result", line)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)
