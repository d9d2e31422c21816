"""A session as spans: OTLP JSON with OpenTelemetry's GenAI names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from fsm_agent.interfaces.exporting.transcript import (
    Answer,
    Call,
    Said,
    Text,
    Thought,
    Transcript,
    Turn,
)
from fsm_agent.version import __version__

LEAVES_OUT = frozenset(
    {"crashed", "error", "interrupt", "notice", "refusal", "retry", "seen", "session_end"}
    | {"session_fork", "session_resume", "command", "log_damage", "lines_returned"}
    | {"user_take_back", "permission"}
)
"""What is no part of a span: news of the session, and who allowed a call."""
_INTERNAL, _CLIENT = 1, 3
_ERROR = 2


def otlp(transcript: Transcript) -> bytes:
    """`resourceSpans`: a trace for each turn; in it a span a request, and one a call that ran.

    Ids are hashes of session and seq: the same log always gives the same spans.
    """
    scope = {"name": "fsm-agent", "version": __version__}
    resource = {"attributes": _attributes({"service.name": "fsm-agent"})}
    spans = [span for turn in transcript.turns for span in _Trace(transcript, turn).spans()]
    made = {
        "resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]
    }
    return msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"


class _Trace:
    """The spans of one turn."""

    def __init__(self, told: Transcript, turn: Turn) -> None:
        self._told, self._turn = told, turn
        self._id = _hash(told.session, turn.seq, "trace", 32)

    def spans(self) -> Iterator[dict[str, Any]]:
        """The turn, then its requests and calls in their order."""
        turn = self._turn
        said = [part for part in turn.parts if isinstance(part, Said)]
        answers = [part for part in turn.parts if isinstance(part, Answer)]
        facts = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "fsm-agent",
            "gen_ai.agent.version": self._told.program,
            "gen_ai.usage.input_tokens": turn.usage.prompt,
            "gen_ai.usage.output_tokens": turn.usage.output,
            "gen_ai.input.messages": _messages("user", [_text(part.text) for part in said]),
            "error.type": "" if turn.how == "answered" else turn.how,
        }
        last = max([turn.time, *(part.time for part in turn.parts)])
        yield self._span(turn, "invoke_agent fsm-agent", turn.ended or last, facts)
        for answer in answers:
            yield self._chat(answer)
            for call in answer.calls:
                if call.began:
                    yield self._tool(call, last)

    def _chat(self, answer: Answer) -> dict[str, Any]:
        usage = answer.usage
        facts: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": answer.protocol,
            "gen_ai.request.model": answer.model,
            "gen_ai.response.finish_reasons": [answer.stop] if answer.stop else [],
            "gen_ai.output.messages": _messages("assistant", _parts(answer)),
            "error.type": answer.failure.partition(":")[0],
        }
        if usage:
            facts |= {
                "gen_ai.usage.input_tokens": usage.prompt,
                "gen_ai.usage.output_tokens": usage.output,
                "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
                "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
            }
        ended = answer.ended or answer.time
        return self._span(answer, f"chat {answer.model}", ended, facts, answer.failure)

    def _tool(self, call: Call, last: str) -> dict[str, Any]:
        facts = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.call.arguments": msgspec.json.encode(call.input).decode(),
            "gen_ai.tool.call.result": call.content,
            "error.type": call.fault,
        }
        failed = "" if call.ok else call.content
        ended = call.ended or last
        return self._span(call, f"execute_tool {call.name}", ended, facts, failed, call.began)

    def _span(
        self,
        part: Turn | Answer | Call,
        name: str,
        ended: str,
        facts: Mapping[str, Any],
        failed: str = "",
        began: str = "",
    ) -> dict[str, Any]:
        session, turn = self._told.session, self._turn
        span = {
            "traceId": self._id,
            "spanId": _hash(session, part.seq, "span", 16),
            "name": name,
            "kind": _CLIENT if isinstance(part, Answer) else _INTERNAL,
            "startTimeUnixNano": _nanoseconds(began or part.time),
            "endTimeUnixNano": _nanoseconds(max(ended, began or part.time)),
            "attributes": _attributes(
                {"gen_ai.conversation.id": session, **facts, "fsm_agent.seq": part.seq}
            ),
            "status": {"code": _ERROR, "message": failed} if facts["error.type"] else {},
        }
        if part is not turn:
            span["parentSpanId"] = _hash(session, turn.seq, "span", 16)
        return span


def _hash(session: str, seq: int, what: str, digits: int) -> str:
    return sha256(f"{session} {seq} {what}".encode()).hexdigest()[:digits]


def _nanoseconds(time: str) -> str:
    """Unix time in nanoseconds, as a string, without a float on the way."""
    moment = datetime.fromisoformat(time)
    return str(int(moment.replace(microsecond=0).timestamp()) * 10**9 + moment.microsecond * 1000)


def _attributes(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": _value(value)}
        for key, value in facts.items()
        if value not in ("", [], None)
    ]


def _value(value: str | int | list[str]) -> dict[str, Any]:
    match value:
        case str():
            return {"stringValue": value}
        case int():
            return {"intValue": str(value)}
        case _:
            return {"arrayValue": {"values": [_value(one) for one in value]}}


def _messages(role: str, parts: list[dict[str, Any]]) -> str:
    """One message with these parts, in the JSON that the conventions ask for."""
    if not parts:
        return ""
    return msgspec.json.encode([{"role": role, "parts": parts}]).decode()


def _parts(answer: Answer) -> list[dict[str, Any]]:
    return [_part(part) for part in answer.parts]


def _part(part: Thought | Text | Call) -> dict[str, Any]:
    match part:
        case Thought():
            return {"type": "reasoning", "content": part.text}
        case Text():
            return _text(part.text)
        case Call():
            called = {"type": "tool_call", "id": part.id, "name": part.name}
            return {**called, "arguments": part.input}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}
