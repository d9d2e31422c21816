"""What a session is shown on and typed at, whatever the terminal can do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.painting.items import Item, Status
from fsm_agent.interfaces.painting.pictures import Picture
from fsm_agent.interfaces.terminal.line.pasting import Pastes
from fsm_agent.interfaces.terminal.live import Lines


class Acts(Protocol):
    """What a person can do at the prompt.

    Attributes:
        held: Lines that wait here, and are not in the log yet.
    """

    held: list[str]

    def enter(self) -> None:
        """Hand the line in."""

    def inject(self) -> None:
        """Put the line into the running turn."""

    def interrupt(self) -> None:
        """Stop what is under way."""

    def control_c(self) -> None:
        """Stop what is under way, clear the line, or leave."""

    def leave(self) -> None:
        """End the session."""

    def take_back(self) -> None:
        """Take the last waiting line back."""

    def is_asked(self) -> bool:
        """Whether the line is the answer to a question."""

    def is_busy(self) -> bool:
        """Whether something is under way."""

    def is_empty(self) -> bool:
        """Whether nothing is typed."""

    def can_take_back(self) -> bool:
        """Whether nothing is typed, and a line waits."""


class Surface(Protocol):
    """Where a person reads and types.

    Attributes:
        lines: Gives what stands above the prompt, for so many columns and rows.
        mark: Gives what the prompt begins with.
        status: Gives what is under way.
        unfold: Shows the last result in full.
        hint: A word at the empty prompt.
        pastes: What placeholders in the line stand for.
    """

    lines: Callable[[tuple[int, int]], Lines]
    mark: Callable[[], str]
    status: Callable[[], Status]
    unfold: Callable[[], None]
    hint: str
    pastes: Pastes

    async def run(self) -> None:
        """Take what is typed until `close`.

        Raises:
            EOFError: If the terminal is gone.
        """

    async def close(self) -> None:
        """Show what is left; nothing is taken any more."""

    def show(self, item: Item) -> None:
        """Show an item."""

    def warn(self, text: str) -> None:
        """Show a word about what went wrong."""

    def print(self, *pictures: Picture) -> None:
        """Show escaped text."""

    def echo(self, line: str) -> None:
        """Show a line that was handed in and is in no item."""

    def refresh(self) -> None:
        """Show soon what is under way now."""

    @property
    def text(self) -> str:
        """What is typed."""

    @property
    def lent(self) -> bool:
        """Whether another program has the terminal."""

    def take(self) -> str:
        """What is typed; the line is empty then."""

    def put(self, text: str) -> None:
        """Put text before what is typed, or will be again after a question."""

    async def pick(self, catalogue: Catalogue, text: str) -> Path | None:
        """Have a session picked, beginning with those in which a text stands; none: given up."""

    def ask(self, question: str) -> None:
        """Let the line be the answer to a question; what is typed is kept for after it."""

    def asked(self) -> None:
        """The question is answered or taken back."""
