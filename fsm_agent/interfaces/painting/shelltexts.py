"""How the log and the model are told of a person's own shell line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHELL = "shell"
"""Name of the command that is logged before the line runs."""
SHELL_ENDED = "shell_ended"
"""Name of the one that is logged after it."""
_RAN = "The person ran this in a shell of their own:"


def notice(command: str, output: str) -> str:
    """What the model is told."""
    return f"{_RAN}\n$ {command}\n{output}"


def is_notice(text: str) -> bool:
    """Whether the model is told this of a person's shell line."""
    return text.startswith(_RAN)


def output_in(text: str, command: str) -> str:
    """The output of this command in such a notice."""
    return text.removeprefix(notice(command, ""))


def told(name: str, arguments: Mapping[str, Any]) -> str:
    """What one of the two commands says of the line, as the person typed it."""
    line = f"{'!!' if arguments.get('told') else '!'}{arguments.get('command', '')}"
    if name == SHELL:
        return line
    output = arguments.get("output")
    return f"{line} gave:\n{output}" if output else f"{line} has ended"
