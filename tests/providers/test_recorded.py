"""What a server said is saved, and said again through the same decoders."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from fsm_agent.dialects.protocol import Answer
from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import CallBlock, Failure, TextBlock
from fsm_agent.providers.http import HttpProvider
from fsm_agent.providers.protocol import Provider
from fsm_agent.providers.recorded import RecordedProvider, RecordingTransport, load
from fsm_agent.testing import ModelServer, Reply, anthropic, openai
from fsm_agent.testing.replies import refused

BLOCKS = (TextBlock("Hello."), CallBlock("Read", "call_1", {"file_path": "a.py"}))
HEADERS = {"Content-Type": "text/event-stream", "Set-Cookie": "session=secret"}


def settings(protocol: str, url: str = "") -> Settings:
    return Settings(protocol=protocol, model="m", base_url=url)


async def answers(provider: Provider, count: int) -> list[Answer | Failure]:
    """So many answers, read to their ends."""
    got: list[Answer | Failure] = []
    for _ in range(count):
        stream = await provider.open(b"{}")
        if not isinstance(stream, Failure):
            _ = [batch async for batch in stream]
        got.append(stream if isinstance(stream, Failure) else stream.answer())
    return got


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_what_is_recorded_is_replayed(tmp_path: Path, protocol: str) -> None:
    events = {"openai": openai, "anthropic": anthropic}[protocol](BLOCKS)
    replies = (
        refused(429, {"error": {"message": "slow"}}, {"Retry-After": "2"}),
        Reply(events[:-4], ending="reset"),
        Reply(events, headers=HEADERS),
    )
    async with ModelServer(*replies) as server:
        recording = RecordingTransport(httpx.AsyncHTTPTransport(), tmp_path)
        live = HttpProvider(
            settings(protocol, server.url), "k", now=lambda: 0.0, transport=recording
        )
        heard = await answers(live, 3)
        await live.close()

    replayed = RecordedProvider(settings(protocol), load(tmp_path), now=lambda: 0.0)
    assert [shape(answer) for answer in await answers(replayed, 3)] == list(map(shape, heard))
    assert b"secret" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    await replayed.close()


def shape(answer: Answer | Failure) -> object:
    """Without the words for how a connection ended: a recording just ends."""
    if isinstance(answer, Failure):
        return answer
    blocks = [(type(b), b.partial, getattr(b, "text", None)) for b in answer.blocks]
    return blocks, answer.stop, answer.usage, answer.failure and answer.failure.error


async def test_behind_the_last_recording_is_a_clear_failure(tmp_path: Path) -> None:
    path = tmp_path / "one.answer"
    path.write_bytes(b'{"status":200,"headers":[]}\n' + b"".join(openai(BLOCKS[:1])))
    provider = RecordedProvider(settings("openai"), load(path), now=lambda: 0.0)
    answer, end = await answers(provider, 2)

    assert isinstance(answer, Answer)
    assert answer.blocks == BLOCKS[:1]
    assert end == Failure("script", "all 1 recorded answers have been given")


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"data: x\n\n", b'{"status":"ok","headers":[]}\n']
)
def test_a_file_that_is_no_recording_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.answer").write_bytes(content)

    with pytest.raises(UsageError, match=r"bad\.answer: the recording cannot be read"):
        load(tmp_path)


def test_a_directory_without_recordings_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recording"):
        load(tmp_path)
