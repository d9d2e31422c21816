"""Settings from command line and environment; nobody below reads them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeVar, cast, get_args
from urllib.parse import urlsplit

from fsm_agent.context.languages import locale
from fsm_agent.errors import UsageError
from fsm_agent.interfaces.amounts import price, ratio, tokens
from fsm_agent.interfaces.arguments import natural
from fsm_agent.interfaces.painting.thoughts import LOOKS, Look
from fsm_agent.settings import Permission, RunSettings

ENVIRONMENT: Mapping[str, str] = os.environ  # noqa: TID251 - the one place that reads it

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
DEFAULT_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
DEFAULT_MODELS = {"openai": "gpt-5.2", "anthropic": "claude-sonnet-5", "scripted": "scripted"}

WEIGHTS: Mapping[str, tuple[str, Callable[[str], int | str]]] = {
    "FSM_AGENT_DP_BASELINE_E": ("turns", natural),
    "FSM_AGENT_DP_E_FIXED": ("turns_left", natural),
    "FSM_AGENT_DP_L": ("calls", natural),
    "FSM_AGENT_DP_S": ("summary", natural),
    "FSM_AGENT_DP_V": ("fixed", natural),
    "FSM_AGENT_DP_R": ("retention", ratio),
    "FSM_AGENT_DP_BETA": ("loss", ratio),
    "FSM_AGENT_DP_MIN_KEEP_RATIO": ("keep", ratio),
    "FSM_AGENT_DP_QUALITY_PENALTY": ("quality", ratio),
}
"""What cuts of the context are weighed by: variable → field of `Economy`, and how it is read."""

WHOM = ("protocol", "model", "base_url", "script")
"""Options that say whom to ask."""
Keys = Literal["emacs", "vi"]
"""Whose keys edit the line at the prompt."""
T = TypeVar("T")

NO_KEY = """\
no key was found, so there is no model to ask. Three ways on:
  a key           export OPENAI_API_KEY=… or ANTHROPIC_API_KEY=…
  a local server  fsm-agent --base-url http://127.0.0.1:11434/v1 -m MODEL
  no model at all fsm-agent demo"""


def home(environment: Mapping[str, str] = ENVIRONMENT) -> Path:
    """Where sessions are kept: FSM_AGENT_HOME, else the platform's state directory."""
    if given := environment.get("FSM_AGENT_HOME"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_state_path  # noqa: PLC0415 - start-up: only without the variable

    return user_state_path("fsm-agent", appauthor=False)


def config_home(environment: Mapping[str, str] = ENVIRONMENT) -> Path:
    """Where the person's own AGENTS.md is: FSM_AGENT_CONFIG_HOME, else the platform's place."""
    if given := environment.get("FSM_AGENT_CONFIG_HOME"):
        return Path(given).expanduser().absolute()
    from platformdirs import user_config_path  # noqa: PLC0415 - start-up: only without the variable

    return user_config_path("fsm-agent", appauthor=False)


def working_directory() -> Path:
    """The directory the program was started in, links resolved.

    Raises:
        UsageError: If it no longer exists.
    """
    try:
        return Path.cwd().resolve()
    except OSError as error:
        raise UsageError(
            f"the working directory cannot be used: {error.strerror}; change to one that exists"
        ) from None


def configure(
    given: argparse.Namespace, environment: Mapping[str, str] = ENVIRONMENT
) -> RunSettings:
    """The run's settings.

    Raises:
        UsageError: If no model can be asked, or options do not fit together.
    """
    protocol = given.protocol or _protocol(given, environment)
    if protocol == "scripted" and not given.script:
        raise UsageError("the scripted model needs its script: --script FILE")
    named = given.base_url or environment.get(URLS.get(protocol, ""), "")
    base_url, key = server(protocol, environment, given.base_url)
    key = given.api_key or key
    if protocol != "scripted" and not named and not key:
        raise UsageError(NO_KEY)
    retry_base_ms = _read("FSM_AGENT_RETRY_BASE_MS", natural, environment)
    wanted: Permission | None = "allow" if given.auto_approve else given.permission
    return RunSettings(
        protocol=protocol,
        model=given.model or environment.get("FSM_AGENT_MODEL") or DEFAULT_MODELS[protocol],
        base_url=base_url,
        api_key=key,
        max_tokens=given.max_tokens or 16384,
        effort=given.effort or "",
        max_turns=given.max_turns or 1000,
        max_retries=5 if given.max_retries is None else given.max_retries,
        retry_base_ms=2000 if retry_base_ms is None else retry_base_ms,
        permission=wanted,
        tool_timeout_s=float(given.tool_timeout or 600),
        script=given.script,
        output_language=_language(given.language or environment.get("FSM_AGENT_LANGUAGE")),
        window=given.context_window or _read("FSM_AGENT_CONTEXT_WINDOW", tokens, environment) or 0,
        price=given.price or _read("FSM_AGENT_PRICE", price, environment),
        compact=(given.compact or ("off" if protocol == "scripted" else "auto")) == "auto",
        weights={
            field: value
            for name, (field, parse) in WEIGHTS.items()
            if (value := _read(name, parse, environment)) is not None
        },
        said=frozenset(name for name in WHOM if getattr(given, name)),
    )


def server(
    protocol: str, environment: Mapping[str, str] = ENVIRONMENT, base_url: str | None = None
) -> tuple[str, str | None]:
    """Where the server of a protocol is, and its key.

    Raises:
        UsageError: If that is no address.
    """
    named = base_url or environment.get(URLS.get(protocol, "")) or DEFAULT_URLS.get(protocol, "")
    return _url(named, protocol), environment.get(KEYS.get(protocol, "")) or None


def bell(environment: Mapping[str, str] = ENVIRONMENT) -> int | None:
    """Seconds of a turn at whose end the terminal's bell rings; None for never.

    Raises:
        UsageError: If that is no number.
    """
    return _read("FSM_AGENT_BELL", natural, environment)


def thinking(environment: Mapping[str, str] = ENVIRONMENT) -> Look | None:
    """How reasoning is shown, if FSM_AGENT_THINKING says it.

    Raises:
        UsageError: If there is no such way.
    """
    return _read("FSM_AGENT_THINKING", _look, environment)


def keys(given: Keys | None, environment: Mapping[str, str] = ENVIRONMENT) -> Keys:
    """Whose keys edit the line: what the command line says, else FSM_AGENT_KEYS.

    Raises:
        UsageError: If nobody knows them.
    """
    return given or _read("FSM_AGENT_KEYS", _keys, environment) or "emacs"


def _look(text: str) -> Look:
    if text not in LOOKS:
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(LOOKS)}")
    return text


def _keys(text: str) -> Keys:
    if text not in get_args(Keys):
        raise argparse.ArgumentTypeError(f"'{text}' is neither emacs nor vi")
    return cast("Keys", text)


def plain(*, given: bool, environment: Mapping[str, str] = ENVIRONMENT) -> bool:
    """Whether lines are wanted and no drawing: on the command line, or by FSM_AGENT_PLAIN.

    Raises:
        UsageError: If that is neither 0 nor 1.
    """
    return given or bool(_read("FSM_AGENT_PLAIN", _switch, environment))


def draws(environment: Mapping[str, str] = ENVIRONMENT) -> bool:
    """Whether the terminal can be drawn on, as far as TERM says."""
    return environment.get("TERM", "") not in ("", "dumb", "unknown")


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise argparse.ArgumentTypeError(f"'{text}' is neither 0 nor 1")
    return text == "1"


def _language(text: str | None) -> str:
    if text and not locale(text):
        raise UsageError(f"'{text}' is no locale; a language is given like en, de_DE or zh_CN")
    return locale(text or "")


def _read(name: str, parse: Callable[[str], T], environment: Mapping[str, str]) -> T | None:
    """What a variable says; none if it is not set, or empty."""
    if not (text := environment.get(name)):
        return None
    try:
        return parse(text)
    except argparse.ArgumentTypeError as wrong:
        raise UsageError(f"{name}: {wrong}") from None


def _protocol(given: argparse.Namespace, environment: Mapping[str, str]) -> str:
    if given.script:
        return "scripted"
    if given.base_url:
        return "openai"
    for protocol in ("anthropic", "openai"):
        if environment.get(KEYS[protocol]) or environment.get(URLS[protocol]):
            return protocol
    raise UsageError(NO_KEY)


def _url(text: str, protocol: str) -> str:
    if protocol == "scripted":
        return ""
    wrong = UsageError(f"the base URL '{text}' is not an http or https address")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # an address or a port that is no number
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise wrong
    if parts.username or parts.password:
        raise UsageError("the base URL must not hold a name or password; give the key by --api-key")
    if parts.query or parts.fragment:
        raise UsageError("--base-url must not hold a query; the key goes into --api-key")
    return text.rstrip("/")
