"""The terminal gets another size: nothing is lost, repeated or left over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

LONG = "This is a line that is too long for a narrow terminal, and so it is broken."
FULL = "text:\n" + "".join(f"    paragraph {n}\n\n" for n in range(6)) + f"    {LONG}\n"
STREAMING = (
    f"{FULL}---\ntext: It begins\n" + "delay: 0.02\ntext: and on\n" * 3 + "text: so far\nhang\n"
)
ASKING = f'{FULL}---\ncall: Bash {{"command": "echo one two three four five six seven"}}\n'
SIZES = {
    "narrow": [(20, 24)],
    "low": [(80, 5)],
    "wide and high": [(200, 50)],
    "step by step": [(45, 20), (20, 11), (33, 5), (61, 30)],
}
SEEN = {STREAMING: "and on\n\nand on\n\nand on\nso far", ASKING: "[y]es"}

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def told(person: Any) -> str:
    """What is there, without its seconds and spaces."""
    return re.sub(r"[⠀-⣿].*|\s", "", person.text())


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("script", [FULL, STREAMING, ASKING], ids=["idle", "streaming", "asked"])
def test_all_is_there_once(sits_down: Sits, script: str, sizes: list[tuple[int, int]]) -> None:
    person = sits_down(script)
    person.asks("hello")
    person.sees("\n· 0.")
    if script in SEEN:
        person.types("go on\r")
        person.sees(SEEN[script])
    person.types("half a line")
    person.sees("half a line")
    before = told(person)

    for columns, lines in [*sizes, (80, 24)]:
        person.resizes(columns, lines)
    person.reads(0.2)

    assert told(person) == before, person.text()
