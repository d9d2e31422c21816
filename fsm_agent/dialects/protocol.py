"""What a dialect is: bytes out of messages, blocks out of bytes; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Block, Failure, Message, StopReason, ToolSpec, Usage


class Delta(msgspec.Struct, frozen=True):
    """A piece of an answer as it arrives, for the screen; never logged.

    For a call, `text` is the tool's name when the call begins, else a piece of its arguments. `block`
    tells blocks of one kind apart: pieces of two may come in turns.
    """

    kind: Literal["thinking", "text", "call", "arguments"]
    text: str
    block: int = 0


class Answer(msgspec.Struct, frozen=True):
    """All that came of an answer, at its end or where it was cut off.

    Attributes:
        blocks: In wire order; those not finished have `partial`.
        stop: Why it ended, if its protocol's terminal event came.
        failure: Why it is broken, if it is. Exactly one of `stop` and `failure` is set.
    """

    blocks: tuple[Block, ...]
    stop: StopReason | None = None
    usage: Usage | None = None
    failure: Failure | None = None
    warning: str | None = None


class Decoder(Protocol):
    """Reads one answer, whatever the sizes in which its bytes come."""

    def feed(self, chunk: bytes) -> Sequence[Delta]:
        """Take bytes in; return what they add to the screen."""

    @property
    def progress(self) -> int:
        """Payload events so far; comments and pings do not count. The idle deadline watches it."""

    @property
    def ended(self) -> bool:
        """Whether nothing that matters can follow: terminal event seen, or an error frame."""

    def answer(self, broke: Failure | None = None) -> Answer:
        """Close the answer: `broke` is the transport's failure; without one, the bytes ended."""


class Dialect(Protocol):
    """One wire protocol. A body is `head ‖ messages joined by commas ‖ tail`."""

    name: str
    tail: bytes

    def head(self, settings: Settings, system: str, tools: Sequence[ToolSpec]) -> bytes:
        """Everything before the first message, up to and with its comma where one is needed."""

    def message(self, message: Message, settings: Settings) -> bytes:
        """The message as one or more JSON objects joined by commas; empty if it says nothing."""

    def marked(self, head: bytes, messages: Sequence[bytes]) -> list[bytes]:
        """The pieces of the body as it is sent: with cache marks, which are in no digest.

        Each message but the first has the comma before it. However long the conversation is, only
        its end is looked at.
        """

    def path(self, settings: Settings) -> str:
        """The endpoint's path behind the base URL."""

    def headers(self, settings: Settings, key: str | None) -> Mapping[str, str]:
        """Headers of a request, authentication included when there is a key."""

    def decoder(self, settings: Settings, content_type: str) -> Decoder:
        """A decoder for one answer with status 200."""

    def failure(self, status: int, headers: Mapping[str, str], body: bytes, now: float) -> Failure:
        """Class a response that is no answer. `now` is Unix time, for dates in Retry-After."""
