"""What decoders of all protocols share: framing, other bodies, the end.

The first byte that says something decides what came: `{` or `[` a JSON body (an answer that was
not streamed, or an error), `<` a page of some proxy, all else events. Content types lie too often.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from fsm_agent.dialects.failures import readable, reported
from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.dialects.spelling import clean, encode
from fsm_agent.dialects.splitting import BOM, EVENT_LIMIT, Splitter
from fsm_agent.events.values import (
    Block,
    CallBlock,
    Failure,
    StopReason,
    TextBlock,
    ThinkingBlock,
    Usage,
)

T = TypeVar("T")

_BLANK = BOM + b" \t\r\n"
_START_KEPT = 4096
"""Bytes kept of what came before the first event, to be shown if none comes."""
_DIGITS = 30  # of an integer; Python refuses very long ones
_GOOD_ENDS = ("end_turn", "tool_use", "stop_sequence")


class AnswerDecoder(ABC):
    """A decoder without its grammar: subclasses take events and give blocks.

    Attributes:
        progress: Payload events so far, or pieces of a body that is none.
        ended: Nothing that matters can follow.
    """

    def __init__(self, content_type: str, key: str) -> None:
        self.progress = 0
        self.ended = False
        self._key = key
        self._stop: StopReason | None = None
        self._failure: Failure | None = None
        self._warnings: list[str] = []
        self._content_type = content_type.partition(";")[0].strip().lower()
        self._splitter = Splitter()
        self._decided = False
        self._body: bytearray | None = None
        self._start = b""

    @abstractmethod
    def _take(self, name: bytes, data: bytes, out: list[Delta]) -> None:
        """Take one event, or a JSON body as the one event it is; deltas go to `out`."""

    @abstractmethod
    def _blocks(self, stop: StopReason | None) -> list[Block]:
        """All blocks so far, in wire order; without a stop reason the answer was cut off."""

    @abstractmethod
    def _usage(self) -> Usage | None:
        """Usage as last reported."""

    def feed(self, chunk: bytes) -> Sequence[Delta]:
        """Take bytes in; return what they add to the screen."""
        if not self._decided:
            self._decide(chunk)
        out: list[Delta] = []
        if self._body is not None:
            self._body += chunk[: EVENT_LIMIT + 1 - len(self._body)]
            self.progress += 1
            return out
        if not self.progress:
            self._start += chunk[: _START_KEPT - len(self._start)]
        try:
            for name, data in self._splitter.feed(chunk):
                if self.ended:
                    break
                self._take(name, data, out)
        except (msgspec.DecodeError, RecursionError) as fault:
            self._fail(_unreadable(str(fault)))
        if self._splitter.overflow:
            self._fail(_unreadable("one event is longer than 8 MiB"))
        return out

    def answer(self, broke: Failure | None = None) -> Answer:
        """Close the answer: `broke` is the transport's failure; without one, the bytes ended."""
        if self._body and not self.ended and not broke:
            self._take_body(bytes(self._body).strip(_BLANK))
        stop, failure = self._stop, self._failure
        if stop is None and failure is None:
            failure = broke or self._cut_off()
        blocks = self._blocks(stop)
        if stop in (*_GOOD_ENDS, "pause"):
            if any(isinstance(b, CallBlock) and not b.partial for b in blocks):
                stop = "tool_use"
            elif stop == "tool_use":
                stop = "end_turn"
        if stop in _GOOD_ENDS and not any(map(_says_something, blocks)):
            stop, failure = None, _EMPTY
        warning = clean("; ".join(self._warnings)) or None
        return Answer(tuple(blocks), stop, self._usage(), failure, warning)

    def _fail(self, failure: Failure) -> None:
        """Note a failure; after the answer's own end it is no more than a warning."""
        if self.ended:
            return
        self.ended = True
        if self._stop is None:
            self._failure = failure
        else:
            self._warnings.append(f"after the end of the answer: {failure.message}")

    def _report(self, error: object) -> None:
        self._fail(reported(error, self._key))

    def _decide(self, chunk: bytes) -> None:
        said = chunk.lstrip(_BLANK)
        self._decided = bool(said)
        if said.startswith((b"{", b"[", b"<")):
            self._body = bytearray()

    def _take_body(self, body: bytes) -> None:
        try:
            if not body.startswith(b"<"):
                self._take(b"", body.removeprefix(b"[").removesuffix(b"]"), [])
        except (msgspec.DecodeError, RecursionError):
            pass
        if self._stop is None:
            self._fail(_no_answer(body))
        self.ended = True

    def _cut_off(self) -> Failure:
        unframed = not self.progress and "event-stream" not in self._content_type
        if unframed and self._start.strip(_BLANK):
            return _no_answer(self._start)
        return Failure("stream_interrupted", "the answer broke off before its end", retry=True)


_EMPTY = Failure("empty_answer", "the model ended its answer without saying anything", retry=True)


def tolerant(data: bytes, kind: type[T]) -> T:
    """Decode an event whose strings hold halves of surrogate pairs.

    Servers that cut texts by UTF-16 units send a character's halves in two events; `json` keeps
    them as they are, and joining the text makes them whole. Numbers too large become infinite.

    Raises:
        msgspec.DecodeError: If it is no JSON, or other than `kind`.
    """
    try:
        return msgspec.convert(_loads(data), kind, strict=False)
    except msgspec.DecodeError:
        raise
    except ValueError:  # half a character or very many digits where no text belongs
        raise msgspec.DecodeError("an event holds a text where none belongs") from None


def healed(data: bytes) -> bytes:
    """The same event as JSON that any reader takes: halves are replaced, infinite is null.

    Raises:
        msgspec.DecodeError: If it is no JSON.
    """
    return encode(_loads(data))


def _loads(data: bytes) -> object:
    try:
        value: object = json.loads(data, parse_int=_integer)
    except ValueError:
        raise msgspec.DecodeError("an event is no JSON") from None
    return value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _says_something(block: Block) -> bool:
    match block:
        case CallBlock():
            return True
        case TextBlock():
            return bool(block.text.strip()) or bool(bytes(block.native))
        case ThinkingBlock():
            return False


def _no_answer(body: bytes) -> Failure:
    said = readable(body)
    return Failure("server_error", f"status 200, but no answer: {said}", retry=True, status=200)


def _unreadable(why: str) -> Failure:
    return Failure("stream_interrupted", f"the answer cannot be read: {why}", retry=True)
