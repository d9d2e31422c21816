"""The loopback server says what it is told to, in every way it can end."""

from __future__ import annotations

import asyncio
import http.client
import urllib.error
import urllib.request
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest

from fsm_agent.testing import ModelServer, Received, Reply
from fsm_agent.testing.replies import GARBAGE, HUNG_UP, redirected, refused

LENGTH = Reply((b"abc", b"def"), framing="length")


def ask(server: ModelServer, body: bytes = b"{}") -> bytes:
    with urllib.request.urlopen(server.url + "/v1/x", body, timeout=5) as response:
        read: bytes = response.read()
        return read


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_a_whole_body_arrives_in_every_framing(framing: str) -> None:
    with ModelServer(Reply((b"abc", 0.01, b"def"), framing=framing)) as server:  # type: ignore[arg-type]  # from the list above
        assert ask(server) == b"abcdef"


def test_a_request_is_kept_as_it_came() -> None:
    with ModelServer(LENGTH) as server:
        ask(server, b'{"a": 1}')

        [request] = server.requests
        assert (request.method, request.path, request.connection) == ("POST", "/v1/x", 1)
        assert request.headers["content-length"] == "8"
        assert request.json() == {"a": 1}


def test_a_reply_may_be_made_from_its_request() -> None:
    def echo(request: Received) -> Reply:
        return Reply((request.body,))

    with ModelServer(echo) as server:
        assert ask(server, b"hello") == b"hello"


def test_an_error_in_making_a_reply_is_raised_in_the_test() -> None:
    def fail(request: Received) -> Reply:
        raise ValueError(request.path)

    server = ModelServer(fail)
    with pytest.raises(ValueError, match="/v1/x"), server, suppress(http.client.HTTPException):
        ask(server)


def test_replies_are_given_in_order_and_then_there_are_none() -> None:
    with ModelServer(Reply((b"1",)), Reply((b"2",))) as server:
        assert [ask(server), ask(server)] == [b"1", b"2"]
        with pytest.raises(urllib.error.HTTPError, match="500") as caught:
            ask(server)
        caught.value.close()


def test_a_connection_is_kept_after_a_body_with_a_measure() -> None:
    with (
        ModelServer(LENGTH, LENGTH) as server,
        closing(http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)) as client,
    ):
        for _ in range(2):
            client.request("POST", "/", b"{}")
            assert client.getresponse().read() == b"abcdef"

        assert [request.connection for request in server.requests] == [1, 1]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply((b"abc",)).first(1, "cut"), http.client.IncompleteRead),
        (Reply((b"abc",)).first(1, "reset"), ConnectionResetError),
        (Reply((b"abc",)).first(1, "stall"), TimeoutError),
        (Reply((b"abc",), framing="length", missing=9), http.client.IncompleteRead),
        (GARBAGE, http.client.BadStatusLine),
        (HUNG_UP, http.client.RemoteDisconnected),
    ],
)
def test_a_fault_is_one_on_the_wire(reply: Reply, fault: type[Exception]) -> None:
    with (
        ModelServer(reply) as server,
        closing(http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=0.3)) as client,
    ):
        client.request("POST", "/", b"{}")
        with pytest.raises(fault):
            client.getresponse().read()


def test_a_refusal_has_status_headers_and_json() -> None:
    reply = refused(429, {"error": "slow"}, {"Retry-After": "2"})
    with ModelServer(reply) as server, pytest.raises(urllib.error.HTTPError) as caught:
        ask(server)

    with caught.value as error:
        assert (error.code, error.headers["retry-after"]) == (429, "2")
        assert error.read() == b'{"error":"slow"}'


def test_a_redirect_leads_where_it_says() -> None:
    with ModelServer(LENGTH) as there, ModelServer(redirected(there.url, 302)) as here:
        assert ask(here) == b"abcdef"


async def test_it_runs_in_the_loop_of_its_user_too() -> None:
    async with ModelServer(LENGTH) as server:
        assert await asyncio.to_thread(ask, server) == b"abcdef"


async def test_it_ends_while_a_client_still_waits() -> None:
    async with ModelServer(Reply(ending="stall")) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(server.url).port)
        writer.write(b"POST / HTTP/1.1\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")

    assert await reader.read() == b""
    writer.close()


def test_a_body_can_be_cut_anew() -> None:
    assert Reply((b"abc", 1.0, b"defg")).split(3).body == (b"abc", b"def", b"g")
