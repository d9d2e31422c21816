"""Reading answers in pieces, for all tests of dialects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest

from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Failure

Read = Callable[..., Answer]


def pieces(data: bytes, sizes: int | Sequence[int]) -> Iterable[bytes]:
    """The data cut into pieces of these sizes, again and again."""
    sizes = [sizes] if isinstance(sizes, int) else sizes
    at = turn = 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        yield data[at : at + size]
        at, turn = at + size, turn + 1


@pytest.fixture(scope="session")
def read() -> Read:
    """Reads one answer: protocol, its bytes, then what differs from one streamed whole."""

    def reading(
        protocol: str,
        data: bytes,
        *,
        sizes: int | Sequence[int] = 1 << 30,
        content_type: str = "text/event-stream",
        deltas: list[Delta] | None = None,
        broke: Failure | None = None,
        **settings: str,
    ) -> Answer:
        given = Settings(protocol=protocol, model="m", **settings)  # type: ignore[arg-type]  # texts only
        decoder = dialect(protocol).decoder(given, content_type)
        for piece in pieces(data, sizes):
            found = decoder.feed(piece)
            if deltas is not None:
                deltas += found
        return decoder.answer(broke)

    return reading
