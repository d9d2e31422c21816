"""Secrets are replaced at the door: log, model and screen see the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from fsm_agent.policy.secrets import placeholder
from fsm_agent.runtime.naming import readable

Struct = TypeVar("Struct", bound=msgspec.Struct)

SHORTEST = 8
"""Characters below which a value is no secret but a word that may stand anywhere."""
NAMES = (
    r"(?i)(?:^|_)(?:API_?KEY|(?:ACCESS|PRIVATE|SECRET)_KEY|TOKEN|SECRET|PAT"
    r"|PASS(?:WORD|WD|PHRASE)?|CREDENTIALS?)$"
)
"""Names of variables that hold secrets."""
LOGIN = r"://[^/@:\s]*:([^/@\s]+)@"
"""Where an address holds a password."""


def secrets_of(environment: Mapping[str, str], key: str | None) -> dict[str, str]:
    """Name → value of what must not be seen: such variables, passwords in addresses, the key."""
    found = {name: value for name, value in environment.items() if re.search(NAMES, name)}
    for name, value in environment.items():
        if name not in found and (login := re.search(LOGIN, value)):
            found[name] = login[1]
    if key and key not in found.values():
        found["API_KEY"] = key
    return {name: value for name, value in found.items() if len(value) >= SHORTEST}


class Redactor:
    """Replaces the values of secrets by stable placeholders."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        longest = sorted(secrets.items(), key=lambda item: -len(item[1]))
        self._secrets = [
            (form, placeholder(name).encode())
            for name, value in longest
            for form in _forms(readable(value))
        ]

    def data(self, data: bytes) -> bytes:
        """The bytes without secrets."""
        for value, shown in self._secrets:
            if value in data:
                data = data.replace(value, shown)
        return data

    def text(self, text: str) -> str:
        """The text without secrets."""
        return self.data(text.encode()).decode() if self._secrets else text

    def clean(self, value: Struct) -> Struct:
        """An input, or what one is made of, without secrets in whatever field they stand."""
        if not self._secrets:
            return value
        raw = _encode(value)
        if self.data(raw) is raw:
            return value
        whole = self._texts(msgspec.json.decode(raw))
        return msgspec.json.decode(_encode(whole), type=type(value))

    def _texts(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Only texts are cleaned: a secret of digits alone must not break a number."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self._texts(item) for item in value]
            case dict():
                return {self.text(name): self._texts(item) for name, item in value.items()}
            case _:
                return value


_encode = msgspec.json.Encoder().encode


def _forms(value: str) -> set[bytes]:
    """The value as it stands in a file, and as it stands in a line of the log."""
    return {value.encode(), _encode(value)[1:-1]}
