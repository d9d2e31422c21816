"""Each relative of OpenAI's chat completions gets the fields it knows."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    Block,
    CallBlock,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)

MODEL = "claude-opus-5-5"


def chosen(**fields: Any) -> Settings:
    return Settings(**{"protocol": "openai", "model": MODEL, "vendor": "generic", **fields})


def sent(**fields: Any) -> dict[str, Any]:
    tools = [ToolSpec("Read", "Reads.", {"type": "object"})]
    spoken, settings = dialect("openai"), chosen(**fields)
    one = spoken.message(UserMessage("hi"), settings)
    body: dict[str, Any] = json.loads(
        b"".join(spoken.marked(spoken.head(settings, "Be brief.", tools), [one]))
    )
    return body


REASONED = (ThinkingBlock("why"), CallBlock("Read", "c", {}))
CALLED = (TextBlock("ok"), CallBlock("Read", "c", {}))
DETAILS = msgspec.Raw(b'[{"type":"reasoning.text","text":"why","signature":"s"}]')


@pytest.mark.parametrize(
    ("vendor", "blocks", "fields"),
    [
        ("generic", REASONED, {"reasoning_content": "why"}),
        ("generic", CALLED, {}),
        ("deepseek", REASONED, {"reasoning_content": "why"}),
        ("deepseek", CALLED, {"reasoning_content": ""}),
        ("deepseek", (TextBlock("ok"),), {}),
        ("moonshot", CALLED, {"reasoning_content": ""}),
        ("vllm", REASONED, {"reasoning": "why"}),
        ("openai", REASONED, {}),
        ("groq", REASONED, {}),
        (
            "generic",
            (ThinkingBlock("why", msgspec.Raw(b'"reasoning"')), *CALLED),
            {"reasoning": "why"},
        ),
        (
            "openrouter",
            (ThinkingBlock("why", DETAILS), *CALLED),
            {"reasoning_details": [{"type": "reasoning.text", "text": "why", "signature": "s"}]},
        ),
    ],
)
def test_reasoning_goes_back_as_each_server_wants_it(
    vendor: str, blocks: tuple[Block, ...], fields: dict[str, Any]
) -> None:
    message = AssistantMessage(blocks, "openai", MODEL)
    back = json.loads(dialect("openai").message(message, chosen(vendor=vendor)))
    assert {k: v for k, v in back.items() if "reasoning" in k} == fields


def test_mistrals_reasoning_is_a_part_of_the_content() -> None:
    message = AssistantMessage((ThinkingBlock("why"), TextBlock("ok")), "openai", MODEL)
    back = json.loads(dialect("openai").message(message, chosen(vendor="mistral")))
    assert back["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "why"}]},
        {"type": "text", "text": "ok"},
    ]


def test_openai_fields_follow_the_server() -> None:
    own = sent(vendor="", base_url="https://api.openai.com/v1", effort="off")
    assert own["messages"][0] == {"role": "developer", "content": "Be brief."}
    assert own["stream_options"] == {"include_usage": True, "include_obfuscation": False}
    assert (own["store"], own["reasoning_effort"]) == (False, "none")
    assert own["max_completion_tokens"] == 16384
    other = sent(vendor="", base_url="http://127.0.0.1:8000/v1", effort="high")
    assert other["messages"][0]["role"] == "system"
    assert (other["max_tokens"], other["reasoning_effort"]) == (16384, "high")
    assert other["stream_options"] == {"include_usage": True}
    assert "store" not in other
    assert "stream_options" not in sent(vendor="mistral")


@pytest.mark.parametrize(
    ("vendor", "effort", "fields"),
    [
        ("generic", "", {}),
        ("generic", "novel", {"reasoning_effort": "novel"}),
        ("deepseek", "off", {"thinking": {"type": "disabled"}}),
        ("deepseek", "xhigh", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("moonshot", "off", {"reasoning_effort": "low"}),
        ("openrouter", "off", {"reasoning": {"effort": "none"}}),
        ("dashscope", "low", {"enable_thinking": True}),
        ("vllm", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("mistral", "medium", {"reasoning_effort": "high"}),
    ],
)
def test_effort_is_asked_for_as_each_server_knows_it(
    vendor: str, effort: str, fields: dict[str, Any]
) -> None:
    usual = sent(vendor=vendor)
    asked = sent(vendor=vendor, effort=effort)
    assert {k: v for k, v in asked.items() if k not in usual} == fields
