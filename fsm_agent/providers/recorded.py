"""Answers of a real server: saved as they come, decoded again later.

A recording is a file: one line of JSON with `status` and `headers`, then the bytes of the body.
Requests are not recorded, and no header that sets a cookie is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import httpx
import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Failure
from fsm_agent.providers.http import HttpProvider
from fsm_agent.providers.protocol import Stream

SUFFIX = ".answer"
"""The end of a recording's name; a directory's recordings are replayed in the order of names."""


class Recording(msgspec.Struct, frozen=True, omit_defaults=True):
    """One response of a server. A header sent twice stands here twice."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


def load(path: Path) -> tuple[Recording, ...]:
    """Read a recording, or all of a directory.

    Raises:
        UsageError: If there is none, or one cannot be read; the text names the file.
    """
    files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
    if not files:
        raise UsageError(f"{path}: no recording (*{SUFFIX}) is here")
    return tuple(map(_recording, files))


def _recording(path: Path) -> Recording:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        return msgspec.structs.replace(msgspec.json.decode(head, type=Recording), body=body)
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(f"{path}: the recording cannot be read: {error}") from error


class RecordedProvider:
    """A model that gives recorded answers, in strict order, whatever it is asked.

    Args:
        settings: The protocol that the answers were recorded in.
        recordings: From `load`.
        now: Unix time in seconds, for dates in `Retry-After`.
    """

    def __init__(
        self, settings: Settings, recordings: Sequence[Recording], *, now: Callable[[], float]
    ) -> None:
        self._count, self._left = len(recordings), list(recordings)
        settings = msgspec.structs.replace(settings, base_url="http://recorded.invalid")
        self._http = HttpProvider(settings, None, now=now, transport=_Replay(self._left))

    async def open(self, body: bytes) -> Stream | Failure:
        """Take the next recorded answer."""
        if not self._left:
            return Failure("script", f"all {self._count} recorded answers have been given")
        return await self._http.open(body)

    async def close(self) -> None:
        """Nothing is held."""


class RecordingTransport(httpx.AsyncBaseTransport):
    """Carries requests like another transport, and saves each response as it is read.

    Give it to `HttpProvider` as its `transport`.

    Args:
        inner: What carries the requests, such as `httpx.AsyncHTTPTransport()`.
        directory: Where recordings go: `001.answer` and so on, after those already there.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, directory: Path) -> None:
        self._inner, self._directory = inner, directory
        self._count = len(list(directory.glob(f"*{SUFFIX}")))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; the response's body is saved while it is read."""
        response = await self._inner.handle_async_request(request)
        self._count += 1
        headers = tuple(h for h in response.headers.multi_items() if h[0] != "set-cookie")
        head = Recording(response.status_code, headers)
        path = self._directory / f"{self._count:03}{SUFFIX}"
        response.stream = _Copied(response, path, msgspec.json.encode(head) + b"\n")
        return response

    async def aclose(self) -> None:
        """Let go of the inner transport."""
        await self._inner.aclose()


class _Copied(httpx.AsyncByteStream):
    """A response's body, written to a file as far as it is read."""

    def __init__(self, response: httpx.Response, path: Path, head: bytes) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - for mypy: a union
        self._body, self._file = response.stream, path.open("wb")
        self._file.write(head)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._file.write(chunk)
            yield chunk

    async def aclose(self) -> None:
        self._file.close()
        await self._body.aclose()


class _Replay(httpx.AsyncBaseTransport):
    """Answers with one recording after the other."""

    def __init__(self, left: list[Recording]) -> None:
        self._left = left

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:  # noqa: ARG002
        recording = self._left.pop(0)
        return httpx.Response(
            recording.status, headers=recording.headers, stream=httpx.ByteStream(recording.body)
        )
