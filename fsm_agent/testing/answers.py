"""Answers as a protocol's events, from the values they decode to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from fsm_agent.events.values import (
    Block,
    CallBlock,
    StopReason,
    TextBlock,
    ThinkingBlock,
    Usage,
)

USAGE = Usage(input=100, output=20)

_OPENAI_STOPS: Mapping[str, str] = MappingProxyType(
    {
        "end_turn": "stop",
        "tool_use": "tool_calls",
        "max_tokens": "length",
        "content_filter": "content_filter",
    }
)
_ANTHROPIC_STOPS: Mapping[str, str] = MappingProxyType(
    {"pause": "pause_turn", "context_overflow": "model_context_window_exceeded"}
)


def openai(
    blocks: Sequence[Block],
    *,
    stop: StopReason | None = None,
    usage: Usage = USAGE,
    size: int = 8,
) -> tuple[bytes, ...]:
    """An answer in Chat Completions, an event an element.

    Args:
        blocks: Thinking goes out as `reasoning_content`.
        stop: Why it ends; without one, `tool_use` if there are calls, else `end_turn`.
        usage: What it cost.
        size: Characters of one delta.
    """
    reason = _OPENAI_STOPS[_stop(blocks, stop)]
    tokens = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
    return (
        _chunk([{"delta": {"role": "assistant", "content": ""}}]),
        *(_chunk([{"delta": delta}]) for delta in _openai_deltas(blocks, size)),
        _chunk([{"delta": {}, "finish_reason": reason}]),
        _chunk([], usage=tokens),
        b"data: [DONE]\n\n",
    )


def anthropic(
    blocks: Sequence[Block],
    *,
    stop: StopReason | None = None,
    usage: Usage = USAGE,
    size: int = 8,
) -> tuple[bytes, ...]:
    """An answer in Messages, an event an element; arguments as in `openai`."""
    reason = _stop(blocks, stop)
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "loopback",
        "content": [],
        "stop_reason": None,
        "usage": {
            "input_tokens": usage.input,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write,
            "output_tokens": 1,
        },
    }
    return (
        _event("message_start", message=message),
        *(event for n, block in enumerate(blocks) for event in _anthropic_block(n, block, size)),
        _event(
            "message_delta",
            delta={"stop_reason": _ANTHROPIC_STOPS.get(reason, reason), "stop_sequence": None},
            usage={"output_tokens": usage.output},
        ),
        _event("message_stop"),
    )


def _stop(blocks: Sequence[Block], stop: StopReason | None) -> StopReason:
    calls = any(isinstance(block, CallBlock) for block in blocks)
    return stop or ("tool_use" if calls else "end_turn")


def _openai_deltas(blocks: Sequence[Block], size: int) -> Iterator[dict[str, Any]]:
    calls = 0
    for block in blocks:
        match block:
            case ThinkingBlock():
                yield from ({"reasoning_content": piece} for piece in _pieces(block, size))
            case TextBlock():
                yield from ({"content": piece} for piece in _pieces(block, size))
            case CallBlock():
                function = {"name": block.name, "arguments": ""}
                call = {"index": calls, "id": block.id, "type": "function", "function": function}
                yield {"tool_calls": [call]}
                for piece in _pieces(block, size):
                    yield {"tool_calls": [{"index": calls, "function": {"arguments": piece}}]}
                calls += 1


def _chunk(choices: Sequence[dict[str, Any]], **more: Any) -> bytes:  # noqa: ANN401 - any JSON
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "loopback",
        "choices": [{"index": 0, "finish_reason": None} | choice for choice in choices],
    }
    return b"data: %s\n\n" % msgspec.json.encode(chunk | more)


def _anthropic_block(index: int, block: Block, size: int) -> Iterator[bytes]:
    pieces = _pieces(block, size)
    start: dict[str, Any]
    deltas: list[dict[str, str]]
    match block:
        case ThinkingBlock():
            start = {"type": "thinking", "thinking": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
            deltas.append({"type": "signature_delta", "signature": "c2lnbmVk"})
        case TextBlock():
            start = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        case CallBlock():
            start = {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    yield _event("content_block_start", index=index, content_block=start)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: Any) -> bytes:  # noqa: ANN401 - any JSON
    return b"event: %s\ndata: %s\n\n" % (
        kind.encode(),
        msgspec.json.encode({"type": kind} | fields),
    )


def _pieces(block: Block, size: int) -> Iterator[str]:
    """What the block says, or its arguments, so many characters at a time."""
    if isinstance(block, CallBlock):
        text = block.malformed or msgspec.json.encode(block.input).decode()
    else:
        text = block.text
    return (text[n : n + size] for n in range(0, len(text), size))
