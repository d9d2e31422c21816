"""Anthropic's messages: answers.

Blocks are kept by index and may overlap. What we do not understand is kept as it came, to go back
as it came. A message that was not streamed is a start that holds everything.
"""

from __future__ import annotations

import io
from typing import Any, Literal

import msgspec

from fsm_agent.dialects.calls import OpenCall
from fsm_agent.dialects.counting import count
from fsm_agent.dialects.decoding import AnswerDecoder, healed, tolerant
from fsm_agent.dialects.protocol import Delta
from fsm_agent.dialects.spelling import clean, encode, one_line
from fsm_agent.events.values import (
    NO_NATIVE,
    Block,
    StopReason,
    TextBlock,
    ThinkingBlock,
    Usage,
)

Item = dict[str, msgspec.Raw]
"""A provider's block: its fields, each as its bytes."""


class WireDelta(msgspec.Struct, gc=False):
    """What an event adds: to a block, or to the message."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None
    stop_details: Any = None


class WireMessage(msgspec.Struct, gc=False):
    """A message, whole or only begun."""

    id: str = ""
    content: list[Item] | None = None
    stop_reason: str | None = None
    stop_details: Any = None
    usage: dict[str, Any] | None = None
    input_transformations: list[Any] | None = None


class Frame(WireMessage, gc=False):
    """One event, or a whole message."""

    type: str = ""
    index: int = 0
    message: WireMessage | None = None
    content_block: Item | None = None
    delta: WireDelta | None = None
    error: Any = None


_decode = msgspec.json.Decoder(Frame).decode
_text = msgspec.json.Decoder(str).decode

_STOPS: dict[str, StopReason] = {
    "end_turn": "end_turn",
    "tool_use": "tool_use",
    "max_tokens": "max_tokens",
    "stop_sequence": "stop_sequence",
    "pause_turn": "pause",
    "compaction": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_overflow",
}
_CUTTING = (None, "max_tokens", "context_overflow", "refusal")
"""Ends that may fall into the middle of a call."""


class OpenBlock:
    """A block that is still coming: what it started with, and what was added."""

    def __init__(self, item: Item) -> None:
        self.type = _string(item, "type")
        self.item = item
        self.stopped = False
        self.text = io.StringIO()
        self.text.write(_string(item, self.type))
        self.call = OpenCall(_string(item, "name"), _string(item, "id"))

    def block(self, stop: StopReason | None) -> Block:
        """The block as it stands."""
        partial, said = not self.stopped, self.text.getvalue()
        text = clean(said)
        match self.type:
            case "text":
                return TextBlock(text, partial=partial)
            case "thinking":
                item = {**self.item, "thinking": msgspec.Raw(encode(said))}
                return ThinkingBlock(text, NO_NATIVE if partial else _native(item), partial)
            case "redacted_thinking":
                return ThinkingBlock("", _native(self.item), partial)
            case "tool_use":
                if not self.call.begun and "input" in self.item:
                    self.call.add(bytes(self.item["input"]).decode())
                return self.call.block(cut=stop in _CUTTING, stopped=self.stopped)
            case _:
                return TextBlock("", _native({**self.item, **self._input()}), partial)

    def _input(self) -> Item:
        """The input of a call of a server's own tool, where it came in pieces."""
        if not self.call.begun:
            return {}
        call = self.call.block(cut=True)
        return {"input": call.native if bytes(call.native) else _raw(call.input)}


class MessagesDecoder(AnswerDecoder):
    """Reads one message."""

    def __init__(self, content_type: str, key: str) -> None:
        super().__init__(content_type, key)
        self._id: str | None = None
        self._open: dict[int, OpenBlock] = {}
        self._tokens: dict[str, Any] = {}

    def _take(self, name: bytes, data: bytes, out: list[Delta]) -> None:
        if not data.startswith(b"{"):
            if name == b"error":
                self._report(data.decode("utf-8", "replace"))
            elif data.strip() and not data.strip().startswith(b"[DONE]"):
                raise msgspec.DecodeError("an event holds no JSON object")
            return
        frame = _frame(data)
        self.progress += frame.type != "ping"
        match frame.type:
            case "content_block_delta":
                self._add(frame, out)
            case "content_block_start":
                self._begin(frame.index, frame.content_block or {}, out)
            case "content_block_stop" if frame.index in self._open:
                self._open[frame.index].stopped = True
            case _ if frame.error is not None or name == b"error":
                self._report(frame.error or msgspec.json.decode(data))
            case _:
                self._message_event(frame, out)

    def _message_event(self, frame: Frame, out: list[Delta]) -> None:
        match frame.type:
            case "message_start":
                self._start_message(frame.message or WireMessage(), out)
            case "message":
                self._start_message(frame, out)
                for block in self._open.values():
                    block.stopped = True
            case "message_delta":
                self._count(frame.usage)
                if frame.delta is not None:
                    self._end(frame.delta.stop_reason, frame.delta.stop_details)
            case "message_stop":
                self.ended = self._stop is not None
            case _:  # a ping, or something new
                pass

    def _start_message(self, message: WireMessage, out: list[Delta]) -> None:
        if self._id is not None:
            if message.id == self._id:
                return
            # A gateway has begun anew inside the same body: what came before is void.
            self._open.clear()
            self._tokens.clear()
            self._stop = None
        self._id = message.id
        self._count(message.usage)
        if message.input_transformations:
            changes = message.input_transformations
            kinds = {str(change.get("type")) for change in changes if isinstance(change, dict)}
            self._warnings.append(f"the server changed the request: {', '.join(sorted(kinds))}")
        for index, item in enumerate(message.content or ()):
            self._begin(index, item, out)
        self._end(message.stop_reason, message.stop_details)

    def _begin(self, index: int, item: Item, out: list[Delta]) -> None:
        block = self._open[index] = OpenBlock(item)
        if block.type == "tool_use":
            out.append(Delta("call", block.call.name))
        elif block.text.tell():
            kind: Literal["text", "thinking"] = "text" if block.type == "text" else "thinking"
            out.append(Delta(kind, block.text.getvalue(), index))

    def _add(self, frame: Frame, out: list[Delta]) -> None:
        block, delta = self._open.get(frame.index), frame.delta
        if block is None or delta is None:
            return
        if delta.type == "text_delta" and delta.text:
            block.text.write(delta.text)
            out.append(Delta("text", clean(delta.text), frame.index))
        elif delta.type == "thinking_delta" and delta.thinking:
            block.text.write(delta.thinking)
            out.append(Delta("thinking", clean(delta.thinking), frame.index))
        elif delta.type == "input_json_delta" and delta.partial_json:
            block.call.add(delta.partial_json)
            if block.type == "tool_use":
                out.append(Delta("arguments", clean(delta.partial_json)))
        elif delta.type == "signature_delta" and delta.signature is not None:
            block.item["signature"] = _raw(delta.signature)

    def _count(self, usage: dict[str, Any] | None) -> None:
        """Usage is cumulative: what is there replaces what was."""
        self._tokens |= {name: v for name, v in (usage or {}).items() if v is not None}

    def _end(self, reason: str | None, details: object) -> None:
        if not reason:
            return
        if reason not in _STOPS:
            self._warnings.append(f"unknown stop reason {reason!r}, taken as the end")
        self._stop = _STOPS.get(reason, "end_turn")
        if isinstance(details, dict):
            said = [str(details[k]) for k in ("category", "explanation") if details.get(k)]
            self._warnings.append(": ".join([reason, *said]))

    def _blocks(self, stop: StopReason | None) -> list[Block]:
        return [self._open[index].block(stop) for index in sorted(self._open)]

    def _usage(self) -> Usage | None:
        if not self._tokens:
            return None
        details = self._tokens.get("output_tokens_details")
        return Usage(
            count(self._tokens, "input_tokens"),
            count(self._tokens, "output_tokens"),
            count(self._tokens, "cache_read_input_tokens"),
            count(self._tokens, "cache_creation_input_tokens"),
            count(details, "thinking_tokens") if isinstance(details, dict) else 0,
        )


def _frame(data: bytes) -> Frame:
    """One event. A half of a surrogate pair waits in a delta for its other half."""
    try:
        return _decode(data)
    except msgspec.DecodeError:
        try:
            return tolerant(data, Frame)
        except msgspec.DecodeError:  # blocks are kept as bytes, and bytes hold no halves
            return _decode(healed(data))


def _native(item: Item) -> msgspec.Raw:
    return msgspec.Raw(one_line(encode(item)))


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(encode(value))


def _string(item: Item, name: str) -> str:
    try:
        return _text(item[name]) if name in item else ""
    except msgspec.ValidationError:  # null, or something new
        return ""
