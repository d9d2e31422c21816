"""What events are made of: texts, blocks, messages, usage, failures."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

NO_NATIVE = msgspec.Raw()
"""No provider's item: the neutral fields rebuild it. (`Raw` cannot stand in a union.)"""

INLINE_LIMIT = 4096
"""Bytes of UTF-8 above which a text stands in a blob and not in its line."""


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A frozen value; fields at their default are not written."""


class Blob(Value, frozen=True):
    """A text or file kept in `blobs/`, named by its SHA-256 (hex)."""

    blob: str
    bytes: int


BlobText: TypeAlias = str | Blob
"""A text: inline up to `INLINE_LIMIT` bytes, a blob above."""


class Usage(Value, frozen=True, omit_defaults=True):
    """Tokens of one request. `input` is neither cached nor written; `output` holds `reasoning`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    @property
    def prompt(self) -> int:
        """The whole prompt, in tokens: fresh, read from the cache and written to it."""
        return self.input + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
        )


class Price(Value, frozen=True):
    """What a model costs, in micro-dollars per million tokens.

    `output` holds reasoning. `above` is the prompt size, in tokens, beyond which the dearer tier of
    the same model holds for the whole request (0: there is none); a tier may have one in turn.
    """

    input: int
    output: int
    cache_read: int
    cache_write: int
    above: int = 0
    tier: Price | None = None

    def cost(self, usage: Usage) -> int:
        """What a request cost, in micro-dollars, rounded up."""
        if self.tier and usage.prompt > self.above > 0:
            return self.tier.cost(usage)
        parts = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
        )
        return -(-parts // 1_000_000)


class Economy(Value, frozen=True):
    """By what cuts of the context are weighed; ratios are decimal texts, for a log has no floats.

    Attributes:
        automatic: Whether the context is cut where that pays, or the window is nearly full.
        window: Tokens that the model takes (0: unknown, then only the server can say).
        price: What the model costs (none: unknown).
        turns: Turns that a session is expected to have (`baseline`).
        turns_left: If not 0, the turns still expected, whatever has been.
        calls: Requests a turn (0: as measured so far).
        summary: Tokens of a summary.
        fixed: Tokens of system prompt, tools and earlier summary.
        instruction: Tokens of the summary's instruction.
        retention: What one summary keeps of what was known, 0 to 1.
        loss: Weight of what is lost.
        quality: Weight of how a full window dulls the model ("0": not weighed).
        keep: Least share of lines (for a forced cut: of turns) that is kept.
        valve: Percent of the window above which a cut is forced.
        nudge: Percent of the window from which the model is told to round off.
    """

    automatic: bool = False
    window: int = 0
    price: Price | None = None
    turns: int = 8
    turns_left: int = 0
    calls: int = 5
    summary: int = 500
    fixed: int = 5000
    instruction: int = 70
    retention: str = "0.8"
    loss: str = "0.03"
    quality: str = "0"
    keep: str = "0.3"
    valve: int = 90
    nudge: int = 70


FailureKind: TypeAlias = Literal[
    "auth",
    "bad_request",
    "content_filter",
    "context_overflow",
    "empty_answer",
    "malformed_answer",
    "network",
    "overloaded",
    "quota_exhausted",
    "rate_limit",
    "server_error",
    "stream_interrupted",
    "script",
]


class Failure(Value, frozen=True):
    """Why a request or an answer failed, classed at the wire.

    `retry_after_ms` is what the server asked for, in milliseconds; `hint` is what a person can do.
    """

    error: FailureKind
    message: str
    retry: bool = False
    status: int | None = None
    code: str | None = None
    retry_after_ms: int | None = None
    hint: str | None = None


StopReason: TypeAlias = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "refusal",
    "content_filter",
    "pause",
    "context_overflow",
]


class ThinkingBlock(Value, frozen=True, tag_field="block", tag="thinking"):
    """Reasoning that came. `native` is the provider's own item, as its bytes, to be echoed."""

    text: str
    native: msgspec.Raw = NO_NATIVE
    partial: bool = False


class TextBlock(Value, frozen=True, tag_field="block", tag="text"):
    """Text of the answer. With `native` and no text: an item only the provider understands."""

    text: str
    native: msgspec.Raw = NO_NATIVE
    partial: bool = False


class CallBlock(Value, frozen=True, tag_field="block", tag="call"):
    """A tool the model asks for.

    `id` is the provider's, maybe empty. `native` are the exact bytes of the arguments where they
    are not the compact form of `input`. `malformed` is the text that was no JSON object; `input`
    is empty then.
    """

    name: str
    id: str
    input: dict[str, Any]
    native: msgspec.Raw = NO_NATIVE
    malformed: str | None = None
    partial: bool = False


Block: TypeAlias = ThinkingBlock | TextBlock | CallBlock


class UserMessage(Value, frozen=True, tag_field="role", tag="user"):
    """What a person said, or a note on the person's side."""

    text: str
    note: bool = False


class AssistantMessage(Value, frozen=True, tag_field="role", tag="assistant"):
    """One answer: its kept blocks in wire order, and who gave it (native items are theirs)."""

    blocks: tuple[Block, ...]
    protocol: str
    model: str


class Result(Value, frozen=True):
    """One tool result as the model gets it; `call` is the id the model's call is sent with."""

    call: str
    name: str
    content: str
    ok: bool = True


class ResultsMessage(Value, frozen=True, tag_field="role", tag="results"):
    """The results of all calls of one answer, in the order of the calls."""

    results: tuple[Result, ...]


Message: TypeAlias = UserMessage | AssistantMessage | ResultsMessage


class Section(Value, frozen=True):
    """One part of the system prompt: `<tag name="…">text</tag>`."""

    tag: str
    text: BlobText
    name: str | None = None


class ToolSpec(Value, frozen=True):
    """A tool as the model is told of it: name, contract, JSON Schema of its input."""

    name: str
    description: str
    parameters: dict[str, Any]


class FileChange(Value, frozen=True):
    """A file that a tool changed: its path, and its bytes before and after (none: not there)."""

    path: str
    before: Blob | None = None
    after: Blob | None = None


class CommandKind(Value, frozen=True):
    """Simple commands that begin with these words and have no other options than these."""

    words: tuple[str, ...]
    options: tuple[str, ...] = ()
