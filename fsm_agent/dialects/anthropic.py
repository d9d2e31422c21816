"""Anthropic's messages: requests.

A thinking block goes back as the block that came (`native`), else not at all: the server checks
its signature. Blocks of the server's own tools are text blocks without text, with `native`. The
system prompt stands right before the messages, so that the mark of the cache can be put in by
looking at bytes alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import msgspec

from fsm_agent.dialects import failures
from fsm_agent.dialects.anthropic_answer import MessagesDecoder
from fsm_agent.dialects.anthropic_thinking import thinking_fields
from fsm_agent.dialects.marks import mark
from fsm_agent.dialects.spelling import (
    call_id,
    clean,
    encode,
    function_name,
    native_to,
    result_text,
)
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    Block,
    CallBlock,
    Failure,
    Message,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)

KEY = "ANTHROPIC_API_KEY"
_LONGEST_ID = 64
_VERSION, _VERSION_ELSEWHERE = "2026-10-21", "2023-06-01"
_MESSAGES = b',"messages":['


class AnthropicMessages:
    """`POST {base}/v1/messages`."""

    name = "anthropic"
    tail = b"]}"

    def head(self, settings: Settings, system: str, tools: Sequence[ToolSpec]) -> bytes:
        """Everything before the first message: settings, tools, the system prompt."""
        fields: dict[str, Any] = {
            "model": clean(settings.model),
            "stream": True,
            **thinking_fields(
                settings.model, settings.effort, settings.max_tokens, official=_official(settings)
            ),
        }
        if tools:
            fields["tools"] = [
                {
                    "name": tool.name,
                    "description": clean(tool.description),
                    "input_schema": tool.parameters,
                }
                for tool in tools
            ]
        if system.strip():
            fields["system"] = [{"type": "text", "text": clean(system)}]
        return encode(fields)[:-1] + _MESSAGES

    def message(self, message: Message, settings: Settings) -> bytes:
        """The message as one JSON object; empty if it says nothing."""
        match message:
            case UserMessage():
                text = clean(message.text)
                content = [{"type": "text", "text": text}] if text.strip() else []
                return _message("user", content)
            case ResultsMessage():
                return _message(
                    "user",
                    [
                        {
                            "type": "tool_result",
                            "tool_use_id": call_id(result.call, _LONGEST_ID),
                            "content": result_text(result.content),
                            **({} if result.ok else {"is_error": True}),
                        }
                        for result in message.results
                    ],
                )
            case AssistantMessage():
                own = native_to(message, self.name, settings.model)
                found = (_block(block, own=own) for block in message.blocks)
                return _message("assistant", [block for block in found if block])

    def marked(self, head: bytes, messages: Sequence[bytes]) -> list[bytes]:
        """The body's pieces as they are sent, marked where the last request ended and where this one does.

        A mark finds what was cached up to 20 blocks before it, and one answer with its results may
        have more: so the place that the last request marked is marked again. The third mark is on
        the system prompt, or on the tools where there is none.
        """
        pieces = [mark(head, b"}]" + _MESSAGES), *messages, self.tail]
        for place in _request_ends(messages):
            pieces[place + 1] = mark(messages[place], b"}]}")
        return pieces

    def path(self, settings: Settings) -> str:
        """The endpoint's path behind the base URL, which may end with the version."""
        versioned = settings.base_url.rstrip("/").endswith("/v1")
        return "/messages" if versioned else "/v1/messages"

    def headers(self, settings: Settings, key: str | None) -> Mapping[str, str]:
        """Headers of a request, authentication included when there is a key."""
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "anthropic-version": _VERSION if _official(settings) else _VERSION_ELSEWHERE,
        }
        if key:
            headers["x-api-key"] = key
        return headers

    def decoder(self, settings: Settings, content_type: str) -> MessagesDecoder:  # noqa: ARG002  one form for all
        """A decoder for one answer with status 200."""
        return MessagesDecoder(content_type, KEY)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes, now: float) -> Failure:
        """Class a response that is no answer. `now` is Unix time, for dates in Retry-After."""
        return failures.rejected(status, headers, body, now, KEY)


def _request_ends(messages: Sequence[bytes]) -> set[int]:
    """Where this request ends, and where the one before the last answer did."""
    last, answered = -1, False
    for place in reversed(range(len(messages))):
        if not messages[place].startswith((b'{"role":"user"', b',{"role":"user"')):
            answered = True
        elif answered:
            return {place, last if last >= 0 else place}
        elif last < 0:
            last = place
    return {last} if last >= 0 else set()


def _official(settings: Settings) -> bool:
    return not settings.base_url or urlsplit(settings.base_url).hostname == "api.anthropic.com"


def _message(role: str, content: Sequence[object]) -> bytes:
    return encode({"role": role, "content": content}) if content else b""


def _block(block: Block, *, own: bool) -> dict[str, Any] | msgspec.Raw | None:
    """The block as it goes back; none if it must not.

    Thinking that was cut off has no signature; a call that was cut off has no result.
    """
    whole = bool(bytes(block.native)) and not block.partial
    match block:
        case ThinkingBlock():
            return block.native if own and whole else None
        case TextBlock(text=""):
            return block.native if own and whole else None
        case TextBlock():
            text = clean(block.text)
            return {"type": "text", "text": text} if text.strip() else None
        case CallBlock():
            if block.partial:
                return None
            return {
                "type": "tool_use",
                "id": call_id(block.id, _LONGEST_ID),
                "name": function_name(block.name),
                "input": block.native if whole else block.input,
            }
