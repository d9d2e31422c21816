"""What the network did, as failures: httpx's errors are mapped here."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator

import httpx
import msgspec

from fsm_agent.events.values import Failure

WIRE_ERRORS = (httpx.TransportError, OSError)
"""All that a transport raises for the wire's faults. httpx lets some of TLS's errors pass as they
are; those, and the `TimeoutError` of our own deadlines, are `OSError`s."""

SHORTEST = 8
"""Characters below which a key may be a part of other words."""
CUT_OFF = Failure("stream_interrupted", "the answer was cut off before its end", retry=True)
"""The answer was let go while more of it could come."""


def unanswered(error: Exception, origin: str, first_byte_s: float) -> Failure:
    """Class an error that came before the head of a response.

    Texts are our own: those of h11 quote what was sent or received, and that may hold the key.

    Args:
        error: One of `WIRE_ERRORS`.
        origin: Scheme, host and port of the server.
        first_byte_s: The deadline that a bare `TimeoutError` stands for, in seconds.
    """
    match error:
        case httpx.ConnectTimeout():
            return _network(f"no connection to {origin} in time", hint=_running(origin))
        case httpx.ConnectError():
            return _unconnected(error, origin)
        case httpx.RemoteProtocolError():
            return _network(f"{origin} closed the connection, or did not answer in HTTP")
        case httpx.LocalProtocolError():
            return Failure("bad_request", "the request's headers are not legal in HTTP")
        case TimeoutError() | httpx.ReadTimeout():
            return _network(f"{origin} did not begin an answer within {first_byte_s:g} s")
        case _:
            return _network(f"the connection to {origin} was lost before an answer began")


def interrupted(error: Exception, idle_s: float) -> Failure:
    """Class an error that came inside an answer; `idle_s` is what a `TimeoutError` stands for."""
    why = "the connection was lost inside the answer"
    if isinstance(error, TimeoutError | httpx.ReadTimeout):
        why = f"the answer stood still for {idle_s:g} s"
    elif isinstance(error, httpx.RemoteProtocolError):
        why = "the connection was closed inside the answer"
    return Failure("stream_interrupted", why, retry=True)


def redacted(failure: Failure, key: str | None) -> Failure:
    """The failure without the key, which servers like to repeat in their messages.

    A short one (`x`, for a server that asks for any) is only replaced where it is a word by itself.
    """
    if not key:
        return failure
    form = re.escape(key) if len(key) >= SHORTEST else rf"(?<!\w){re.escape(key)}(?!\w)"
    texts = {
        name: re.sub(form, "[key]", text)
        for name in ("message", "code", "hint")
        if (text := getattr(failure, name))
    }
    return msgspec.structs.replace(failure, **texts)


def _unconnected(error: httpx.ConnectError, origin: str) -> Failure:
    for cause in _causes(error):
        match cause:
            case ssl.SSLCertVerificationError():
                return Failure(
                    "network",
                    f"the certificate of {origin} is not trusted: {cause.verify_message}",
                    hint="check the base URL, the clock, and whether a proxy sits in between",
                )
            case ssl.SSLError():
                return Failure(
                    "network",
                    f"no TLS connection to {origin}: {cause.strerror}",
                    retry=isinstance(cause, ssl.SSLEOFError),
                    hint="does the server speak https? if not, the base URL begins with http://",
                )
            case socket.gaierror():
                return _network(f"no address is known for {origin}", hint="check the base URL")
            case ConnectionRefusedError():
                return _network(f"{origin} refused the connection", hint=_running(origin))
            case _:
                pass
    return _network(f"no connection to {origin}", hint=_running(origin))


def _network(message: str, hint: str | None = None) -> Failure:
    return Failure("network", message, retry=True, hint=hint)


def _running(origin: str) -> str:
    return f"is the server running at {origin}?"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all it came from; several addresses tried end in a group."""
    waiting: list[BaseException] = [error]
    while waiting:
        yield (error := waiting.pop())
        if isinstance(error, BaseExceptionGroup):
            waiting.extend(error.exceptions)
        waiting.extend(e for e in (error.__cause__, error.__context__) if e is not None)
