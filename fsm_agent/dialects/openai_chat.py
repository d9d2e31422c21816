"""OpenAI's chat completions and their relatives: requests.

The system prompt is the first message. The wire has one field for all reasoning of a message, so
a thinking block's `native` is small: nothing where the server's usual field rebuilds it, the name
of the field (a JSON string) where the text came in another one, the merged `reasoning_details` (a
JSON array) where the server sent those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from fsm_agent.dialects import failures
from fsm_agent.dialects.compat import Compat, compat
from fsm_agent.dialects.marks import MOST_MARKS, mark
from fsm_agent.dialects.openai_chat_answer import ChatDecoder
from fsm_agent.dialects.spelling import (
    call_id,
    clean,
    encode,
    function_name,
    native_to,
    nine_letter_call_id,
    result_text,
)
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Failure,
    Message,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)

KEY = "OPENAI_API_KEY"
_LONGEST_ID = 40
_PARTS = b'"}]}'
"""How a message ends whose content is a list of text parts."""


class OpenAIChat:
    """`POST {base}/chat/completions`."""

    name = "openai"
    tail = b"]}"

    def head(self, settings: Settings, system: str, tools: Sequence[ToolSpec]) -> bytes:
        """Everything before the first message: settings, tools, the system prompt."""
        server = compat(settings)
        fields: dict[str, Any] = {
            "model": clean(settings.model),
            "stream": True,
            server.max_tokens: settings.max_tokens,
            **server.always,
            **server.effort(settings.effort),
        }
        if server.conversation_field and settings.cache_key:
            fields[server.conversation_field] = clean(settings.cache_key)
        if tools:
            fields["tools"] = [_tool(tool) for tool in tools]
        head = encode(fields)[:-1] + b',"messages":['
        if not system.strip():
            return head
        content = _content(clean(system), parts=server.marks(settings.model))
        return head + encode({"role": server.system_role, "content": content}) + b","

    def message(self, message: Message, settings: Settings) -> bytes:
        """The message as JSON objects joined by commas; empty if it says nothing."""
        server = compat(settings)
        match message:
            case UserMessage():
                if not message.text.strip():
                    return b""
                content = _content(clean(message.text), parts=server.marks(settings.model))
                return encode({"role": "user", "content": content})
            case ResultsMessage():
                return b",".join(
                    encode(
                        {
                            "role": "tool",
                            "tool_call_id": _id(result.call, server),
                            "content": result_text(result.content),
                        }
                    )
                    for result in message.results
                )
            case AssistantMessage():
                own = native_to(message, self.name, settings.model)
                return _assistant(message, server, own=own, parts=server.marks(settings.model))

    def marked(self, head: bytes, messages: Sequence[bytes]) -> list[bytes]:
        """The body's pieces as they are sent. Most servers cache prefixes by themselves.

        The others get their texts as parts, and so the system prompt tells which they are; they
        take marks on the last texts, but not all of them on results of tools.
        """
        pieces = [head, *messages, self.tail]
        if head.endswith(_PARTS + b","):
            pieces[0] = mark(head, b"}]},")
            ends = reversed(range(len(messages)))
            texts = (place for place in ends if messages[place].endswith(_PARTS))
            for place in islice(texts, MOST_MARKS - 1):
                pieces[place + 1] = mark(messages[place], b"}]}")
        return pieces

    def path(self, settings: Settings) -> str:  # noqa: ARG002  one form for all dialects
        """The endpoint's path behind the base URL."""
        return "/chat/completions"

    def headers(self, settings: Settings, key: str | None) -> Mapping[str, str]:
        """Headers of a request, authentication included when there is a key."""
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if key:
            name = compat(settings).key_header
            headers[name] = f"Bearer {key}" if name == "authorization" else key
        if settings.cache_key and (conversation := compat(settings).conversation_header):
            headers[conversation] = settings.cache_key
        return headers

    def decoder(self, settings: Settings, content_type: str) -> ChatDecoder:
        """A decoder for one answer with status 200."""
        return ChatDecoder(compat(settings), content_type, KEY)

    def failure(self, status: int, headers: Mapping[str, str], body: bytes, now: float) -> Failure:
        """Class a response that is no answer. `now` is Unix time, for dates in Retry-After."""
        return failures.rejected(status, headers, body, now, KEY)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": clean(tool.description),
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _content(text: str, *, parts: bool) -> str | list[dict[str, str]]:
    return [{"type": "text", "text": text}] if parts else text


def _assistant(message: AssistantMessage, server: Compat, *, own: bool, parts: bool) -> bytes:
    """One message object; calls that were cut off never ran and have no result: left out."""
    text = clean("".join(b.text for b in message.blocks if isinstance(b, TextBlock)))
    calls = [b for b in message.blocks if isinstance(b, CallBlock) and not b.partial]
    if not text.strip() and not calls:
        return b""
    thinking = [b for b in message.blocks if isinstance(b, ThinkingBlock) and not b.partial]
    fields: dict[str, Any] = {"role": "assistant"}
    content: Any = text or None
    if own and thinking and server.reasoning:
        field, value = _reasoning(thinking, server)
        if field == "content":
            content = [value, *([{"type": "text", "text": text}] if text.strip() else [])]
        else:
            fields[field] = value
    if server.reasoning_required and calls:
        fields.setdefault(server.reasoning, "")
    fields["content"] = content
    if calls:
        fields["tool_calls"] = [_call(call, server) for call in calls]
    if parts and text.strip():  # at the end, where a mark can be put in
        del fields["content"]
        fields["content"] = _content(text, parts=True)
    return encode(fields)


def _reasoning(thinking: Sequence[ThinkingBlock], server: Compat) -> tuple[str, Any]:
    """The field that carries reasoning back, and its value."""
    native = next((b.native for b in thinking if bytes(b.native)), None)
    if native is not None and bytes(native).startswith(b"["):
        return "reasoning_details", native
    field = msgspec.json.decode(native, type=str) if native is not None else server.reasoning
    text = clean("".join(b.text for b in thinking))
    if field == "content":
        return field, {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
    return field, text


def _call(call: CallBlock, server: Compat) -> dict[str, Any]:
    """The call as it came; arguments that were no object as `{}`, since servers parse them."""
    arguments = bytes(call.native) or encode(call.input)
    function = {"name": function_name(call.name), "arguments": arguments.decode()}
    return {"id": _id(call.id, server), "type": "function", "function": function}


def _id(raw: str, server: Compat) -> str:
    return nine_letter_call_id(raw) if server.nine_letter_ids else call_id(raw, _LONGEST_ID)
