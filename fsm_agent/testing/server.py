"""A model server on the loopback that says what it is told."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import msgspec

from fsm_agent.testing.replies import Reply, refused

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER without time: closing sends RST."""
SETTLE_S = 0.02
"""So long before an RST, in seconds: what was sent shall arrive, and RST overtakes it."""
ROUNDS = 5
"""Turns of the loop after which a connection that was let in has its task."""


class Received(msgspec.Struct, frozen=True):
    """A request as it came.

    Attributes:
        headers: By lower-case name.
        connection: Which connection it came on, counted from 1.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:  # noqa: ANN401 - any JSON
        """The body's value."""
        return msgspec.json.decode(self.body)


class ModelServer:
    """A server that gives one reply a request, in order; a function makes its reply from it.

    Used with `async with` it runs in the loop of its user; with `with` it runs in a thread, so that
    the client may be a blocking one or another process. It listens on 127.0.0.1 only. An error in a
    function that makes a reply is raised when the server ends; its client sees a closed connection.

    Example:
        >>> reply = Reply(openai([TextBlock("Hello.")]))
        >>> with ModelServer(reply) as server:
        ...     run_a_client(base_url=server.url)
        >>> server.requests[0].json()["messages"]

    Attributes:
        url: Its address, without a path.
        requests: What has come, in order.
    """

    def __init__(self, *replies: Reply | Callable[[Received], Reply]) -> None:
        self.url = ""
        self.requests: list[Received] = []
        self._replies = iter(replies)
        self._connections = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._background = contextlib.ExitStack()
        self._server = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self._server.push_async_callback(self._stop, server)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.aclose()

    def __enter__(self) -> Self:
        loop = self._background.enter_context(_loop_in_a_thread())
        asyncio.run_coroutine_threadsafe(self.__aenter__(), loop).result()
        self._background.callback(
            lambda: asyncio.run_coroutine_threadsafe(self.__aexit__(), loop).result()
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._background.close()

    async def _stop(self, server: asyncio.Server) -> None:
        server.close()
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
        for task in self._tasks:
            task.cancel()
        ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()
        for end in ends:
            if isinstance(end, BaseException):
                raise end

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Known from its first moment: what has not begun when the server ends must end, too."""
        self._tasks.add(asyncio.get_running_loop().create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: requests in, replies out, until one of both sides ends it."""
        connection = next(self._connections)
        try:
            kept = True
            while kept:
                reply = self._reply(await _request(reader, connection))
                kept = await _send(reply, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the server ends: a handler has nobody to tell
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            writer.transport.abort()  # what a client that has gone will never read

    def _reply(self, request: Received) -> Reply:
        self.requests.append(request)
        reply = next(self._replies, None)
        if reply is None:
            return refused(500, {"error": {"message": "the loopback server has no reply left"}})
        return reply if isinstance(reply, Reply) else reply(request)


async def _request(reader: asyncio.StreamReader, connection: int) -> Received:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(method, path, headers, body, connection)


async def _send(reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Send the reply; whether the connection can carry another one."""
    writer.write(reply.head())
    for piece in reply.body:
        if isinstance(piece, bytes):
            writer.write(
                b"%x\r\n%s\r\n" % (len(piece), piece) if reply.framing == "chunked" else piece
            )
            await writer.drain()
        else:
            await asyncio.sleep(piece)
    if reply.ending == "whole":
        writer.write(b"0\r\n\r\n" if reply.framing == "chunked" else b"")
    elif reply.ending == "stall":
        await reader.read()
    elif reply.ending == "reset":
        await asyncio.sleep(SETTLE_S)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        writer.transport.abort()
    measured = reply.framing in ("chunked", "length") and not reply.missing
    return reply.ending == "whole" and measured


@contextlib.contextmanager
def _loop_in_a_thread() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
