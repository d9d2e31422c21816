"""Usage of chat completions is found wherever servers put it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fsm_agent.dialects.protocol import Answer
from fsm_agent.events.values import Usage

Read = Callable[..., Answer]


def event(**chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("tokens", "usage"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 4}, Usage(6, 2, 4)),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4},
            Usage(6, 2, 4),
        ),
        ({"prompt_tokens": 3_000_000_000, "completion_tokens": None}, Usage(3_000_000_000)),
        ({"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": 9}}, Usage(0, 0, 9)),
        ({"prompt_tokens": "?", "completion_tokens": -1, "x": []}, Usage()),
        ("unknown", None),
    ],
)
@pytest.mark.parametrize("place", ["chunk", "choice", "late choice", "groq", "twice"])
def test_usage_is_found_replaced_and_never_added(
    read: Read, tokens: Any, usage: Usage | None, place: str
) -> None:
    data = event(choices=[{"delta": {"content": "x"}, "finish_reason": "stop"}])
    data += {
        "chunk": event(choices=[], usage=tokens),
        "choice": b"",
        "late choice": event(choices=[{"delta": {"content": "lost"}, "usage": tokens}]),
        "groq": event(choices=None, x_groq={"usage": tokens}),
        "twice": event(choices=[], usage={"prompt_tokens": 7}) + event(usage=tokens, choices=[]),
    }[place]
    if place == "choice":
        data = event(
            choices=[{"delta": {"content": "x"}, "usage": tokens, "finish_reason": "stop"}]
        )
    assert read("openai", data).usage == usage
