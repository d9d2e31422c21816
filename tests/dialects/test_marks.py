"""What keeps a conversation in a server's cache: marks and keys, in bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects import dialect
from fsm_agent.dialects.marks import MARK, MOST_MARKS
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)

TOOLS = [ToolSpec("Read", "Reads a file", {"type": "object", "properties": {}})]
ANTHROPIC = Settings(protocol="anthropic", model="claude-sonnet-5")
OPENROUTER = Settings(protocol="openai", model="anthropic/claude-sonnet-5", vendor="openrouter")
MARKING = [
    ANTHROPIC,
    OPENROUTER,
    Settings(protocol="openai", model="qwen3.8-max", vendor="dashscope"),
    Settings(protocol="openai", model="claude-sonnet-5", vendor="litellm"),
]
KEY = "20261130-091244-ab12"


def sent(settings: Settings, messages: Sequence[Message], system: str = "Be brief.") -> bytes:
    """The body as it goes out; without its marks it is the one that is digested."""
    spoken = dialect(settings.protocol)
    found = [part for message in messages if (part := spoken.message(message, settings))]
    parts = [b"," * (n > 0) + part for n, part in enumerate(found)]
    head = spoken.head(settings, system, TOOLS)
    marked = b"".join(spoken.marked(head, parts))
    assert marked.replace(MARK, b"") == b"".join([head, *parts, spoken.tail])
    return marked


def blocks(body: Any) -> Iterator[dict[str, Any]]:
    """All that can be marked, in the order of the prompt."""
    yield from body.get("tools", [])
    messages = body["messages"]
    contents = [body.get("system", []), *(message.get("content") for message in messages)]
    for content in contents:
        yield from content if isinstance(content, list) else [{"text": content}]


def marked(body: bytes) -> list[int]:
    """Which of the blocks have a mark."""
    return [i for i, block in enumerate(blocks(json.loads(body))) if "cache_control" in block]


def answer(calls: int = 0, text: str = "Well.", maker: str = "anthropic") -> AssistantMessage:
    called = tuple(CallBlock("Read", f"c{n}", {}) for n in range(calls))
    return AssistantMessage((TextBlock(text), *called), maker, "claude-sonnet-5")


def results(calls: int) -> ResultsMessage:
    return ResultsMessage(tuple(Result(f"c{n}", "Read", "x") for n in range(calls)))


def texts(body: bytes) -> list[str]:
    """The texts of what is marked."""
    found = list(blocks(json.loads(body)))
    return [found[i].get("text") or found[i].get("content") or "" for i in marked(body)]


def test_anthropic_is_marked_at_the_system_prompt_and_both_ends() -> None:
    messages: list[Message] = [
        UserMessage("one"),
        answer(2),
        results(2),
        UserMessage("a note", note=True),
    ]

    assert texts(sent(ANTHROPIC, messages)) == ["Be brief.", "one", "a note"]


def test_without_a_system_prompt_the_tools_are_marked() -> None:
    body = json.loads(sent(ANTHROPIC, [UserMessage("one")], system=""))

    assert "cache_control" in body["tools"][-1]


def test_a_paused_answer_leaves_the_mark_where_the_last_request_had_it() -> None:
    asked: list[Message] = [UserMessage("one")]

    assert texts(sent(ANTHROPIC, [*asked, answer()])) == texts(sent(ANTHROPIC, asked))


CONVERSATIONS = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=6)
"""Rounds: how many calls an answer has, and whether a note comes with their results."""


def requests(rounds: list[tuple[int, bool]], maker: str) -> Iterator[list[Message]]:
    """The messages of each request of a conversation."""
    said: list[Message] = [UserMessage("go")]
    for calls, noted in rounds:
        yield list(said)
        said += [answer(calls, maker=maker), results(calls) if calls else UserMessage("go on")]
        said += [UserMessage("a note", note=True)] if noted else []
    yield said


@given(CONVERSATIONS)
def test_anthropic_is_marked_again_where_the_last_request_ended(
    rounds: list[tuple[int, bool]],
) -> None:
    ends = [marked(sent(ANTHROPIC, messages)) for messages in requests(rounds, "anthropic")]

    for before, now in pairwise(ends):
        assert before[-1] in now  # so the 20 blocks that a mark looks back do not matter
        assert now[-1] > before[-1]


@given(CONVERSATIONS, st.sampled_from(MARKING))
def test_no_request_has_more_marks_than_are_allowed(
    rounds: list[tuple[int, bool]], settings: Settings
) -> None:
    for messages in requests(rounds, settings.protocol):
        found = marked(sent(settings, messages))
        assert 2 <= len(found) <= MOST_MARKS


@pytest.mark.parametrize("settings", MARKING, ids=lambda s: s.vendor or s.protocol)
def test_neither_thinking_nor_blank_text_is_marked(settings: Settings) -> None:
    native = json.dumps({"type": "thinking", "thinking": "Hm.", "signature": "s"}).encode()
    thinking = ThinkingBlock("Hm.", native if settings.protocol == "anthropic" else b"")  # type: ignore[arg-type]  # bytes are raw JSON here
    spoken = AssistantMessage((thinking,), settings.protocol, settings.model)
    blank = AssistantMessage((TextBlock(" "), CallBlock("Read", "c0", {})), settings.protocol, "m")
    body = sent(settings, [UserMessage("one"), spoken, UserMessage(" "), blank, results(1)])

    for block in blocks(json.loads(body)):
        if "cache_control" in block:
            assert block.get("type") in ("text", "tool_result")
            assert block.get("text", "said").strip()


def test_openrouter_is_marked_on_texts_and_not_on_results() -> None:
    messages: list[Message] = [UserMessage("one"), answer(1), results(1)]
    messages += [answer(1, "So."), results(1)]
    body = json.loads(sent(OPENROUTER, messages))

    assert texts(sent(OPENROUTER, messages)) == ["Be brief.", "one", "Well.", "So."]
    assert [m["content"] for m in body["messages"] if m["role"] == "tool"] == ["x", "x"]
    assert [len(m["tool_calls"]) for m in body["messages"] if m["role"] == "assistant"] == [1, 1]


@pytest.mark.parametrize(
    ("vendor", "model"),
    [
        ("openai", "anthropic/claude-sonnet-5"),
        ("openrouter", "openai/gpt-6-sol"),
        ("openrouter", "deepseek/deepseek-v4-pro"),
        ("dashscope", "glm-5.2"),
        ("generic", "claude-sonnet-5"),
    ],
)
def test_who_caches_by_itself_gets_plain_texts(vendor: str, model: str) -> None:
    settings = Settings(protocol="openai", model=model, vendor=vendor)
    body = sent(settings, [UserMessage('ends like parts "}]}'), answer(), UserMessage("two")])

    assert marked(body) == []
    assert all(isinstance(m["content"], str) for m in json.loads(body)["messages"])


@pytest.mark.parametrize(
    ("vendor", "field", "header"),
    [
        ("openai", KEY, None),
        ("azure", KEY, None),
        ("xai", None, KEY),
        ("deepseek", None, None),
        ("generic", None, None),
        ("openrouter", None, None),
    ],
)
def test_a_conversation_is_named_to_who_keeps_it_on_one_cache(
    vendor: str, field: str | None, header: str | None
) -> None:
    settings = Settings(protocol="openai", model="m", vendor=vendor, cache_key=KEY)
    body = json.loads(sent(settings, [UserMessage("one")]))
    headers = dialect("openai").headers(settings, "k")

    assert (body.get("prompt_cache_key"), headers.get("x-grok-conv-id")) == (field, header)


def test_without_a_key_nothing_is_named() -> None:
    for vendor in ("openai", "xai"):
        settings = Settings(protocol="openai", model="m", vendor=vendor)
        assert b"prompt_cache_key" not in sent(settings, [UserMessage("one")])
        assert "x-grok-conv-id" not in dialect("openai").headers(settings, "k")
