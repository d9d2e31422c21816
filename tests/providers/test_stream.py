"""Every fault of the network, in the midst of a text and of a call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import msgspec
import pytest
import pytest_asyncio

from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import CallBlock, Failure, TextBlock, ThinkingBlock, Usage
from fsm_agent.providers.faults import CUT_OFF
from fsm_agent.providers.http import HttpProvider
from fsm_agent.providers.protocol import Stream
from fsm_agent.testing import ModelServer, Reply, anthropic, openai

IDLE_S = 0.3
PROTOCOLS = {"openai": openai, "anthropic": anthropic}
TEXT = TextBlock("The quick brown fox jumps over the lazy dog.")
CALL = CallBlock("Read", "call_1", {"file_path": "a/rather/long/path.py"})


class Reader:
    """Opens answers at a server, and lets go of everything at the end."""

    def __init__(self) -> None:
        self.providers: list[HttpProvider] = []

    async def open(self, server: ModelServer, protocol: str, idle_s: float = IDLE_S) -> Stream:
        settings = Settings(protocol=protocol, model="m", base_url=server.url)
        self.providers.append(HttpProvider(settings, "k", now=lambda: 0.0, idle_s=idle_s))
        stream = await self.providers[-1].open(b"{}")
        assert not isinstance(stream, Failure), stream
        return stream

    async def read(self, reply: Reply, protocol: str = "openai") -> tuple[list[Delta], Answer]:
        async with ModelServer(reply) as server:
            stream = await self.open(server, protocol)
            deltas = [delta async for batch in stream for delta in batch]
            return deltas, stream.answer()


@pytest_asyncio.fixture
async def reader() -> AsyncIterator[Reader]:
    one = Reader()
    yield one
    for provider in one.providers:
        await provider.close()


def begun(protocol: str, phase: str) -> Reply:
    """An answer of which so much arrives: half of the text; or the text and half of a call."""
    blocks = (TEXT,) if phase == "text" else (TEXT, CALL)
    events = PROTOCOLS[protocol](blocks, size=4)
    last = b"fox" if phase == "text" else b"ong/"
    end = max(n for n, event in enumerate(events) if last in event)
    return Reply(events[: end + 1])


def changed(**fields: object) -> Callable[[Reply], Reply]:
    return lambda reply: msgspec.structs.replace(reply, **fields)


def raw(more: bytes) -> Callable[[Reply], Reply]:
    """The body as one chunk, and then something that no chunk is."""

    def fault(reply: Reply) -> Reply:
        body = reply.payload
        chunk = b"%x\r\n%s\r\n" % (len(body), body)
        return Reply((reply.head() + chunk + more,), framing="raw", ending="cut")

    return fault


def dripping(piece: bytes) -> Callable[[Reply], Reply]:
    return lambda reply: msgspec.structs.replace(reply, body=reply.body + (piece, 0.04) * 100)


FAULTS = {
    "RST": changed(ending="reset"),
    "FIN between chunks": changed(ending="cut"),
    "FIN inside a chunk": raw(b"ffff\r\ndata: "),
    "no chunk at all": raw(b"HTTP/1.1 500\r\n\r\n"),
    "a clean end": changed(ending="whole"),
    "a body measured by the connection": changed(framing="close"),
    "a body shorter than its length": changed(framing="length", missing=100),
    "a stall": changed(ending="stall"),
    "comments for ever": dripping(b": keep-alive\n\n"),
    "an event that never ends": dripping(b"x"),
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("phase", ["text", "call"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_an_answer_that_a_fault_cuts_is_kept_as_a_part(
    reader: Reader, protocol: str, phase: str, fault: str
) -> None:
    started = time.monotonic()
    deltas, answer = await reader.read(FAULTS[fault](begun(protocol, phase)), protocol)

    assert time.monotonic() - started < IDLE_S + 5
    assert answer.stop is None
    assert answer.failure
    assert (answer.failure.error, answer.failure.retry) == ("stream_interrupted", True)
    said = "".join(delta.text for delta in deltas if delta.kind == "text")
    assert TEXT.text.startswith(said)
    assert "fox" in said
    text = answer.blocks[0]
    assert isinstance(text, TextBlock)
    assert text.text == said
    if phase == "text":
        assert text.partial
    else:
        call = answer.blocks[1]
        assert isinstance(call, CallBlock)
        assert (call.name, call.input, call.partial) == ("Read", {}, True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100_000])
async def test_an_answer_does_not_depend_on_the_sizes_of_its_chunks(
    reader: Reader, protocol: str, size: int
) -> None:
    blocks = (ThinkingBlock("hm 🚀"), TextBlock("台北 é\u2028."), CALL)
    deltas, answer = await reader.read(Reply(PROTOCOLS[protocol](blocks)).split(size), protocol)

    assert answer.stop == "tool_use"
    assert answer.usage == Usage(input=100, output=20)
    assert [delta.text for delta in deltas if delta.kind == "call"] == ["Read"]
    _, text, call = answer.blocks
    assert isinstance(text, TextBlock)
    assert text.text == "台北 é\u2028."
    assert isinstance(call, CallBlock)
    assert call.input == CALL.input


async def test_a_slow_answer_outlives_the_idle_deadline(reader: Reader) -> None:
    events = openai([TEXT], size=4)
    slow = tuple(piece for event in events for piece in (event, IDLE_S / 5))
    started = time.monotonic()
    _, answer = await reader.read(Reply(slow))

    assert time.monotonic() - started > IDLE_S * 2
    assert answer.stop == "end_turn"


async def test_a_slow_reader_is_no_idle_server(reader: Reader) -> None:
    async with ModelServer(Reply(openai([TEXT]))) as server:
        stream = await reader.open(server, "openai", idle_s=0.1)
        async for _ in stream:
            await asyncio.sleep(0.03)

    assert stream.answer().stop == "end_turn"


@pytest.mark.parametrize("fault", ["reset", "cut", "stall"])
async def test_a_fault_behind_the_end_of_an_answer_is_none(reader: Reader, fault: str) -> None:
    reply = msgspec.structs.replace(Reply(openai([TEXT])), ending=fault)
    _, answer = await reader.read(reply)

    assert (answer.stop, answer.failure) == ("end_turn", None)


async def test_letting_go_ends_the_iteration_at_once(reader: Reader) -> None:
    async with ModelServer(begun("openai", "text").first(4, "stall")) as server:
        stream = await reader.open(server, "openai", idle_s=60)
        deltas: list[Delta] = []

        async def read() -> None:
            async for batch in stream:
                deltas.extend(batch)

        reading = asyncio.create_task(read())
        while not deltas:
            await asyncio.sleep(0.01)
        started = time.monotonic()
        await stream.close()
        await reading

        assert time.monotonic() - started < 1
        answer = stream.answer()
        assert answer.failure == CUT_OFF
        assert answer.blocks == (TextBlock("".join(d.text for d in deltas), partial=True),)


async def test_letting_go_twice_and_reading_on_is_harmless(reader: Reader) -> None:
    async with ModelServer(Reply(openai([TEXT]), ending="stall")) as server:
        stream = await reader.open(server, "openai")
        first = await anext(aiter(stream))
        await stream.close()
        await stream.close()

        assert first
        assert [batch async for batch in stream] == []


async def test_a_reader_can_be_cancelled_and_what_came_is_there(reader: Reader) -> None:
    async with ModelServer(begun("openai", "text").first(4, "stall")) as server:
        stream = await reader.open(server, "openai", idle_s=60)

        async def read() -> None:
            async for _ in stream:
                pass

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(read(), 0.1)
        await stream.close()

        assert stream.answer().blocks


async def test_an_error_inside_an_answer_does_not_repeat_the_key(reader: Reader) -> None:
    error = b'data: {"error": {"message": "your key k-0123 is bad", "code": "invalid_api_key"}}\n\n'
    async with ModelServer(Reply((error,))) as server:
        settings = Settings(protocol="openai", model="m", base_url=server.url)
        provider = HttpProvider(settings, "k-0123", now=lambda: 0.0)
        reader.providers.append(provider)
        stream = await provider.open(b"{}")
        assert not isinstance(stream, Failure)
        _ = [batch async for batch in stream]

    failed = stream.answer().failure
    assert failed
    assert (failed.error, failed.message) == ("auth", "your key [key] is bad")


@pytest.mark.parametrize("header", ["request-id", "x-request-id"])
async def test_the_request_s_name_at_the_server_is_kept(reader: Reader, header: str) -> None:
    headers = {"Content-Type": "text/event-stream", header: "req_1"}
    async with ModelServer(Reply(openai([TEXT]), headers=headers)) as server:
        stream = await reader.open(server, "openai")
        await stream.close()

    assert (stream.status, stream.request_id) == (200, "req_1")


async def test_a_page_instead_of_an_answer_is_a_clear_failure(reader: Reader) -> None:
    page = Reply(
        (b"<html><title>Please log in</title></html>",), headers={"Content-Type": "text/html"}
    )
    _, answer = await reader.read(page)

    assert answer.failure
    assert "Please log in" in answer.failure.message
