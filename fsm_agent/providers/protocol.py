"""What a provider is: a body in, a stream of deltas and one answer out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.values import Failure


class Stream(Protocol):
    """An answer that has begun. It is held by the turn, not by the task that reads it."""

    status: int
    request_id: str | None

    def __aiter__(self) -> AsyncIterator[Sequence[Delta]]:
        """Deltas as they come; ends when the answer does. Never raises for the wire's faults."""

    def answer(self) -> Answer:
        """What came: whole after iteration has ended, else what there is (cut off)."""

    async def close(self) -> None:
        """Let go of the connection; may be called twice, and while another task iterates."""


class Provider(Protocol):
    """A model to be asked. Failures are values; only cancellation is an exception."""

    async def open(self, body: bytes) -> Stream | Failure:
        """Send the request and wait for the head of the response."""

    async def close(self) -> None:
        """Let go of everything."""
