"""A conversation of any length in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import cast, overload

import msgspec

from fsm_agent.events.values import Message

AT_HAND = 1 << 21
"""Bytes, as JSON, above which the older half of what is at hand is forgotten."""
_encode = msgspec.json.Encoder().encode


def paged(again: Callable[[], Iterator[Message]]) -> list[Message]:
    """An empty conversation that takes little memory however long it gets.

    Only its end is at hand, the rest is read again when it is needed. That is rare: a body grows
    at its end, and begins anew only with an epoch.

    Args:
        again: Gives the conversation from its first message on.
    """
    return cast("list[Message]", _Paged(again))  # it does all that is done with messages


class _Paged(Sequence[Message]):
    def __init__(self, again: Callable[[], Iterator[Message]]) -> None:
        self._again = again
        self._gone, self._end = 0, list[Message]()
        self._size = 0

    def append(self, message: Message) -> None:
        """Take the next message in."""
        self._end.append(message)
        self._size += len(_encode(message))
        if self._size > AT_HAND:
            half = len(self._end) // 2
            del self._end[:half]
            self._gone += half
            self._size = sum(len(_encode(kept)) for kept in self._end)

    def __len__(self) -> int:
        return self._gone + len(self._end)

    def __iter__(self) -> Iterator[Message]:
        yield from islice(self._again(), self._gone)
        yield from self._end

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        places = range(len(self))[index]
        if isinstance(places, int):
            return self[places : places + 1][0]
        if places and min(places[0], places[-1]) < self._gone:
            return list(self)[index]
        return [self._end[place - self._gone] for place in places]

    def __delitem__(self, index: slice) -> None:
        """Take the end back, from the start of the slice on."""
        count = index.indices(len(self))[0]
        del self._end[max(count - self._gone, 0) :]
        self._gone = min(self._gone, count)
