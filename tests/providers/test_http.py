"""A request over HTTP: what is sent, what is kept, what a refusal says."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio

from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Failure, TextBlock
from fsm_agent.providers.http import HttpProvider
from fsm_agent.providers.protocol import Stream
from fsm_agent.testing import ModelServer, Reply, anthropic, openai
from fsm_agent.testing.replies import GARBAGE, HUNG_UP, redirected, refused

KEY = "sk-test-0123456789abcdef"
HELLO = Reply(openai([TextBlock("Hello.")]))
ANSWERS = {"openai": HELLO, "anthropic": Reply(anthropic([TextBlock("Hello.")]))}

Make = Callable[..., HttpProvider]


@pytest_asyncio.fixture
async def provider() -> AsyncIterator[Make]:
    """Makes providers, and lets go of them at the end."""
    made: list[HttpProvider] = []

    def make(
        url: str, *, protocol: str = "openai", key: str | None = KEY, first_byte_s: float = 5.0
    ) -> HttpProvider:
        settings = Settings(protocol=protocol, model="m", base_url=url)
        now = 1_764_493_964.0  # 2025-11-30T09:12:44Z
        made.append(HttpProvider(settings, key, now=lambda: now, first_byte_s=first_byte_s))
        return made[-1]

    yield make
    for one in made:
        await one.close()


async def text(opened: Awaitable[Stream | Failure]) -> str:
    """The text of an answer that has to be whole."""
    stream = await opened
    assert not isinstance(stream, Failure), stream
    said = "".join([delta.text async for deltas in stream for delta in deltas])
    assert stream.answer().stop == "end_turn"
    assert stream.answer().blocks == (TextBlock(said),)
    return said


async def failure(opened: Awaitable[Stream | Failure]) -> Failure:
    """The failure that has to come; the key is nowhere in it."""
    failed = await opened
    assert isinstance(failed, Failure)
    assert KEY not in repr(failed)
    return failed


def test_it_does_not_load_the_command_line_of_its_library() -> None:
    code = """
import sys, fsm_agent.providers.http
sys.exit(bool({"click", "rich", "pygments"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=20, check=False).returncode == 0


@pytest.mark.parametrize("protocol", ANSWERS)
async def test_an_answer_comes_through(provider: Make, protocol: str) -> None:
    async with ModelServer(ANSWERS[protocol]) as server:
        assert await text(provider(server.url, protocol=protocol).open(b"{}")) == "Hello."


async def test_a_request_is_the_body_s_bytes_and_asks_for_plain_ones(provider: Make) -> None:
    body = '{"messages": [],  "x": "\u2028é"}'.encode()
    async with ModelServer(HELLO) as server:
        await text(provider(server.url + "/v1/").open(body))

        [request] = server.requests
        assert (request.method, request.body) == ("POST", body)
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["accept-encoding"] == "identity"
        assert "cookie" not in request.headers


async def test_no_key_sends_no_authorization(provider: Make) -> None:
    async with ModelServer(HELLO) as server:
        await text(provider(server.url, key=None).open(b"{}"))

        assert "authorization" not in server.requests[0].headers


async def test_nothing_of_the_environment_is_used(
    provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with ModelServer(HELLO) as server:
        assert await text(provider(server.url).open(b"{}")) == "Hello."


@pytest.mark.parametrize("first", [HELLO, HELLO.split(7), refused(500, {"error": "x"})])
async def test_requests_share_a_connection(provider: Make, first: Reply) -> None:
    async with ModelServer(first, HELLO) as server:
        one = provider(server.url)
        stream = await one.open(b"1")
        if not isinstance(stream, Failure):
            _ = [deltas async for deltas in stream]
        await text(one.open(b"2"))

        assert [request.connection for request in server.requests] == [1, 1]


async def test_requests_at_the_same_time_do_not_wait_for_each_other(provider: Make) -> None:
    async with ModelServer(HELLO.first(2, "stall"), HELLO) as server:
        one = provider(server.url)
        stream = await one.open(b"1")
        assert not isinstance(stream, Failure)

        assert await text(one.open(b"2")) == "Hello."
        await stream.close()


async def test_an_answer_let_go_halfway_does_not_spoil_the_next(provider: Make) -> None:
    stalled = HELLO.first(2, "stall")
    async with ModelServer(stalled, HELLO) as server:
        one = provider(server.url)
        stream = await one.open(b"1")
        assert not isinstance(stream, Failure)
        await stream.close()

        assert await text(one.open(b"2")) == "Hello."
        assert [request.connection for request in server.requests] == [1, 2]


async def test_a_kept_connection_found_closed_is_replaced_silently(provider: Make) -> None:
    async with ModelServer(HELLO, HUNG_UP, HELLO) as server:
        one = provider(server.url)
        await text(one.open(b"1"))

        assert await text(one.open(b"2")) == "Hello."
        assert [request.body for request in server.requests] == [b"1", b"2", b"2"]


async def test_a_new_connection_that_is_closed_at_once_is_a_failure(provider: Make) -> None:
    async with ModelServer(HUNG_UP, HELLO) as server:
        failed = await failure(provider(server.url).open(b"{}"))

        assert (failed.error, failed.retry, len(server.requests)) == ("network", True, 1)


async def test_garbage_is_a_failure_of_the_network(provider: Make) -> None:
    async with ModelServer(GARBAGE) as server:
        failed = await failure(provider(server.url).open(b"{}"))

    assert (failed.error, failed.retry) == ("network", True)
    assert "did not answer in HTTP" in failed.message


async def test_a_server_that_is_not_there_is_named(provider: Make) -> None:
    async with ModelServer() as server:
        pass
    failed = await failure(provider(server.url).open(b"{}"))

    assert (failed.error, failed.retry) == ("network", True)
    assert failed.hint == f"is the server running at {server.url}?"


async def test_a_head_that_does_not_come_ends_at_the_deadline(provider: Make) -> None:
    async with ModelServer(Reply(framing="raw", ending="stall")) as server:
        started = time.monotonic()
        failed = await failure(provider(server.url, first_byte_s=0.1).open(b"{}"))

    assert time.monotonic() - started < 5
    assert (failed.error, failed.retry) == ("network", True)
    assert "within 0.1 s" in failed.message


async def test_waiting_for_the_head_can_be_cancelled(provider: Make) -> None:
    async with ModelServer(Reply(framing="raw", ending="stall"), HELLO) as server:
        one = provider(server.url)
        opening = asyncio.create_task(one.open(b"1"))
        while not server.requests:
            await asyncio.sleep(0.01)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

        assert await text(one.open(b"2")) == "Hello."


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_the_key_does_not_follow_a_redirect(provider: Make, status: int) -> None:
    async with ModelServer(HELLO) as there:
        target = f"{there.url.replace('//', '//user:word@')}/v2?secret=1"
        async with ModelServer(redirected(target, status)) as here:
            failed = await failure(provider(here.url).open(b"{}"))

        assert there.requests == []
    assert (failed.error, failed.retry, failed.status) == ("bad_request", False, status)
    assert f"{there.url}/v2" in failed.message
    assert "secret" not in repr(failed)
    assert "word" not in repr(failed)


@pytest.mark.parametrize("protocol", ANSWERS)
@pytest.mark.parametrize(
    ("status", "headers", "classed"),
    [
        (401, {}, ("auth", False, None)),
        (400, {}, ("bad_request", False, None)),
        (404, {}, ("bad_request", False, None)),
        (429, {}, ("rate_limit", True, None)),
        (429, {"Retry-After": "2"}, ("rate_limit", True, 2000)),
        (429, {"Retry-After": "Sun, 30 Nov 2025 09:12:47 GMT"}, ("rate_limit", True, 3000)),
        (500, {}, ("server_error", True, None)),
        (529, {}, ("overloaded", True, None)),
    ],
)
async def test_a_refusal_is_classed_by_its_dialect(
    provider: Make,
    protocol: str,
    status: int,
    headers: dict[str, str],
    classed: tuple[str, bool, int | None],
) -> None:
    body = {"error": {"message": f"no: {KEY}", "type": "x"}}
    async with ModelServer(refused(status, body, headers)) as server:
        failed = await failure(provider(server.url, protocol=protocol).open(b"{}"))

    assert (failed.error, failed.retry, failed.retry_after_ms) == classed
    assert failed.status == status
    assert "no: [key]" in failed.message


async def test_a_refusal_without_end_is_read_in_part(provider: Make) -> None:
    endless = Reply((b"<html>" * 20_000,), status=503, ending="stall")
    async with ModelServer(endless) as server:
        started = time.monotonic()
        failed = await failure(provider(server.url).open(b"{}"))

    assert time.monotonic() - started < 5
    assert failed.status == 503


async def test_a_compressed_answer_is_refused(provider: Make) -> None:
    packed = Reply(
        (gzip.compress(HELLO.payload),),
        headers={"Content-Type": "text/event-stream", "Content-Encoding": "gzip"},
    )
    async with ModelServer(packed) as server:
        failed = await failure(provider(server.url).open(b"{}"))

    assert (failed.error, failed.retry) == ("malformed_answer", False)
    assert "'gzip'" in failed.message


@pytest.mark.parametrize(
    "url",
    ["", "localhost:11434/v1", "ftp://x", "http://", "http:///v1", "http://h:99999", "http://[::1"],
)
async def test_a_base_url_that_is_none_is_a_clear_failure(provider: Make, url: str) -> None:
    failed = await failure(provider(url).open(b"{}"))

    assert (failed.error, failed.retry) == ("bad_request", False)
    assert "http://localhost:11434/v1" in (failed.hint or "")


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}é", f"“{KEY}”", f"{KEY}\x00"])
async def test_a_key_that_no_header_can_hold_is_a_clear_failure(provider: Make, key: str) -> None:
    async with ModelServer(HELLO) as server:
        failed = await failure(provider(server.url, key=key).open(b"{}"))

        assert (failed.error, failed.retry, server.requests) == ("auth", False, [])


async def test_a_server_without_tls_is_found_out(provider: Make) -> None:
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        failed = await failure(provider(f"https://127.0.0.1:{port}").open(b"{}"))

    assert (failed.error, failed.retry) == ("network", False)
    assert "http://" in (failed.hint or "")
