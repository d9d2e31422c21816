"""Request bodies: a message is serialised once, the digest carried on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from copy import copy
from typing import NamedTuple, Protocol

from fsm_agent.context import summarising
from fsm_agent.context.prompt import render
from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import BlobText, Message, Section, ToolSpec, UserMessage


class Said(Protocol):
    """What a body is made of; the world is one."""

    settings: Settings
    prefix: str
    sections: tuple[Section, ...]
    tools: tuple[ToolSpec, ...]
    messages: list[Message]

    def text(self, text: BlobText) -> str:
        """The text itself, wherever it is kept."""


class Body(NamedTuple):
    """SHA-256 (hex) and size of a body, and the size of what follows its last message."""

    digest: str
    size: int
    tail: int


class Bodies:
    """A cache beside the world: it holds nothing that the world could not rebuild.

    A body is `head ‖ messages joined by commas ‖ tail`; between two epochs it only grows, so its
    digest is the one before, continued.
    """

    def __init__(self, *, sends: bool = True) -> None:
        """Begin with nothing; what never `sends` only wants digests, and keeps no bytes."""
        self._sends = sends
        self._prefix: str | None = None
        self._head = b""
        self._parts: list[bytes] = []
        self._taken = 0
        self._kept = 0
        self._size = 0
        self._hash = hashlib.sha256()

    def next(self, said: Said) -> Body:
        """Grow to what is said now."""
        form = dialect(said.settings.protocol)
        if self._prefix != said.prefix or self._taken > len(said.messages):
            self._begin(said)
        new = said.messages[self._taken :] if self._taken else said.messages
        for message in new:
            self._add(form.message(message, said.settings))
        self._taken = len(said.messages)
        whole = self._hash.copy()
        whole.update(form.tail)
        return Body(whole.hexdigest(), self._size + len(form.tail), len(form.tail))

    def forget(self) -> None:
        """Begin anew with the next body: the conversation has not only grown."""
        self._prefix = None

    def branch(self) -> Bodies:
        """The same body, to go on from once more; the parts so far are shared with it."""
        twin = copy(self)
        twin._kept = len(self._parts)  # noqa: SLF001 - our own
        twin._hash = self._hash.copy()  # noqa: SLF001 - our own
        return twin

    def cut_back(self) -> None:
        """Drop the parts that a twin has added."""
        del self._parts[self._kept :]

    def marked(self, said: Said) -> list[bytes]:
        """The pieces of the body as it goes out: with cache marks, which are in no digest."""
        if self._prefix != said.prefix or self._taken != len(said.messages):
            self.next(said)
        return dialect(said.settings.protocol).marked(self._head, self._parts)

    def _add(self, part: bytes) -> None:
        if part:
            joined = b"," + part if self._size > len(self._head) else part
            self._hash.update(joined)
            self._size += len(joined)
            if self._sends:
                self._parts.append(joined)

    def _begin(self, said: Said) -> None:
        """Start an epoch."""
        system = render(said.sections, said.text)
        self._head = dialect(said.settings.protocol).head(said.settings, system, said.tools)
        self._prefix, self._parts, self._taken = said.prefix, [], 0
        self._size, self._hash = len(self._head), hashlib.sha256(self._head)


def summary_of(said: Said, count: int, instruction: str) -> Body:
    """The body that asks for a summary of the first messages: a prefix, then the instruction.

    Its tail is all that a turn's request does not have at that place.
    """
    head, *parts = _summary(said, count, instruction)
    tail = dialect(said.settings.protocol).tail
    body = b"".join([head, *parts, tail])
    return Body(hashlib.sha256(body).hexdigest(), len(body), len(parts[-1]) + len(tail))


def marked_summary_of(said: Said, count: int, instruction: str) -> list[bytes]:
    """The pieces of that body as it goes out."""
    head, *parts = _summary(said, count, instruction)
    return dialect(said.settings.protocol).marked(head, parts)


def size_of(said: Said, count: int) -> int:
    """Bytes of the body with the first messages alone."""
    pieces = _pieces(said, said.messages[:count])
    return sum(map(len, pieces)) + len(dialect(said.settings.protocol).tail)


def _summary(said: Said, count: int, instruction: str) -> list[bytes]:
    asking = UserMessage(summarising.instruction(instruction), note=True)
    return _pieces(said, [*said.messages[:count], asking])


def _pieces(said: Said, messages: Sequence[Message]) -> list[bytes]:
    form, settings = dialect(said.settings.protocol), said.settings
    parts = list(filter(None, (form.message(message, settings) for message in messages)))
    head = form.head(settings, render(said.sections, said.text), said.tools)
    return [head, *parts[:1], *(b"," + part for part in parts[1:])]
