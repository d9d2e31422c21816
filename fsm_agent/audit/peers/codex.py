"""The rollouts of Codex: a line for each item, usage as running counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from fsm_agent.audit.peers.telling import Teller, Told, as_text, increase, parsed
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Usage


class Total(Struct):
    """Tokens since the session began; `input_tokens` holds the cached ones."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0


class Info(Struct):
    """What a count of tokens says."""

    total_token_usage: Total


class Item(Struct):
    """What a line is about."""

    type: str = ""
    role: str = ""
    content: Any = None
    name: str | None = None
    call_id: str | None = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    info: Info | None = None


class Entry(Struct):
    """A line."""

    type: str
    payload: Item
    timestamp: str = ""


class Codex(Teller[Entry]):
    """Tells such a rollout. That the model is asked again shows where the person speaks."""

    program = "Codex"
    shape = Entry

    def __init__(self) -> None:
        super().__init__()
        self._total = Usage()

    def told(self, line: Entry) -> Told:
        """What a line says."""
        return line.timestamp, list(self._told(line.type, line.payload))

    def _told(self, kind: str, item: Item) -> Iterator[Event]:
        id_ = item.call_id or ""
        match kind, item.type:
            case "event_msg", "token_count" if item.info:
                yield from self.paid(self._more(item.info.total_token_usage))
            case "response_item", "message" if item.role == "user":
                yield self.said(as_text(item.content))
                yield self.asked()
            case "response_item", "function_call":
                yield self.call(id_, item.name or "", parsed(item.arguments))
            case "response_item", "custom_tool_call":
                yield self.call(id_, item.name or "", item.input)
            case "response_item", "local_shell_call":
                yield self.call(id_, "local_shell", item.action)
            case "response_item", "function_call_output" | "custom_tool_call_output":
                yield self._output(id_, parsed(item.output))
            case _:
                pass  # of the screen, of the model's thinking, or what was said in other words

    def _output(self, id_: str, output: object) -> Event:
        """A result: a text, or an object with the text and how the command ended."""
        if not isinstance(output, dict):
            return self.result(id_, output)
        about = output.get("metadata")
        code = about.get("exit_code") if isinstance(about, dict) else None
        ok = output.get("success") is not False and code in (None, 0)
        return self.result(id_, output.get("output", output.get("content", output)), ok=ok)

    def _more(self, total: Total) -> Usage:
        """What the session took since the last count; the same count is often written twice."""
        cached = total.cached_input_tokens
        now = Usage(max(total.input_tokens - cached, 0), total.output_tokens, cached)
        before, self._total = self._total, now
        return increase(now, before)
