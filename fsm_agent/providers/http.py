"""A model behind HTTP: one POST a request, one connection kept."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable

import httpx

from fsm_agent.dialects import dialect
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Failure
from fsm_agent.providers.faults import WIRE_ERRORS, redacted, unanswered
from fsm_agent.providers.protocol import Stream
from fsm_agent.providers.stream import WireStream
from fsm_agent.version import __version__

ERROR_BODY_BYTES = 65_536
"""As much of a refusal's body is read, in bytes …"""
ERROR_BODY_S = 5.0
"""… for as long, in seconds."""
LAST_PORT = 65_535
KEEP_ALIVE_S = 60.0
"""How long an idle connection is kept, in seconds: less than servers and address translators do."""

HEADERS = {
    "Accept-Encoding": "identity",  # bytes reach the decoder as they were sent
    "Cache-Control": "no-cache",
    "User-Agent": f"fsm-agent/{__version__}",
}


class HttpProvider:
    """A model behind HTTP/1.1, in the protocol that the settings name.

    It stands on httpx's transport and not on its client: so there are no redirects (the key would
    follow), no cookies, no proxies and nothing from the environment.

    A kept connection may be closed by the server in the moment it is used again. If that happens
    before any byte of an answer, the request is sent once more, at once and silently.

    Args:
        settings: Protocol, base URL and all that the dialect's headers and decoder need.
        key: The API key; it stands in no message.
        now: Unix time in seconds, for dates in `Retry-After`.
        connect_s: How long to wait for a connection, in seconds, and again for TLS on it.
        first_byte_s: … for the head of a response, connecting and sending included.
        idle_s: … between two events of an answer that carry something. A whole answer has no limit.
        transport: What carries the requests, if it is not the network.
    """

    def __init__(  # noqa: PLR0913 - waits are told apart by name
        self,
        settings: Settings,
        key: str | None,
        *,
        now: Callable[[], float],
        connect_s: float = 10.0,
        first_byte_s: float = 300.0,
        idle_s: float = 120.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._settings, self._key, self._now = settings, key, now
        self._connect_s, self._first_byte_s, self._idle_s = connect_s, first_byte_s, idle_s
        self._transport = transport
        self._dialect = dialect(settings.protocol)
        self._url = _endpoint(settings.base_url, self._dialect.path(settings))

    async def open(self, body: bytes) -> Stream | Failure:
        """Send the request and wait for the head of the response."""
        if isinstance(url := self._url, Failure):
            return url
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            return Failure(
                "auth",
                "the API key holds a character that cannot be sent",
                hint="is there a line end or a quotation mark in it?",
            )
        try:
            async with asyncio.timeout(self._first_byte_s):
                response = await self._send(url, body)
        except WIRE_ERRORS as error:
            return unanswered(error, _origin(url), self._first_byte_s)
        if response.status_code != httpx.codes.OK:
            return redacted(await self._refusal(response, url), self._key)
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            await response.aclose()
            return Failure(
                "malformed_answer",
                f"{_origin(url)} sent an answer in the encoding {encoding[:40]!r}",
                hint="nothing but plain bytes was asked for: is there a proxy that compresses?",
            )
        content_type = response.headers.get("content-type", "")
        decoder = self._dialect.decoder(self._settings, content_type)
        return WireStream(response, decoder, idle_s=self._idle_s, key=self._key)

    async def close(self) -> None:
        """Let go of all connections."""
        if self._transport is not None:
            await self._transport.aclose()

    async def _send(self, url: httpx.URL, body: bytes) -> httpx.Response:
        transport = self._transport or await self._connect(url)
        connected: list[str] = []

        async def trace(event: str, _: object) -> None:
            if event == "connection.connect_tcp.started":
                connected.append(event)

        headers = HEADERS | dict(self._dialect.headers(self._settings, self._key))
        timeout = {"connect": self._connect_s}
        request = httpx.Request(
            "POST",
            url,
            headers=headers,
            content=body,
            extensions={"timeout": timeout, "trace": trace},
        )
        try:
            return await transport.handle_async_request(request)
        except (httpx.ReadError, httpx.RemoteProtocolError):
            if connected:
                raise
        return await transport.handle_async_request(request)

    async def _connect(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        """The transport to the network, made at the first request."""
        if url.scheme == "https":  # reading the certificates takes 20 ms: on a thread
            context = await asyncio.to_thread(httpx.create_ssl_context, trust_env=False)
        else:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # never used, and trusts nobody
        if self._transport is None:  # another request may have been faster
            limits = httpx.Limits(keepalive_expiry=KEEP_ALIVE_S)
            self._transport = httpx.AsyncHTTPTransport(context, trust_env=False, limits=limits)
        return self._transport

    async def _refusal(self, response: httpx.Response, url: httpx.URL) -> Failure:
        if response.has_redirect_location:
            await response.aclose()
            return _redirect(response, url)
        body = b""
        with contextlib.suppress(*WIRE_ERRORS):  # what has come by then must do
            async with asyncio.timeout(ERROR_BODY_S):
                async for chunk in response.aiter_raw():
                    body += chunk
                    if len(body) >= ERROR_BODY_BYTES:
                        break
        await response.aclose()
        return self._dialect.failure(
            response.status_code, response.headers, body[:ERROR_BODY_BYTES], self._now()
        )


def _endpoint(base: str, path: str) -> httpx.URL | Failure:
    """The URL to ask, or why there is none. A fault's text leaves out what a URL may hide."""
    with contextlib.suppress(httpx.InvalidURL):
        url = httpx.URL(base.rstrip("/") + path)
        legal = url.port is None or 0 < url.port <= LAST_PORT
        if url.scheme in ("http", "https") and url.host and legal:
            return url
    return Failure(
        "bad_request",
        "the base URL is not one of a server",
        hint="it looks like https://api.example.com/v1 or http://localhost:11434/v1",
    )


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def _redirect(response: httpx.Response, url: httpx.URL) -> Failure:
    target = "another place"
    with contextlib.suppress(httpx.InvalidURL):
        there = url.join(response.headers["location"])
        target = _origin(there) + there.path
    return Failure(
        "bad_request",
        f"{_origin(url)} redirects to {target}",
        status=response.status_code,
        hint="redirects are not followed, since the key would go there too: set the base URL",
    )
