"""What is known of a turn, a cut and the plan; running digests."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from fsm_agent.events.derived import Summarise, ToolResult
from fsm_agent.events.inputs import ToolCall
from fsm_agent.events.values import BlobText, Failure, Message, StopReason, Usage

_encode = msgspec.json.Encoder().encode


class Call(msgspec.Struct):
    """One tool call of the live turn; `id` is the id it is sent with."""

    instance: str
    id: str
    line: ToolCall
    result: ToolResult | None = None


class Turn(msgspec.Struct):
    """What is known of the live turn."""

    steps: int = 0
    """Requests begun for it, tries of the same one not counted."""
    tries: int = 0
    """Retries since the last answer."""
    pause_ms: int = 0
    """How long the retry that is due waits."""
    request: int | None = None
    """The `send_request` that nothing has closed yet."""
    failure: Failure | None = None
    stop: StopReason | None = None
    ended: str = "no"
    """no, failed, interrupted, crashed: whether the turn was cut short."""
    paused: bool = False
    """The model wants to be asked again as it is."""
    unasked: bool = False
    """A call needed a person, and there was none."""
    numbered: int = 0
    """Calls so far, over all answers of the turn."""
    calls: dict[str, Call] = msgspec.field(default_factory=dict)
    """The calls of the last answer, by instance, in its order."""
    overflowed: bool = False
    """The server has said that the context is too long; that helps once a turn."""
    due: Literal["auto", "overflow"] = "auto"
    """What the next cut is asked for by."""
    stuck: int = 0
    """Cuts since the context has last become smaller by one."""


class Cutting(msgspec.Struct):
    """What is known of the cut under way, and of the last one."""

    tries: int = 0
    pause_ms: int = 0
    request: int | None = None
    """The `summarise` that nothing has closed yet."""
    failure: Failure | None = None
    asked: Summarise | None = None
    text: BlobText = ""
    """The summary that has come …"""
    summary: BlobText = ""
    """… and the one in force."""
    spent: Usage | None = None
    """What it has cost, in tokens."""
    instruction: str = ""
    """A person's word to it."""
    context: int = 0
    """Tokens of the context when the last cut was made."""
    cuts: int = 0
    nudged: bool = False
    """The model was told, since the last one, that the context is filling up."""
    lines: int = 0
    """Real user lines before the first one that is still in the conversation."""
    before: list[Message] = msgspec.field(default_factory=list)
    """The conversation before the last cut …"""
    former: BlobText = ""
    """… the summary it had then …"""
    kept: int = 0
    """… how many messages were left after it …"""
    begun: dict[int, int] = msgspec.field(default_factory=dict)
    """… and where the turns began before it."""


class Plans(msgspec.Struct):
    """Draft and plan: their texts, and who spoke or wrote last."""

    draft: BlobText = ""
    confirmed: BlobText = ""
    """The draft's text when the person said yes to it."""
    plan: BlobText = ""
    """The text in force, or of the last that was."""
    gone: BlobText = ""
    """The last draft that was confirmed or cancelled: its file may still hold it."""
    was: BlobText = ""
    """The plan before the last change of it."""
    drafted: int = -1
    """Where the draft last changed …"""
    spoke: int = -1
    """… and where a person last spoke."""
    asked: str = ""
    """The last command …"""
    refused: str = ""
    """… and why it did not fit, if it did not."""


class Running:
    """A digest over an append-only list: how many items, and a hash over all."""

    __slots__ = ("count", "hash")

    def __init__(self) -> None:
        self.count, self.hash = 0, b""

    def add(self, item: Message) -> int:
        """Take the next item in; return how many bytes it has."""
        self.count += 1
        raw = _encode(item)
        self.hash = hashlib.sha256(self.hash + raw).digest()
        return len(raw)
