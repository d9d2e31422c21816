"""The answer that is arriving: what is finished goes up, the rest is seen."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import msgspec

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.derived import Unknown
from fsm_agent.events.inputs import Event
from fsm_agent.interfaces.painting.blocks import Piece, Splitter
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.items import Item, Noted, Retrying, Said, Thought, TurnEnded
from fsm_agent.interfaces.painting.view import seconds_between

LET_GO = "what came of that answer is not kept"


class _Text:
    """A text as far as it has come; blocks of it that are finished have been given away."""

    def __init__(self) -> None:
        self.seen = hashlib.sha256()
        self.shown = self.ended = False
        self._splitter = Splitter()

    def add(self, text: str) -> Iterator[Item]:
        self.seen.update(text.encode(errors="surrogatepass"))
        yield from self._given(self._splitter.feed(text))

    def end(self) -> Iterator[Item]:
        self.ended = True
        yield from self._given(self._splitter.end())

    def _given(self, pieces: Iterator[Piece]) -> Iterator[Item]:
        for piece in pieces:
            self.shown = True
            yield piece

    @property
    def tail(self) -> str:
        return self._splitter.rest


class _Reasoning:
    """Reasoning as far as it has come; it is given away as a whole."""

    def __init__(self) -> None:
        self.seen = hashlib.sha256()
        self.shown = self.ended = False
        self._parts: list[str] = []

    def add(self, text: str) -> Iterator[Item]:
        self.seen.update(text.encode(errors="surrogatepass"))
        self._parts.append(text)
        return iter(())

    def end(self) -> Iterator[Item]:
        self.ended = True
        if text := self.tail.strip():
            self.shown = True
            yield Thought(text)
        self._parts.clear()

    @property
    def tail(self) -> str:
        return "".join(self._parts)


_KINDS: dict[str, type[_Text | _Reasoning]] = {"text": _Text, "thinking": _Reasoning}


class Arriving:
    """Takes the pieces of an answer in, and then the answer that is in the log.

    Each block is shown once: as soon as it is finished, or when the log has it.

    Args:
        clean: Replaces secrets, as they are replaced in the log.
    """

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        self._clean = clean
        self._runs: deque[_Text | _Reasoning] = deque()
        self._calls: list[tuple[str, int]] = []
        self._heard = ""
        self._over = self._secret = False

    def add(self, deltas: Sequence[Delta], now: str) -> Iterator[Item]:
        """Take pieces in; what is finished by them. `now` is the log time at which they came."""
        self._heard = now
        for kind, group in groupby(deltas, key=lambda delta: delta.kind):
            texts = [delta.text for delta in group]
            if kind == "call":
                yield from self._closed()
                self._calls += [(name, 0) for name in texts]
            elif kind == "arguments":
                name, size = self._calls.pop() if self._calls else ("", 0)
                self._calls.append((name, size + sum(map(len, texts))))
            else:
                yield from self._told(_KINDS[kind], "".join(texts))

    def _told(self, kind: type[_Text | _Reasoning], text: str) -> Iterator[Item]:
        if not (self._runs and isinstance(self._runs[-1], kind) and not self._runs[-1].ended):
            yield from self._closed()
            self._runs.append(kind())
        yield from self._cleaned(self._runs[-1].add(text))

    def _closed(self) -> Iterator[Item]:
        if self._runs and not self._runs[-1].ended:
            yield from self._cleaned(self._runs[-1].end())

    def _cleaned(self, items: Iterator[Item]) -> Iterator[Item]:
        for item in items:
            clean = item
            if isinstance(item, Piece):
                clean = msgspec.structs.replace(item, source=self._clean(item.source))
            elif isinstance(item, Thought):
                clean = Thought(self._clean(item.text))
            self._secret = self._secret or clean != item
            yield clean

    def heed(self, event: Event | Unknown) -> None:
        """Take a line of the log: a request begins, or its answer is over."""
        match event:
            case d.SendRequest():
                self._runs.clear()
                self._calls.clear()
                self._heard, self._over, self._secret = "", False, False
            case i.Rejected() | i.Completed() | i.Broken() | i.Stopped():
                self._calls.clear()
                self._over = True
            case _:
                pass

    def remaining(self, item: Item) -> Iterator[Item]:
        """What of an item has not been shown yet."""
        match item:
            case Said(text=text, partial=partial):
                yield from self._left(_Text, text, item)
                if partial:
                    yield Said("", partial=True)
            case Thought(text=text):
                yield from self._left(_Reasoning, text, item)
            case Retrying() | TurnEnded():
                if any(run.shown for run in self._runs):
                    yield Noted(LET_GO)
                self._runs.clear()
                yield item
            case _:
                yield item

    def _left(self, kind: type[_Text | _Reasoning], text: str, item: Item) -> Iterator[Item]:
        """The end of what has come; all of it, if something else is in the log."""
        run = next((run for run in self._runs if isinstance(run, kind)), None)
        if run is not None:
            self._runs.remove(run)
        if run is None or not run.shown:
            yield item
        else:
            left = list(self._cleaned(run.end()))
            is_same = self._secret or run.seen.digest() == _digest(text)
            yield from left if is_same else [item]

    # -- what is seen of it ----------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether any of it has come."""
        return bool(self._heard)

    def tail(self) -> Iterator[tuple[str, str]]:
        """What is not finished, as styles and texts, the text not escaped yet."""
        if self._over:
            return
        if self._runs and not self._runs[-1].ended:
            style = "text" if isinstance(self._runs[-1], _Text) else "thinking"
            yield style, self._clean(self._runs[-1].tail)
        for name, size in self._calls:
            yield "call", f"[tool] {escape_line(name)} · {size:,} characters"

    def silent_s(self, since: str, now: str) -> float:
        """Seconds since the last piece, or since the request went out."""
        return seconds_between(max(self._heard, since), now)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()
