"""Answers that the kit builds are what the dialects read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Block, CallBlock, TextBlock, ThinkingBlock, Usage
from fsm_agent.testing import anthropic, openai

PROTOCOLS = {"openai": openai, "anthropic": anthropic}

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0<")).map(lambda t: f".{t}.")
"""Not empty; NUL and tags are the dialects' own affair."""
calls = st.builds(CallBlock, st.just("Read"), st.just(""), st.dictionaries(texts, texts))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(thinking=texts, text=texts, asked=st.lists(calls, max_size=3), size=st.integers(1, 9))
def test_what_is_built_decodes_to_the_same_values(
    protocol: str, thinking: str, text: str, asked: list[CallBlock], size: int
) -> None:
    asked = [CallBlock(c.name, f"call_{n}", c.input) for n, c in enumerate(asked)]
    blocks: list[Block] = [ThinkingBlock(thinking), TextBlock(text), *asked]
    usage = Usage(input=7, output=5, cache_read=3)
    decoder = dialect(protocol).decoder(Settings(protocol=protocol, model="m"), "text/event-stream")
    for event in PROTOCOLS[protocol](blocks, usage=usage, size=size):
        decoder.feed(event)

    answer = decoder.answer()
    assert answer.failure is None
    assert answer.stop == ("tool_use" if asked else "end_turn")
    assert answer.usage == usage
    assert [plain(block) for block in answer.blocks] == [plain(block) for block in blocks]


def plain(block: Block) -> tuple[object, ...]:
    if isinstance(block, CallBlock):
        return (block.name, block.id, block.input)
    return (type(block), block.text)
