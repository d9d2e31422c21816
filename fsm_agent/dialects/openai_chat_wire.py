"""What is read of a chat completion, as it stands on the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from fsm_agent.dialects.counting import count
from fsm_agent.events.values import Usage


class Part(msgspec.Struct, gc=False):
    """A typed part of a content that is a list."""

    type: str = ""
    text: str | None = None
    thinking: str | list[Part] | None = None


class Function(msgspec.Struct, gc=False):
    """Name and arguments of a call; some servers send the arguments as an object."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class WireCall(msgspec.Struct, gc=False):
    """A piece of a call, or a whole one."""

    index: int | None = None
    id: str | None = None
    function: Function | None = None


class WireDelta(msgspec.Struct, gc=False):
    """A piece of the message, or the whole message."""

    content: str | list[Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_text: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[WireCall] | None = None


class Choice(msgspec.Struct, gc=False):
    """One of the answers; only that of index 0 is read."""

    index: Any = 0
    delta: WireDelta | None = None
    message: WireDelta | None = None
    finish_reason: str | None = None
    usage: Any = None


class Groq(msgspec.Struct, gc=False):
    """Groq's own place for usage."""

    usage: Any = None


class Chunk(msgspec.Struct, gc=False):
    """One event, or a whole completion."""

    choices: list[Choice] | None = None
    usage: Any = None
    error: Any = None
    x_groq: Groq | None = None


def usage(tokens: object) -> Usage | None:
    """Neutral usage. The wire's prompt holds what was cached, its completion the reasoning.

    Some servers leave reasoning out of the completion; only totals that prove it are believed.
    """
    if not isinstance(tokens, dict):
        return None
    read_in = _mapping(tokens.get("prompt_tokens_details"))
    written = _mapping(tokens.get("completion_tokens_details"))
    prompt, output = count(tokens, "prompt_tokens"), count(tokens, "completion_tokens")
    cached = (
        count(tokens, "cached_tokens")
        or count(read_in, "cached_tokens")
        or count(tokens, "prompt_cache_hit_tokens")
        or count(tokens, "num_cached_tokens")
    )
    stored = count(read_in, "cache_write_tokens") or count(read_in, "cache_creation_input_tokens")
    reasoning = count(written, "reasoning_tokens")
    if reasoning and count(tokens, "total_tokens") == prompt + output + reasoning:
        output += reasoning
    return Usage(max(0, prompt - cached - stored), output, cached, stored, reasoning)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
