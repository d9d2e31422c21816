"""OpenAI's chat completions and their relatives: answers.

The grammar is loose and servers bend it further, so: one choice only, usage replaces and
never adds, empty strings count as absent. A message that was not streamed is one delta. The
message has one field for text and one for reasoning; so have the blocks, at most one of each.
"""

from __future__ import annotations

import io
from typing import Any

import msgspec

from fsm_agent.dialects.calls import OpenCall
from fsm_agent.dialects.compat import Compat
from fsm_agent.dialects.decoding import AnswerDecoder, tolerant
from fsm_agent.dialects.openai_chat_calls import OpenCalls
from fsm_agent.dialects.openai_chat_wire import Chunk, Part, WireDelta, usage
from fsm_agent.dialects.protocol import Delta
from fsm_agent.dialects.reasoning_details import merge, said
from fsm_agent.dialects.spelling import clean, encode
from fsm_agent.dialects.think_tags import ThinkTags
from fsm_agent.events.values import (
    NO_NATIVE,
    Block,
    Failure,
    StopReason,
    TextBlock,
    ThinkingBlock,
    Usage,
)

_decode = msgspec.json.Decoder(Chunk, strict=False).decode

_STOPS: dict[str, StopReason] = {
    "stop": "end_turn",
    "end": "end_turn",
    "eos": "end_turn",
    "end_turn": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "model_length": "max_tokens",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "model_context_window_exceeded": "context_overflow",
}
_CUTTING = (None, "max_tokens", "context_overflow", "content_filter", "refusal")
"""Ends that may fall into the middle of a call."""

_FAILED_STOPS = {
    "insufficient_system_resource": Failure(
        "overloaded", "the server ran out of resources", retry=True
    ),
    "network_error": Failure(
        "server_error", "the server lost its connection to the model", retry=True
    ),
    "error": Failure("server_error", "the server broke off with an error", retry=True),
}


class ChatDecoder(AnswerDecoder):
    """Reads one answer of a chat completion."""

    def __init__(self, server: Compat, content_type: str, key: str) -> None:
        super().__init__(content_type, key)
        self._server = server
        self._tags = ThinkTags() if server.think_tags else None
        self._order: list[io.StringIO | OpenCall] = []
        self._text = io.StringIO()
        self._thinking = io.StringIO()
        self._field = ""
        self._details: list[dict[str, Any]] = []
        self._refused = False
        self._calls = OpenCalls()
        self._tokens: Any = None

    def _take(self, name: bytes, data: bytes, out: list[Delta]) -> None:
        if not data.startswith(b"{"):
            self._other(name, data.strip(), out)
            return
        try:
            chunk = _decode(data)
        except msgspec.DecodeError:
            chunk = tolerant(data, Chunk)
        self.progress += name != b"ping"
        tokens = chunk.usage or (chunk.x_groq and chunk.x_groq.usage)
        if chunk.choices:
            # Some servers leave the index out, or count wrongly: then it is the first one.
            choice = next((c for c in chunk.choices if c.index == 0), chunk.choices[0])
            tokens = tokens or choice.usage
            if self._stop is None:  # behind the end only usage counts
                delta = choice.delta or choice.message
                if delta is not None:
                    self._add(delta, out)
                if choice.finish_reason:
                    self._finish(choice.finish_reason, chunk.error)
        if tokens:
            self._tokens = tokens
        if chunk.error or name == b"error":
            self._report(chunk.error or msgspec.json.decode(data))

    def _other(self, name: bytes, data: bytes, out: list[Delta]) -> None:
        """Data that does not start as an object: the end mark, a bare error, nothing."""
        if data.startswith(b"{"):
            self._take(name, data, out)
        elif data.startswith(b"[DONE]"):
            if self._server.done_ends and self._stop is None:
                self._stop = "end_turn"
            self.ended = True
        elif name == b"error":
            self._report(data.decode("utf-8", "replace"))
        elif data:
            raise msgspec.DecodeError("an event holds no JSON object")

    def _finish(self, reason: str, error: object) -> None:
        if reason in _FAILED_STOPS:
            self._report(error) if error else self._fail(_FAILED_STOPS[reason])
            return
        if reason not in _STOPS:
            self._warnings.append(f"unknown finish reason {reason!r}, taken as the end")
        stop = _STOPS.get(reason, "end_turn")
        self._stop = "refusal" if self._refused and stop == "end_turn" else stop

    def _add(self, delta: WireDelta, out: list[Delta]) -> None:
        if delta.reasoning_details:
            self._details_came(delta, out)
        elif delta.reasoning_content or delta.reasoning or delta.reasoning_text:
            self._reasoning_came(delta, out)
        content = delta.content
        if content:
            if isinstance(content, str):
                self._say(content, out)
            else:
                for part in content:
                    self._part(part, out)
        if delta.refusal:
            self._refused = True
            self._say(delta.refusal, out)
        for wire in delta.tool_calls or ():
            opened = self._calls.add(wire, out)
            if opened is not None:
                self._order.append(opened)

    def _reasoning_came(self, delta: WireDelta, out: list[Delta]) -> None:
        if delta.reasoning_content:
            self._think(delta.reasoning_content, "reasoning_content", out)
        elif delta.reasoning:
            self._think(delta.reasoning, "reasoning", out)
        else:
            self._think(delta.reasoning_text or "", "reasoning_text", out)

    def _details_came(self, delta: WireDelta, out: list[Delta]) -> None:
        details = delta.reasoning_details or []
        merge(self._details, details)
        text = delta.reasoning or delta.reasoning_content or said(details)
        self._think(text, "reasoning_details", out)

    def _part(self, part: Part, out: list[Delta]) -> None:
        if part.type == "thinking":
            inner = part.thinking
            text = inner if isinstance(inner, str) else "".join(p.text or "" for p in inner or ())
            self._think(text, "content", out)
        elif part.text:
            self._say(part.text, out)

    def _say(self, text: str, out: list[Delta]) -> None:
        if self._tags is not None:
            thinking, text = self._tags.feed(text)
            if thinking:
                self._think(thinking, self._server.reasoning, out)
            if not text:
                return
        if not self._text.tell():
            self._order.append(self._text)
        self._text.write(text)
        out.append(Delta("text", clean(text)))

    def _think(self, text: str, field: str, out: list[Delta]) -> None:
        if not self._field:
            self._order.append(self._thinking)
            self._field = field
        if text:
            self._thinking.write(text)
            out.append(Delta("thinking", clean(text)))

    def _blocks(self, stop: StopReason | None) -> list[Block]:
        thinking, text = self._tags.rest() if self._tags else ("", "")
        parts = list(self._order)
        parts += [self._thinking] if thinking and self._thinking not in parts else []
        parts += [self._text] if text and self._text not in parts else []
        blocks: list[Block] = []
        for part in parts:
            if isinstance(part, OpenCall):
                blocks.append(part.block(cut=stop in _CUTTING, stopped=stop is not None))
            elif part is self._text:
                text = clean(part.getvalue() + text)
                blocks.append(TextBlock(text, partial=stop is None))
            else:
                said = clean(part.getvalue() + thinking)
                said = said.strip() if self._tags else said
                blocks.append(ThinkingBlock(said, self._native(), partial=stop is None))
        return blocks

    def _native(self) -> msgspec.Raw:
        """What a thinking block's text and the server's usual field do not say already."""
        if self._details:
            return msgspec.Raw(encode(self._details))
        if self._field in ("", self._server.reasoning):
            return NO_NATIVE
        return msgspec.Raw(encode(self._field))

    def _usage(self) -> Usage | None:
        return usage(self._tokens)
