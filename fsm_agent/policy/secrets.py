"""Placeholders that stand for secrets in all that the core sees."""

from __future__ import annotations

import re

_FORM = re.compile(r"\[secret:[A-Za-z0-9_]+\]")


def placeholder(name: str) -> str:
    """What stands in a text where the value of this variable stood."""
    return f"[secret:{name}]"


def held(text: str) -> str | None:
    """The first placeholder in the text, if there is one."""
    found = _FORM.search(text)
    return found[0] if found else None
