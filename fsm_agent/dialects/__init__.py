"""Request bytes out of messages, blocks out of bytes; no I/O.

protocol              what a dialect is
openai_chat           requests of OpenAI's chat completions and their relatives
openai_chat_answer    answers of the same
openai_chat_calls     which call of such an answer a delta belongs to
openai_chat_wire      the parts of such an answer that are read
compat                what servers that speak it differ in
reasoning_details     OpenRouter's pieces of reasoning, merged
think_tags            reasoning that stands inline
anthropic             requests of Anthropic's messages
anthropic_answer      answers of the same
anthropic_thinking    effort as fields of such a request
decoding              what decoders share: framing, other bodies, the end
splitting             server-sent events out of bytes
marks                 up to where a server caches, said in bytes
calls                 a tool call put together out of pieces
counting              numbers of tokens
spelling              texts, ids, names and raw JSON in a body
failures              responses that are no answer, classed
waits                 how long a server asks to wait
"""

from __future__ import annotations

from functools import cache

from fsm_agent.dialects.protocol import Dialect
from fsm_agent.errors import UsageError


@cache
def dialect(name: str) -> Dialect:
    """The dialect of this name, as settings and log give it: `openai`, `anthropic`.

    The scripted model is asked in the dialect `openai`.

    Raises:
        UsageError: If there is none.
    """
    # Only the dialect that is spoken is loaded: start-up is a feature.
    match name:
        case "openai" | "scripted":
            from fsm_agent.dialects.openai_chat import OpenAIChat  # noqa: PLC0415

            return OpenAIChat()
        case "anthropic":
            from fsm_agent.dialects.anthropic import AnthropicMessages  # noqa: PLC0415

            return AnthropicMessages()
        case _:
            raise UsageError(f"unknown protocol {name!r}: known are openai and anthropic")
