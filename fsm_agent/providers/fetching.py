"""A file from a server, once: bounded in size and time, no redirects."""

from __future__ import annotations

import time

import httpx
import msgspec

from fsm_agent.events.values import Failure
from fsm_agent.providers.faults import WIRE_ERRORS, interrupted, unanswered
from fsm_agent.version import __version__

STEP_S = 10.0
"""How long to wait for a connection, and again for each piece, in seconds."""
WHOLE_S = 60.0
"""How long the whole may take, in seconds."""
MOST_BYTES = 32 << 20
"""A longer file is not read to its end."""


class Fetched(msgspec.Struct, frozen=True):
    """A file's bytes, none if it has not changed, and what its server calls this version."""

    body: bytes | None
    etag: str = ""


def fetch(url: str, etag: str = "", *, step_s: float = STEP_S) -> Fetched | Failure:
    """Get the file, if it is another than the one called `etag`."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",  # so that the limit is one of bytes that arrive
        "User-Agent": f"fsm-agent/{__version__}",
    }
    if etag:
        headers["If-None-Match"] = etag
    response: httpx.Response | None = None
    try:
        with (
            httpx.Client(headers=headers, timeout=step_s, trust_env=False) as client,
            client.stream("GET", url) as response,
        ):
            return _read(response, etag)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol):
        return Failure("bad_request", f"'{url}' is not the address of a file")
    except WIRE_ERRORS as error:
        if response is not None:
            return interrupted(error, step_s)
        at = httpx.URL(url)
        return unanswered(error, f"{at.scheme}://{at.netloc.decode()}", step_s)


def _read(response: httpx.Response, etag: str) -> Fetched | Failure:
    match response.status_code:
        case httpx.codes.NOT_MODIFIED if etag:
            return Fetched(None, etag)
        case httpx.codes.OK:
            pass
        case status if response.has_redirect_location:
            there = response.headers["location"]
            return Failure("bad_request", f"the server redirects to {there}", status=status)
        case status:
            return Failure("bad_request", f"the server answered with status {status}")
    body, deadline = bytearray(), time.monotonic() + WHOLE_S
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            return Failure("malformed_answer", f"the file is longer than {MOST_BYTES >> 20} MiB")
        if time.monotonic() > deadline:
            return Failure("network", f"the file did not come within {WHOLE_S:g} s")
    return Fetched(bytes(body), response.headers.get("etag", ""))
