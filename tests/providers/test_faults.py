"""Errors of the wire become failures that say what can be done."""

from __future__ import annotations

import socket
import ssl

import httpx
import pytest

from fsm_agent.events.values import Failure
from fsm_agent.providers.faults import redacted, unanswered

ORIGIN = "https://api.example.com"


def connecting(cause: BaseException) -> httpx.ConnectError:
    """The error as httpx raises it: the reason stands some causes below."""
    error, between = httpx.ConnectError(""), OSError("All connection attempts failed")
    error.__cause__, between.__context__ = between, cause
    return error


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("error", "words", "retry"),
    [
        (connecting(untrusted()), "self-signed certificate", False),
        (connecting(ssl.SSLEOFError(8, "EOF")), "no TLS connection", True),
        (connecting(socket.gaierror(-2, "unknown")), "no address is known", True),
        (connecting(ConnectionRefusedError()), "refused the connection", True),
        (
            connecting(ExceptionGroup("both", [OSError(), ConnectionRefusedError()])),
            "refused the connection",
            True,
        ),
        (connecting(OSError("unreachable")), "no connection", True),
        (httpx.ConnectTimeout(""), "in time", True),
        (TimeoutError(), "within 300 s", True),
        (httpx.ReadError(""), "was lost", True),
    ],
)
def test_what_the_network_did_is_said(error: Exception, words: str, retry: bool) -> None:
    failed = unanswered(error, ORIGIN, 300)

    assert (failed.error, failed.retry) == ("network", retry)
    assert words in failed.message
    assert ORIGIN in failed.message


def test_headers_that_http_does_not_allow_are_not_quoted() -> None:
    failed = unanswered(httpx.LocalProtocolError("Illegal header value b'Bearer sk-1'"), ORIGIN, 1)

    assert (failed.error, failed.retry) == ("bad_request", False)
    assert "sk-1" not in repr(failed)


def test_a_key_is_taken_out_of_all_texts() -> None:
    failed = Failure("auth", "bad key sk-1", code="sk-1", hint="not sk-1", status=401)

    assert redacted(failed, "sk-1") == Failure(
        "auth", "bad key [key]", code="[key]", hint="not [key]", status=401
    )
    assert redacted(failed, None) is failed


def test_a_key_that_is_hardly_one_leaves_other_words_alone() -> None:
    failed = Failure("auth", "ask for the key k, k-2 or ok")

    assert redacted(failed, "k").message == "ask for the key [key], [key]-2 or ok"
    assert redacted(Failure("auth", "xsk-12345x"), "sk-12345").message == "x[key]x"
