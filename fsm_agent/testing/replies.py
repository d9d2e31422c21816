"""What the loopback server says to one request, down to the byte."""

from __future__ import annotations

import http
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

Piece: TypeAlias = bytes | float
"""Bytes that are sent at once, or a pause in seconds."""

EVENT_STREAM: Mapping[str, str] = MappingProxyType({"Content-Type": "text/event-stream"})


class Reply(msgspec.Struct, frozen=True):
    """A response and the way it ends.

    Attributes:
        body: In these pieces; with chunked framing, each is a chunk.
        status: The HTTP status.
        headers: Those of the body; framing adds its own.
        framing: How the body is measured. `close`: by the end of the connection. `raw`: there is no
            head at all, the pieces are all that is sent.
        ending: `whole`: as framing says, and the connection is kept if it can be. `cut`: FIN, and
            whatever framing still promises is missing. `reset`: RST. `stall`: nothing more, until
            the client leaves.
        missing: Bytes that `Content-Length` promises beyond the body.
    """

    body: tuple[Piece, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = EVENT_STREAM
    framing: Literal["chunked", "length", "close", "raw"] = "chunked"
    ending: Literal["whole", "cut", "reset", "stall"] = "whole"
    missing: int = 0

    @property
    def payload(self) -> bytes:
        """The body without its pauses."""
        return b"".join(piece for piece in self.body if isinstance(piece, bytes))

    def split(self, size: int) -> Reply:
        """The same body, in pieces of so many bytes."""
        whole = self.payload
        pieces = tuple(whole[n : n + size] for n in range(0, len(whole), size))
        return msgspec.structs.replace(self, body=pieces)

    def first(self, count: int, ending: Literal["cut", "reset", "stall"]) -> Reply:
        """So many pieces of the body, then this ending."""
        return msgspec.structs.replace(self, body=self.body[:count], ending=ending)

    def head(self) -> bytes:
        """Status line and headers, as they are sent."""
        framing = {
            "chunked": "Transfer-Encoding: chunked\r\n",
            "length": f"Content-Length: {len(self.payload) + self.missing}\r\n",
            "close": "Connection: close\r\n",
        }
        if self.framing == "raw":
            return b""
        known = self.status in http.HTTPStatus.__members__.values()
        phrase = http.HTTPStatus(self.status).phrase if known else ""
        headers = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        head = f"HTTP/1.1 {self.status} {phrase}\r\n{headers}{framing[self.framing]}\r\n"
        return head.encode("latin-1")


def refused(status: int, body: object, headers: Mapping[str, str] | None = None) -> Reply:
    """A response that is no answer; the body is a value that is sent as JSON."""
    headers = {"Content-Type": "application/json", **(headers or {})}
    return Reply((msgspec.json.encode(body),), status, headers, "length")


def redirected(location: str, status: int = 307) -> Reply:
    """A response that sends the client elsewhere."""
    return Reply(status=status, headers={"Location": location}, framing="length")


GARBAGE = Reply((b"\x00\x01 this is not HTTP\r\n\r\n",), framing="raw", ending="cut")
"""Something that is not HTTP."""
HUNG_UP = Reply(framing="raw", ending="cut")
"""The connection is closed without a word, as one that was idle for too long."""
