"""Secrets are replaced at the door: log, model and screen see the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from fsm_agent.policy.secrets import placeholder
from fsm_agent.runtime.naming import readable

Struct = TypeVar("Struct", bound=msgspec.Struct)

SHORTEST = 12
"""Characters below which a value is no secret but a word that may stand anywhere."""
NAMES = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_ACCESS_KEY")
"""Ends of the names of variables that hold secrets."""


def secrets_of(environment: Mapping[str, str], key: str | None) -> dict[str, str]:
    """Name → value of what must not be seen: such variables, and the key in use."""
    found = {name: v for name, v in environment.items() if name.upper().endswith(NAMES)}
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
        clean = self.data(raw)
        return value if clean is raw else msgspec.json.decode(clean, type=type(value))


_encode = msgspec.json.Encoder().encode


def _forms(value: str) -> set[bytes]:
    """The value as it stands in a file, and as it stands in a line of the log."""
    return {value.encode(), _encode(value)[1:-1]}
