"""The answer that is arriving: what is finished goes up, the rest is seen."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import TypeAlias

import msgspec

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.derived import Unknown
from fsm_agent.events.inputs import Event
from fsm_agent.interfaces.painting.blocks import Piece, Splitter
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.items import Item, Noted, Retrying, Said, Thought, TurnEnded
from fsm_agent.interfaces.painting.thoughts import Look
from fsm_agent.interfaces.painting.view import seconds_between

LET_GO = "what came of that answer is not kept"


class _Seen:
    """What has come of a text, as a digest: without the blanks around it."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._size = 0
        self._blanks = ""

    def add(self, text: str) -> None:
        text = self._blanks + text if self._size else text.lstrip()
        told = text.rstrip()
        self._blanks = text[len(told) :]
        self._size += len(told)
        self._digest.update(_bytes(told))

    def is_all_of(self, text: str) -> bool:
        return self.rest_of(text) == ""

    def rest_of(self, text: str) -> str | None:
        """How a text goes on behind what has come; none if it begins otherwise."""
        text = text.strip()
        if hashlib.sha256(_bytes(text[: self._size])).digest() != self._digest.digest():
            return None
        return text[self._size :].removeprefix(self._blanks)


class _Text:
    """A text as far as it has come; blocks of it that are finished have been given away."""

    def __init__(self) -> None:
        self.seen, self.shown = _Seen(), False
        self._splitter = Splitter()

    def add(self, text: str) -> Iterator[Item]:
        self.seen.add(text)
        yield from self._given(self._splitter.feed(text))

    def end(self) -> Iterator[Item]:
        yield from self._given(self._splitter.end())

    def _given(self, pieces: Iterator[Piece]) -> Iterator[Item]:
        for piece in pieces:
            self.shown = True
            yield piece

    @property
    def tail(self) -> str:
        return self._splitter.rest


class _Reasoning:
    """Reasoning as far as it has come; it is given away whenever something else follows."""

    def __init__(self) -> None:
        self.seen, self.shown = _Seen(), False
        self._parts: list[str] = []

    def add(self, text: str) -> Iterator[Item]:
        self.seen.add(text)
        self._parts.append(text)
        return iter(())

    def end(self) -> Iterator[Item]:
        if text := self.tail.strip():
            self.shown = True
            yield Thought(text)
        self._parts.clear()

    @property
    def tail(self) -> str:
        return "".join(self._parts)


_Run: TypeAlias = _Text | _Reasoning
_KINDS: dict[str, type[_Run]] = {"text": _Text, "thinking": _Reasoning}


class Arriving:
    """Takes the pieces of an answer in, and then the answer that is in the log.

    Each block is shown once: as soon as it is finished, or when the log has it.

    Args:
        clean: Replaces secrets, as they are replaced in the log.
        look: Says how reasoning is shown.
    """

    def __init__(
        self, clean: Callable[[str], str] = str, look: Callable[[], Look] = lambda: "folded"
    ) -> None:
        self._clean, self._look = clean, look
        self._runs: dict[tuple[str, int], _Run] = {}
        self._last: _Run | None = None
        self._calls: list[tuple[str, int]] = []
        self._heard = ""
        self._over = self._secret = False

    def add(self, deltas: Sequence[Delta], now: str) -> Iterator[Item]:
        """Take pieces in; what is finished by them. `now` is the log time at which they came."""
        self._heard = now
        for (kind, block), group in groupby(deltas, key=lambda delta: (delta.kind, delta.block)):
            texts = [delta.text for delta in group]
            if kind == "call":
                yield from self._ended(*self._runs.values())
                self._calls += [(name, 0) for name in texts]
            elif kind == "arguments":
                name, size = self._calls.pop() if self._calls else ("", 0)
                self._calls.append((name, size + sum(map(len, texts))))
            else:
                yield from self._told(kind, block, "".join(texts))

    def _told(self, kind: str, block: int, text: str) -> Iterator[Item]:
        """A new block ends all before it; one that goes on lets a text between be open."""
        run = self._runs.get((kind, block))
        if run is None:
            yield from self._ended(*self._runs.values())
            run = self._runs[kind, block] = _KINDS[kind]()
        elif run is not self._last and isinstance(self._last, _Reasoning):
            yield from self._ended(self._last)
        self._last = run
        yield from self._cleaned(run.add(text))

    def _ended(self, *runs: _Run) -> Iterator[Item]:
        for run in runs:
            yield from self._cleaned(run.end())

    def _cleaned(self, items: Iterator[Item]) -> Iterator[Item]:
        for item in items:
            clean = item
            if isinstance(item, Piece):
                clean = msgspec.structs.replace(item, source=self._clean(item.source))
            elif isinstance(item, Thought):
                item = msgspec.structs.replace(item, look=self._look())  # noqa: PLW2901
                clean = msgspec.structs.replace(item, text=self._clean(item.text))
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
                yield from self._left(_Text, text, Said(text))
                if partial:
                    yield Said("", partial=True)
            case Thought(text=text):
                yield from self._left(_Reasoning, text, item)
            case Retrying() | TurnEnded():
                if any(run.shown for run in self._runs.values()):
                    yield Noted(LET_GO)
                self._runs.clear()
                yield item
            case _:
                yield item

    def _left(self, kind: type[_Run], text: str, item: Item) -> Iterator[Item]:
        """The end of what has come; all of it, if something else is in the log."""
        runs = {key: run for key, run in self._runs.items() if isinstance(run, kind)}
        same = (key for key, run in runs.items() if run.seen.is_all_of(text))
        shown = (key for key, run in runs.items() if run.shown)
        key = next(same, None) or next(shown, None)
        run = self._runs.pop(key) if key else None
        if run is None or not run.shown:
            yield item
            return
        rest = run.seen.rest_of(text)
        left = list(self._cleaned(chain(run.add(rest or ""), run.end())))
        yield from left if self._secret or rest is not None else [item]

    # -- what is seen of it ----------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether any of it has come."""
        return bool(self._heard)

    def tail(self) -> Iterator[tuple[str, str]]:
        """What is not finished, as styles and texts, the text not escaped yet."""
        if self._over:
            return
        for (kind, _), run in self._runs.items():
            if run.tail and (kind, self._look()) != ("thinking", "hidden"):
                yield kind, self._clean(run.tail)
        for name, size in self._calls:
            yield "call", f"[tool] {escape_line(name)} · {size:,} characters"

    def silent_s(self, since: str, now: str) -> float:
        """Seconds since the last piece, or since the request went out."""
        return seconds_between(max(self._heard, since), now)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
