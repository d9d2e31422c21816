"""What servers that speak OpenAI's chat protocol differ in, as data.

Who the server is follows from `settings.vendor`, else from the host of the base URL.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from fsm_agent.events.inputs import Settings

Efforts = dict[str, dict[str, Any]]
"""Effort, as settings name it → fields of the body."""


def _usage_reported() -> dict[str, Any]:
    return {"stream_options": {"include_usage": True}}


def _passed_on() -> Efforts:
    return {"off": {"reasoning_effort": "none"}}


class Compat(msgspec.Struct, frozen=True):
    """One kind of server.

    Attributes:
        system_role: Role of the system prompt's message.
        max_tokens: The field that bounds the answer.
        always: Fields of each request besides those every server gets.
        efforts: How an effort is asked for; one that is missing is passed on as it is.
        reasoning: The field reasoning is sent back in where the answer does not say otherwise:
            `content` as typed parts of the content, empty: reasoning is never sent back.
        reasoning_required: Messages with calls carry that field even when nothing was reasoned.
        think_tags: Reasoning may stand inline, between `<think>` tags.
        done_ends: `[DONE]` ends an answer also without a finish reason.
        nine_letter_ids: Call ids have exactly nine letters or digits.
        key_header: The header that carries the key; `authorization` as a bearer.
        conversation_field: The field of the body that keeps a conversation on one cache …
        conversation_header: … or the header.
        marked_models: How the ids of models begin whose cache wants marks on text parts.
    """

    system_role: Literal["system", "developer"] = "system"
    max_tokens: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    always: dict[str, Any] = msgspec.field(default_factory=_usage_reported)
    efforts: Efforts = msgspec.field(default_factory=_passed_on)
    reasoning: str = "reasoning_content"
    reasoning_required: bool = False
    think_tags: bool = False
    done_ends: bool = False
    nine_letter_ids: bool = False
    key_header: Literal["authorization", "api-key"] = "authorization"
    conversation_field: str = ""
    conversation_header: str = ""
    marked_models: tuple[str, ...] = ()

    @property
    def keeps_conversations(self) -> bool:
        """Whether the server wants to know which requests are of one conversation."""
        return bool(self.conversation_field or self.conversation_header)

    def marks(self, model: str) -> bool:
        """Whether texts to this model are sent as parts, which can be marked for the cache."""
        return model.lower().startswith(self.marked_models)

    def effort(self, effort: str) -> dict[str, Any]:
        """The body's fields for an effort; none when it is not set."""
        return self.efforts.get(effort, {"reasoning_effort": effort}) if effort else {}


def compat(settings: Settings) -> Compat:
    """The record of the server these settings name; `generic` when it is not known."""
    return _compat(settings.vendor, settings.base_url)


@lru_cache(maxsize=8)
def _compat(vendor: str, base_url: str) -> Compat:
    return VENDORS.get((vendor or vendor_of(base_url)).lower(), VENDORS["generic"])


def vendor_of(base_url: str) -> str:
    """Whose server this is, by its host; `generic` when that says nothing."""
    at = urlsplit(base_url or "//api.openai.com")
    host = f"{at.hostname}:{at.port}" if at.hostname in _LOCAL else f".{at.hostname}"
    return next((v for end, v in _HOSTS.items() if host.endswith(end)), "generic")


LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""Efforts, the least first; not every server tells all of them apart."""


def _efforts(*values: str, **always: Any) -> Efforts:  # noqa: ANN401  JSON
    """`reasoning_effort` for each of `LEVELS`."""
    return {
        level: {**always, "reasoning_effort": value}
        for level, value in zip(LEVELS, values, strict=True)
    }


_ON, _OFF = {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}
_KEPT = {"thinking": {"type": "enabled", "clear_thinking": False}}
_OPENAI_ALWAYS = {
    "stream_options": {"include_usage": True, "include_obfuscation": False},
    "store": False,
}

VENDORS = {
    "generic": Compat(),
    "openai": Compat(
        system_role="developer",
        max_tokens="max_completion_tokens",
        always=_OPENAI_ALWAYS,
        reasoning="",
        conversation_field="prompt_cache_key",
    ),
    "azure": Compat(
        system_role="developer",
        max_tokens="max_completion_tokens",
        always=_OPENAI_ALWAYS,
        reasoning="",
        key_header="api-key",
        conversation_field="prompt_cache_key",
    ),
    "deepseek": Compat(
        efforts=_efforts("low", "low", "low", "high", "high", "high", "max", **_ON) | {"off": _OFF},
        reasoning_required=True,
    ),
    "moonshot": Compat(
        max_tokens="max_completion_tokens",
        efforts=_efforts("low", "low", "low", "high", "high", "max", "max"),
        reasoning_required=True,
    ),
    "zai": Compat(
        efforts=_efforts("low", "low", "low", "high", "high", "max", "max", **_KEPT)
        | {"off": _OFF},
        reasoning_required=True,
    ),
    "dashscope": Compat(
        efforts={level: {"enable_thinking": level != "off"} for level in LEVELS},
        marked_models=("qwen",),
    ),
    "openrouter": Compat(
        efforts={
            level: {"reasoning": {"effort": level if level != "off" else "none"}}
            for level in LEVELS
        },
        reasoning="reasoning",
        marked_models=("anthropic/", "qwen/"),
    ),
    "groq": Compat(
        max_tokens="max_completion_tokens",
        efforts=_efforts("none", "low", "low", "medium", "high", "high", "high"),
        reasoning="",
    ),
    "mistral": Compat(
        always={},
        efforts=_efforts("none", "none", "high", "high", "high", "high", "high"),
        reasoning="content",
        nine_letter_ids=True,
    ),
    "xai": Compat(
        max_tokens="max_completion_tokens",
        efforts=_efforts("none", "low", "low", "medium", "high", "high", "high"),
        reasoning="",
        conversation_header="x-grok-conv-id",
    ),
    "ollama": Compat(
        efforts=_efforts("none", "low", "low", "medium", "high", "high", "high"),
        reasoning="reasoning",
        done_ends=True,
    ),
    "vllm": Compat(
        efforts={"off": {"chat_template_kwargs": {"enable_thinking": False}}},
        reasoning="reasoning",
        think_tags=True,
        done_ends=True,
    ),
    "litellm": Compat(marked_models=("anthropic/", "claude")),
}
"""By the name that `settings.vendor` gives."""
VENDORS["lmstudio"] = VENDORS["vllm"]

_HOSTS = {
    ".api.openai.com": "openai",
    ".api.anthropic.com": "anthropic",
    ".openai.azure.com": "azure",
    ".api.deepseek.com": "deepseek",
    ".api.moonshot.ai": "moonshot",
    ".api.moonshot.cn": "moonshot",
    ".api.z.ai": "zai",
    ".open.bigmodel.cn": "zai",
    ".dashscope.aliyuncs.com": "dashscope",
    ".dashscope-intl.aliyuncs.com": "dashscope",
    ".openrouter.ai": "openrouter",
    ".api.groq.com": "groq",
    ".api.mistral.ai": "mistral",
    ".api.x.ai": "xai",
    ".api.minimax.io": "minimax",
    ".generativelanguage.googleapis.com": "google",
    ":11434": "ollama",
    ":1234": "lmstudio",
}
_LOCAL = ("localhost", "127.0.0.1", "::1")
