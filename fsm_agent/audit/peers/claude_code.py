"""The sessions of Claude Code: one line for each block of an answer."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from fsm_agent.audit.peers.telling import Teller, Told, increase
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import Usage


class Tokens(Struct):
    """Usage as this program writes it."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class Block(Struct):
    """A part of a message."""

    type: str
    id: str = ""
    name: str = ""
    input: Any = None
    tool_use_id: str = ""
    content: Any = None
    is_error: bool | None = None
    text: str | None = None


class Message(Struct):
    """What was said; the lines of one answer repeat its id, and its usage so far."""

    content: str | list[Block] = ""
    id: str = ""
    usage: Tokens | None = None

    @property
    def text(self) -> str:
        """The person's words in it."""
        if isinstance(self.content, str):
            return self.content
        return "".join(block.text or "" for block in self.content if block.type == "text")


class Entry(Struct, rename={"aside": "isSidechain", "meta": "isMeta"}):
    """A line."""

    type: str
    message: Message | None = None
    timestamp: str = ""
    aside: bool | None = False
    meta: bool | None = False


class ClaudeCode(Teller[Entry]):
    """Tells such a session."""

    program = "Claude Code"
    shape = Entry

    def __init__(self) -> None:
        super().__init__()
        self._answer = ""
        self._paid: dict[str, Usage] = {}

    def told(self, line: Entry) -> Told:
        """What a line says."""
        message = line.message
        if message is None or line.type not in ("user", "assistant"):
            return line.timestamp, []
        events: list[Event] = []
        if line.type == "user":
            if not (line.aside or line.meta) and message.text:
                events.append(self.said(message.text))
        elif not line.aside and message.id != self._answer:
            self._answer = message.id
            events.append(self.asked())
        for block in message.content if isinstance(message.content, list) else ():
            if block.type.endswith("tool_use"):
                aside = bool(line.aside)
                events.append(self.call(block.id, block.name, block.input, aside=aside))
            elif block.type.endswith("tool_result"):
                ok = not block.is_error
                events.append(self.result(block.tool_use_id, block.content, ok=ok))
        if message.usage:
            events += self.paid(self._more(message.id, message.usage))
        return line.timestamp, events

    def _more(self, answer: str, tokens: Tokens) -> Usage:
        """What an answer took beyond what its lines have said before."""
        now = Usage(
            tokens.input_tokens,
            tokens.output_tokens,
            tokens.cache_read_input_tokens,
            tokens.cache_creation_input_tokens,
        )
        before, self._paid[answer] = self._paid.get(answer, Usage()), now
        return increase(now, before)
