"""No number of the wire is believed that cannot be one of tokens."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from fsm_agent.dialects.protocol import Answer
from fsm_agent.events.values import Usage

Read = Callable[..., Answer]

NUMBERS = {
    "1e999": 0,
    "-1e999": 0,
    "5e300": 0,
    "1e400": 0,
    "1" * 5000: 0,
    "-" + "1" * 5000: 0,
    "1000000000001": 0,
    "-1": 0,
    "1000000000000": 10**12,
    "7.9": 7,
    "1e2": 100,
}


@pytest.mark.parametrize(("number", "tokens"), NUMBERS.items(), ids=[n[:16] for n in NUMBERS])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_number_is_finite_and_bounded_or_left_out(
    read: Read, number: str, tokens: int, streamed: bool
) -> None:
    openai = b'{"choices":[{"index":0,"%s":{"content":"a"},"finish_reason":"stop"}],'
    openai = openai % (b"delta" if streamed else b"message")
    openai += b'"usage":{"prompt_tokens":%s,"completion_tokens":2}}' % number.encode()
    usage = b'"usage":{"input_tokens":%s,"output_tokens":2}' % number.encode()
    content = b'{"type":"text","text":"a"}'
    if streamed:
        openai = b"data: " + openai + b"\n\n"
        anthropic = b"".join(
            b"data: {" + event + b"}\n\n"
            for event in (
                b'"type":"message_start","message":{"id":"m","content":[],' + usage + b"}",
                b'"type":"content_block_start","index":0,"content_block":' + content,
                b'"type":"content_block_stop","index":0',
                b'"type":"message_delta","delta":{"stop_reason":"end_turn"},' + usage,
                b'"type":"message_stop"',
            )
        )
    else:
        anthropic = b'{"type":"message","id":"m","content":[' + content
        anthropic += b'],"stop_reason":"end_turn",' + usage + b"}"
    for protocol, data in (("openai", openai), ("anthropic", anthropic)):
        answer = read(protocol, data)
        assert answer.usage == Usage(tokens, 2)
        assert (answer.stop, answer.failure) == ("end_turn", None)
        assert len(msgspec.json.encode(answer)) < 400
