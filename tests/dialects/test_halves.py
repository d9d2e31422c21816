"""Characters that a server cuts in two come out whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.values import Block, CallBlock, TextBlock, ThinkingBlock

Read = Callable[..., Answer]

PIECES = ("a\ud83d", "\ude80b\ud800")
WHOLE = "a🚀b\ufffd"


def events(*values: dict[str, Any]) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def message(block: dict[str, Any], deltas: Sequence[dict[str, Any]]) -> bytes:
    """A streamed message of one block and a text."""
    added = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    return events(
        {"type": "message_start", "message": {"id": "m", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *added,
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "x"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    )


def first(answer: Answer, shown: list[Delta]) -> Block:
    """The first block of an answer in which all is well and can be shown."""
    assert answer.failure is None
    assert all(delta.text.encode() for delta in shown)
    return answer.blocks[0]


def test_halves_in_texts_of_a_message_are_joined(read: Read) -> None:
    shown: list[Delta] = []
    added = [{"type": "text_delta", "text": piece} for piece in PIECES]
    answer = read("anthropic", message({"type": "text", "text": ""}, added), deltas=shown)
    assert first(answer, shown) == TextBlock(WHOLE)


def test_halves_in_thinking_of_a_message_are_joined(read: Read) -> None:
    shown: list[Delta] = []
    added = [{"type": "thinking_delta", "thinking": piece} for piece in PIECES]
    answer = read("anthropic", message({"type": "thinking", "thinking": ""}, added), deltas=shown)
    thinking = first(answer, shown)
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.text == WHOLE
    assert json.loads(bytes(thinking.native))["thinking"] == WHOLE


def test_halves_in_arguments_of_a_message_are_joined(read: Read) -> None:
    shown: list[Delta] = []
    parts = ('{"p":"', *PIECES, '"}')
    added = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    block = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    answer = read("anthropic", message(block, added), deltas=shown)
    assert first(answer, shown) == CallBlock("Read", "t", {"p": WHOLE})


@pytest.mark.parametrize("streamed", [True, False])
def test_half_a_character_in_a_whole_block_is_replaced(read: Read, streamed: bool) -> None:
    shown: list[Delta] = []
    block = {"type": "text", "text": "a\ud800b"}
    whole = {"type": "message", "id": "m", "stop_reason": "end_turn", "content": [block]}
    data = message(block, []) if streamed else json.dumps(whole).encode()
    assert first(read("anthropic", data, deltas=shown), shown) == TextBlock("a\ufffdb")


def test_halves_in_texts_of_a_completion_are_joined(read: Read) -> None:
    shown: list[Delta] = []
    deltas = [{"choices": [{"delta": {"content": piece}}]} for piece in PIECES]
    data = events(*deltas, {"choices": [{"finish_reason": "stop"}]})
    assert first(read("openai", data, deltas=shown), shown) == TextBlock(WHOLE)
