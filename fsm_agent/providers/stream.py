"""An answer on the wire: read until it ends, breaks or is let go."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

import httpx
import msgspec

from fsm_agent.dialects.protocol import Answer, Decoder, Delta
from fsm_agent.events.values import Failure
from fsm_agent.providers.faults import CUT_OFF, WIRE_ERRORS, interrupted, redacted

DRAIN_S = 0.1
"""How long to wait for the end of a body whose answer has ended, in seconds. It is nearly always
there already; taken in, the connection can carry the next request."""


class WireStream:
    """A response with status 200, read through a dialect's decoder.

    The idle deadline counts events that carry something: a server that sends comments, or a byte
    now and then, stands still. Only time spent in waiting for the wire counts.
    """

    def __init__(
        self, response: httpx.Response, decoder: Decoder, *, idle_s: float, key: str | None
    ) -> None:
        headers = response.headers
        self.status = response.status_code
        self.request_id: str | None = headers.get("request-id") or headers.get("x-request-id")
        self._response = response
        self._chunks = response.aiter_raw()
        self._decoder = decoder
        self._idle_s = idle_s
        self._key = key
        self._whole = False  # the body has ended as HTTP says
        self._fault: Failure | None = None
        self._closed = False

    def __aiter__(self) -> WireStream:
        return self

    async def __anext__(self) -> Sequence[Delta]:
        if not (self._over() or self._closed) and (deltas := await self._read()):
            return deltas
        await self._finish()
        raise StopAsyncIteration

    def answer(self) -> Answer:
        """What came: whole after iteration has ended, else what there is (cut off)."""
        answer = self._decoder.answer(self._fault if self._over() else CUT_OFF)
        if answer.failure is None:
            return answer
        return msgspec.structs.replace(answer, failure=redacted(answer.failure, self._key))

    async def close(self) -> None:
        """Let go of the connection; may be called twice, and while another task iterates."""
        self._closed = True
        await self._response.aclose()

    def _over(self) -> bool:
        return self._whole or self._decoder.ended or self._fault is not None

    async def _read(self) -> Sequence[Delta]:
        """The next deltas; none when the answer is over, whatever ended it."""
        decoder, now = self._decoder, asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(self._idle_s) as deadline:
                async for chunk in self._chunks:
                    progress = decoder.progress
                    deltas = decoder.feed(chunk)
                    if deltas or decoder.ended:
                        return deltas
                    if decoder.progress > progress:
                        deadline.reschedule(now() + self._idle_s)
            self._whole = True
        except WIRE_ERRORS as error:
            if not self._closed:  # else another task has let go, and this is how it shows here
                self._fault = interrupted(error, self._idle_s)
        return ()

    async def _finish(self) -> None:
        if self._fault is None and not self._closed:
            with contextlib.suppress(*WIRE_ERRORS):
                async with asyncio.timeout(DRAIN_S):
                    async for _ in self._chunks:
                        pass
        await self.close()
