"""How texts, ids, names and raw JSON are spelled in a request's body."""

from __future__ import annotations

import hashlib
import re

import msgspec

from fsm_agent.events.values import AssistantMessage

NO_OUTPUT = "(no output)"
"""What stands for a blank tool result: some servers refuse a blank one."""

_encode = msgspec.json.Encoder().encode
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_FAMILY = re.compile(r"[A-Za-z_/]*")


def encode(value: object) -> bytes:
    """A value as compact JSON, keys in their order; texts that UTF-8 cannot hold are cleaned."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_cleaned(value))


def clean(text: str) -> str:
    """The text as it can be sent: no NUL, no half of a surrogate pair (two halves are joined)."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def result_text(content: str) -> str:
    """A tool's result as it can be sent: never blank."""
    return clean(content) if content.strip() else NO_OUTPUT


def one_line(raw: bytes) -> bytes:
    """JSON without line ends: between tokens a space does as well, inside strings none stand."""
    return raw.replace(b"\r", b" ").replace(b"\n", b" ")


def call_id(raw: str, longest: int) -> str:
    """A call's id in `[A-Za-z0-9_-]`: itself where legal, else a readable rest and a digest."""
    if raw and len(raw) <= longest and not _ILLEGAL.search(raw):
        return raw
    return f"{_ILLEGAL.sub('_', raw)[: longest - 9]}_{_digest(raw)[:8]}"


def nine_letter_call_id(raw: str) -> str:
    """A call's id as Mistral wants it: nine ASCII letters or digits."""
    if len(raw) == 9 and raw.isascii() and raw.isalnum():  # noqa: PLR2004  Mistral's length
        return raw
    return _digest(raw)[:9]


def function_name(raw: str) -> str:
    """A name the model called, legal in a request also where the model made it up."""
    return _ILLEGAL.sub("_", raw)[:64] or "unnamed"


def native_to(message: AssistantMessage, protocol: str, model: str) -> bool:
    """Whether the message's native items may go to this model: same protocol, same family.

    The family is the id up to its first digit or dash, its path included: `claude`, `gpt`,
    `anthropic/claude`.
    """
    return message.protocol == protocol and _family(message.model) == _family(model)


def _cleaned(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case dict():
            return {_cleaned(name): _cleaned(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_cleaned(inner) for inner in value]
        case _:
            return value


def _family(model: str) -> str:
    found = _FAMILY.match(model)
    return (found and found.group()) or model


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
