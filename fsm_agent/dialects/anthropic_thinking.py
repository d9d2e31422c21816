"""How much an Anthropic model is to think: effort as fields of the body.

Current models take `adaptive` thinking and an effort; older ones, and servers of others that speak
this protocol, take a budget of tokens. Where no effort is set, only what is safe is sent.
"""

from __future__ import annotations

from typing import Any

_ADAPTIVE = {"type": "adaptive", "display": "summarized"}
_DISABLED = {"type": "disabled"}
_BETWEEN_TOOLS = {"type": "between_tools"}

_OFF: dict[str, dict[str, str] | None] = {
    "claude-opus-4-6": _DISABLED,
    "claude-sonnet-4-6": _DISABLED,
    "claude-opus-4-7": _DISABLED,
    "claude-opus-4-8": _DISABLED,
    "claude-opus-5-5": None,
    "claude-opus-5": _DISABLED,
    "claude-sonnet-5-5": _BETWEEN_TOOLS,
    "claude-sonnet-5": _DISABLED,
    "claude-haiku-5-5": _DISABLED,
    "claude-fable-5": None,
    "claude-mythos-5": None,
}
"""Models that take adaptive thinking, by the start of their id → how it is turned off, if it is.

The first match counts, so a longer id stands before its beginning.
"""
_NO_XHIGH = ("claude-opus-4-6", "claude-sonnet-4-6")

_BUDGETS = {
    "minimal": 1024,
    "low": 2048,
    "medium": 10_000,
    "high": 16_384,
    "xhigh": 32_000,
    "max": 32_000,
}
"""Tokens of thinking for models that take a budget."""


def thinking_fields(model: str, effort: str, max_tokens: int, *, official: bool) -> dict[str, Any]:
    """The fields `max_tokens`, `thinking` and `output_config` of a request.

    A budget must be below `max_tokens`, so that is raised by it where needed.
    """
    known = next((start for start in _OFF if official and model.startswith(start)), None)
    fields: dict[str, Any] = {"max_tokens": max_tokens}
    if known is None:
        if effort == "off":
            fields["thinking"] = _DISABLED
        elif effort in _BUDGETS:
            budget = _BUDGETS[effort]
            fields["max_tokens"] = max_tokens if max_tokens > budget else max_tokens + budget
            fields["thinking"] = {"type": "enabled", "budget_tokens": budget}
        return fields
    off = _OFF[known] if effort == "off" else None
    fields["thinking"] = off or _ADAPTIVE
    if effort and off is None:
        fields["output_config"] = {"effort": _effort(known, effort)}
    return fields


def _effort(model: str, effort: str) -> str:
    if effort == "xhigh" and model in _NO_XHIGH:
        return "max"
    return {"off": "low", "minimal": "low"}.get(effort, effort)
