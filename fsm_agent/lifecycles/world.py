"""The world: what the log says so far, as the core needs it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import accumulate
from typing import Any

import msgspec
from msgspec.structs import replace

from fsm_agent.context.economy import size
from fsm_agent.events.inputs import Settings, Text, Thinking, ToolCall
from fsm_agent.events.values import (
    AssistantMessage,
    Blob,
    BlobText,
    Message,
    Price,
    Section,
    ThinkingBlock,
    ToolSpec,
    Usage,
)
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.declared import tables
from fsm_agent.lifecycles.facts import Cutting, Plans, Running, Turn
from fsm_agent.machine import Table
from fsm_agent.policy.grants import Grants

BlockLine = Thinking | Text | ToolCall

SHAPING = ("protocol", "model", "base_url", "vendor", "max_tokens", "effort", "cache_key")
"""Settings that a request's head is made of."""
FINAL_TURN = frozenset({"answered", "failed", "interrupted", "exhausted"})
"""The turn's ends; a turn leaves the small state when it is in one of them."""
FINAL_TOOL = frozenset({"done", "denied", "cancelled", "unknown"})
"""A tool's ends."""


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
    """Notes and injected lines that the model has not seen, by seq …"""
    news: set[int] = msgspec.field(default_factory=set)
    """… and those of them that begin a turn by themselves."""
    settings: Settings = msgspec.field(default_factory=lambda: Settings(protocol="", model=""))
    sections: tuple[Section, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    prefix: str = ""
    """Digest of prompt, tools and settings: an epoch's head."""
    grants: Grants = msgspec.field(default_factory=Grants)
    messages: list[Message] = msgspec.field(default_factory=list)
    spoken: Running = msgspec.field(default_factory=Running)
    sums: list[int] = msgspec.field(default_factory=list)
    """Tokens of the conversation up to each message, and with it."""
    begun: dict[int, int] = msgspec.field(default_factory=dict)
    """The turns that the conversation can be rewound to, and how many messages come before each."""
    rewound: dict[str, Any] = msgspec.field(default_factory=dict)
    """The facts as they were before the conversation was rewound, until a turn begins."""
    common: int | None = None
    """Messages that the last request had, too, if the conversation was rewound since."""
    cutting: Cutting = msgspec.field(default_factory=Cutting)
    plans: Plans = msgspec.field(default_factory=Plans)
    fresh: dict[str, tuple[str, BlobText | None]] = msgspec.field(default_factory=dict)
    """Texts of instruction files and memory that the prompt does not hold yet: path → kind, text."""
    epoch: int = 0
    """How often the conversation was cut."""
    ids: set[str] = msgspec.field(default_factory=set)
    """Call ids already in the conversation."""
    usage: Usage = msgspec.field(default_factory=Usage)
    price: Price | None = None
    """What the request under way costs: the settings may be others when it ends."""
    cost: int = 0
    """Micro-dollars of all answers whose price and usage are known …"""
    unpriced: int = 0
    """… and how many others there were."""
    answers: int = 0
    """Answers that the conversation has taken in."""
    requests: int = 0
    asked: tuple[int, int] = (0, 0)
    """Requests of turns that reported usage, and their prompts' tokens."""
    sent_prefix: str = ""
    """The epoch of the last request …"""
    sent_bytes: int = 0
    """… and the size of its body."""
    context: int = 0
    """Prompt tokens of the last request that reported any …"""
    measured: int = 0
    """… and how many messages it had."""

    body: Bodies = msgspec.field(default_factory=Bodies)

    def text(self, text: BlobText) -> str:
        """The text itself, wherever it is kept."""
        return text if isinstance(text, str) else self.blobs(text)

    def say(self, message: Message) -> None:
        """Append to the conversation."""
        self.messages.append(message)
        before = self.sums[-1] if self.sums else 0
        self.sums.append(before + size(self.spoken.add(message)))

    def cut(self, messages: list[Message], same: int = 0) -> None:
        """Put these in place of the conversation: a new epoch begins.

        The last `same` of the old ones still stand at the end.
        """
        was = len(self.messages)
        moved = {turn: at + len(messages) - was for turn, at in self.begun.items()}
        self.begun = {turn: at for turn, at in moved.items() if at >= len(messages) - same}
        self.epoch += 1
        self._put(messages)
        self.reshape()

    def reshape(self) -> None:
        """See whether a new epoch begins. If so, no reasoning of an old one is sent again.

        Providers bind reasoning to the exact bytes before it.
        """
        shaping = [getattr(self.settings, name) for name in SHAPING]
        parts = _encode((shaping, self.tools, self.sections, self.epoch))
        prefix = hashlib.sha256(parts).hexdigest()[:16]
        if prefix == self.prefix:
            return
        self.prefix = prefix
        if any(without_thinking(message) is not message for message in self.messages):
            self._put([without_thinking(message) for message in self.messages])

    def _put(self, messages: list[Message]) -> None:
        self.messages = messages
        self.sums = list(accumulate(size(len(_encode(message))) for message in messages))

    def trying(self, name: str) -> Turn | Cutting:
        """Whose request it is that this instance waits for."""
        return self.cutting if name == "compaction" else self.turn

    @property
    def live(self) -> str | None:
        """The instance of the turn that is under way."""
        name = f"turn-{self.turns}"
        return name if name in self.at else None


_encode = msgspec.json.Encoder().encode
_sorted = msgspec.json.Encoder(order="sorted").encode


@lru_cache(16)
def sha256(text: BlobText) -> str:
    """The text's SHA-256 in hex; of an empty one, nothing."""
    if isinstance(text, Blob):
        return text.blob
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def without_thinking(message: Message) -> Message:
    """The message as it is sent in another epoch than its own."""
    if not isinstance(message, AssistantMessage):
        return message
    kept = tuple(block for block in message.blocks if not isinstance(block, ThinkingBlock))
    return message if len(kept) == len(message.blocks) else replace(message, blocks=kept)


def digest(world: World) -> str:
    """`seal.state`: 16 hex digits over the small state and the running digests.

    Its text form is part of log format 1: a JSON array, objects with sorted keys.
    """
    turn, cutting, plans = world.turn, world.cutting, world.plans
    small = (
        (world.seq, world.turns, world.last_turn, world.unfinished, world.leaving),
        (world.at, world.open, world.asker),
        (turn.steps, turn.tries, turn.pause_ms, turn.request, turn.failure, turn.stop),
        (turn.ended, turn.paused, turn.unasked, turn.numbered),
        [(c.instance, c.id, c.result is not None) for c in turn.calls.values()],
        (list(world.waiting), list(world.pending), world.prefix, world.grants),
        (world.usage, world.requests, world.context, world.sent_prefix, world.sent_bytes),
        (world.spoken.count, world.spoken.hash.hex()),
        (world.epoch, len(world.messages), world.measured, world.asked, list(world.fresh)),
        (cutting.tries, cutting.pause_ms, cutting.request, cutting.failure, cutting.cuts),
        (cutting.nudged, cutting.lines, cutting.kept, sha256(cutting.summary)),
        (turn.overflowed, turn.due, turn.stuck),
        (sha256(plans.draft), sha256(plans.confirmed), sha256(plans.plan)),
        (plans.drafted, plans.spoke, plans.refused),
    )
    return hashlib.sha256(_sorted(small)).hexdigest()[:16]
