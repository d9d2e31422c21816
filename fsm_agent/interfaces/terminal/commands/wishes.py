"""What somebody wants to be taken back, as it is typed behind `/undo`."""

from __future__ import annotations

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.commands.changes import AGAIN

LAST, LIST, TALK, FORCE = "last", "list", "talk", "force"
WORDS = (
    (TALK, "the conversation, too; what you had said is at the prompt again"),
    (FORCE, "even what has changed since; /redo has that back"),
    (LAST, "only the last call's files"),
    (LIST, "the turns, with their files"),
    (AGAIN, "finish what was cut short"),
)
"""What `/undo` takes."""


class Wish(msgspec.Struct, frozen=True):
    """What is to be taken back: from this turn on, or the last turn's (none), or the last call's."""

    turn: int | None = None
    last: bool = False
    talk: bool = False
    force: bool = False


def wish_of(argument: str) -> Wish:
    """Read what stands behind `/undo`.

    Raises:
        UsageError: If it means nothing.
    """
    words = argument.split()
    numbers = [int(word) for word in words if word.isascii() and word.isdigit()]
    others = [word for word in words if not (word.isascii() and word.isdigit())]
    wrong = [word for word in others if word not in (LAST, TALK, FORCE)]
    if wrong or len(numbers) > 1 or len(set(others)) < len(others):
        takes = ", ".join(word for word, _ in WORDS)
        raise UsageError(f"it takes the number of a turn, {takes}, not '{argument}'")
    wish = Wish(numbers[0] if numbers else None, LAST in words, TALK in words, FORCE in words)
    if wish.last and (wish.talk or numbers):
        raise UsageError("the last call alone goes without its turn and the conversation")
    return wish
