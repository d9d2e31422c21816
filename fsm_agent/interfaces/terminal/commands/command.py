"""One slash command: its name, what it says of itself, what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from fsm_agent.interfaces.terminal.commands.desk import Desk

Words: TypeAlias = Callable[[Path, Path], Iterable[tuple[str, str]]]
"""Gives words and what each says, from where the program keeps its files and the workspace."""


def no_words(_home: Path, _cwd: Path) -> Iterable[tuple[str, str]]:
    """None can be offered."""
    return ()


class Command(msgspec.Struct, frozen=True):
    """A command that is typed as `/name argument`.

    Attributes:
        name: Without the stroke.
        what: What it does, in a line for `/help`.
        run: Does it, with what stands behind the name.
        waits: Whether it needs the session at rest: always, never, or with some first words.
        words: What can stand behind the name, to be offered at the prompt.
        takes: The same as it is written in `/help`: `[NAME]`.
        more: What else there is to know, in sentences.
        example: A line that can be typed as it stands.
    """

    name: str
    what: str
    run: Callable[[Desk, str], None]
    waits: Literal[True, False] | frozenset[str] = False
    words: Words = no_words
    takes: str = ""
    more: str = ""
    example: str = ""

    def must_wait(self, argument: str) -> bool:
        """Whether, with this argument, it needs the session at rest."""
        if isinstance(self.waits, bool):
            return self.waits
        return argument.partition(" ")[0] in self.waits
