"""Anthropic's requests follow the model and the host."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    ToolSpec,
    UserMessage,
)

MODEL = "claude-opus-5-5"


def chosen(**fields: Any) -> Settings:
    return Settings(**{"protocol": "anthropic", "model": MODEL, **fields})


def sent(**fields: Any) -> dict[str, Any]:
    tools = [ToolSpec("Read", "Reads.", {"type": "object"})]
    spoken, settings = dialect("anthropic"), chosen(**fields)
    one = spoken.message(UserMessage("hi"), settings)
    body: dict[str, Any] = json.loads(
        b"".join(spoken.marked(spoken.head(settings, "Be brief.", tools), [one]))
    )
    return body


@pytest.mark.parametrize(
    ("model", "base_url", "effort", "fields"),
    [
        ("claude-opus-5-5", "", "", {"thinking": {"type": "adaptive", "display": "summarized"}}),
        (
            "claude-opus-5-5-20261101",
            "https://api.anthropic.com/v1",
            "off",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
            },
        ),
        ("claude-opus-5", "", "off", {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-5-5", "", "off", {"thinking": {"type": "between_tools"}}),
        (
            "claude-opus-4-6",
            "",
            "xhigh",
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "max"},
            },
        ),
        ("claude-haiku-4-5", "", "", {}),
        ("claude-haiku-4-5", "", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("claude-opus-5-5", "http://127.0.0.1:1/v1", "", {}),
        ("deepseek-flash", "https://api.deepseek.com/anthropic", "", {}),
        (
            "deepseek-flash",
            "https://api.deepseek.com/anthropic",
            "max",
            {"thinking": {"type": "enabled", "budget_tokens": 32000}, "max_tokens": 48384},
        ),
    ],
)
def test_anthropic_thinking_follows_model_and_host(
    model: str, base_url: str, effort: str, fields: dict[str, Any]
) -> None:
    body = sent(model=model, base_url=base_url, effort=effort)
    asked = {k: body[k] for k in ("thinking", "output_config", "max_tokens") if k in body}
    assert asked == {"max_tokens": 16384, **fields}


@pytest.mark.parametrize(
    ("base_url", "path", "version"),
    [
        ("", "/v1/messages", "2026-10-21"),
        ("https://api.anthropic.com", "/v1/messages", "2026-10-21"),
        ("https://api.anthropic.com/v1/", "/messages", "2026-10-21"),
        ("https://api.anthropic.com.evil.example", "/v1/messages", "2023-06-01"),
        ("http://127.0.0.1:8080", "/v1/messages", "2023-06-01"),
    ],
)
def test_anthropic_path_and_version_follow_the_base_url(
    base_url: str, path: str, version: str
) -> None:
    spoken, settings = dialect("anthropic"), chosen(base_url=base_url)
    assert spoken.path(settings) == path
    assert spoken.headers(settings, "k")["anthropic-version"] == version
