"""The world: what the log says so far, as the core needs it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import msgspec

from fsm_agent.events.derived import ToolResult
from fsm_agent.events.inputs import Settings, Text, Thinking, ToolCall
from fsm_agent.events.values import (
    Blob,
    BlobText,
    Failure,
    Message,
    Price,
    Section,
    StopReason,
    ToolSpec,
    Usage,
)
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.declared import tables
from fsm_agent.machine import Table
from fsm_agent.policy.grants import Grants

BlockLine = Thinking | Text | ToolCall

FINAL_TURN = frozenset({"answered", "failed", "interrupted", "exhausted"})
"""The turn's ends; a turn leaves the small state when it is in one of them."""
FINAL_TOOL = frozenset({"done", "denied", "cancelled", "unknown"})
"""A tool's ends."""


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


class Running:
    """A digest over an append-only list: how many items, and a hash over all."""

    __slots__ = ("count", "hash")

    def __init__(self) -> None:
        self.count, self.hash = 0, b""

    def add(self, item: Message) -> None:
        """Take the next item in."""
        self.count += 1
        self.hash = hashlib.sha256(self.hash + _encode(item)).digest()


class World(msgspec.Struct):
    """All the facts; moved only by `fold.apply`.

    `blobs` gives the text behind a reference: content-addressed, so the same for the same log.
    `tables` are the machines that decide; the fold never looks at them.
    """

    blobs: Callable[[Blob], str]
    tables: Mapping[str, Table] = msgspec.field(default_factory=tables)
    seq: int = 0
    time: str = ""
    session: str = ""
    cwd: str = ""
    at: dict[str, str] = msgspec.field(default_factory=dict)
    open: dict[str, int] = msgspec.field(default_factory=dict)
    asker: dict[str, str] = msgspec.field(default_factory=dict)
    turns: int = 0
    turn: Turn = msgspec.field(default_factory=Turn)
    last_turn: str = ""
    unfinished: bool = False
    leaving: str = ""
    heard: dict[int, list[tuple[int, BlockLine]]] = msgspec.field(default_factory=dict)
    waiting: dict[int, str] = msgspec.field(default_factory=dict)
    """Lines of the person that no turn has taken, by seq."""
    pending: dict[int, str] = msgspec.field(default_factory=dict)
    """Notes and injected lines that the model has not seen, by seq."""
    settings: Settings = msgspec.field(default_factory=lambda: Settings(protocol="", model=""))
    sections: tuple[Section, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    prefix: str = ""
    """Digest of prompt, tools and settings: an epoch's head."""
    grants: Grants = msgspec.field(default_factory=Grants)
    messages: list[Message] = msgspec.field(default_factory=list)
    spoken: Running = msgspec.field(default_factory=Running)
    ids: set[str] = msgspec.field(default_factory=set)
    """Call ids already in the conversation."""
    usage: Usage = msgspec.field(default_factory=Usage)
    price: Price | None = None
    """What the request under way costs: the settings may be others when it ends."""
    cost: int = 0
    """Micro-dollars of all answers whose price and usage are known …"""
    unpriced: int = 0
    """… and how many others there were."""
    requests: int = 0
    sent_prefix: str = ""
    """The epoch of the last request …"""
    sent_bytes: int = 0
    """… and the size of its body."""
    context: int = 0
    """Prompt tokens of the last request that reported any."""

    body: Bodies = msgspec.field(default_factory=Bodies)

    def text(self, text: BlobText) -> str:
        """The text itself, wherever it is kept."""
        return text if isinstance(text, str) else self.blobs(text)

    def say(self, message: Message) -> None:
        """Append to the conversation."""
        self.messages.append(message)
        self.spoken.add(message)

    @property
    def live(self) -> str | None:
        """The instance of the turn that is under way."""
        name = f"turn-{self.turns}"
        return name if name in self.at else None


_encode = msgspec.json.Encoder().encode
_sorted = msgspec.json.Encoder(order="sorted").encode


def digest(world: World) -> str:
    """`seal.state`: 16 hex digits over the small state and the running digests.

    Its text form is part of log format 1: a JSON array, objects with sorted keys.
    """
    turn = world.turn
    small = (
        (world.seq, world.turns, world.last_turn, world.unfinished, world.leaving),
        (world.at, world.open, world.asker),
        (turn.steps, turn.tries, turn.pause_ms, turn.request, turn.failure, turn.stop),
        (turn.ended, turn.paused, turn.unasked, turn.numbered),
        [(c.instance, c.id, c.result is not None) for c in turn.calls.values()],
        (list(world.waiting), list(world.pending), world.prefix, world.grants),
        (world.usage, world.requests, world.context, world.sent_prefix, world.sent_bytes),
        (world.spoken.count, world.spoken.hash.hex()),
    )
    return hashlib.sha256(_sorted(small)).hexdigest()[:16]
