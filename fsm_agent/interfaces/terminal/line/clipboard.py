"""The picture on the clipboard, by a program that the desktop has."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from fsm_agent.errors import UsageError
from fsm_agent.runtime.images import LARGEST, kind_of

ANSWER_S = 2.0
"""Seconds that such a program has to answer."""


class Source(NamedTuple):
    """A program that gives what is on the clipboard.

    Attributes:
        argv: How it is asked for a picture.
        package: What to install to have it.
    """

    argv: tuple[str, ...]
    package: str


_MAC = Source(("osascript", "-e", "get the clipboard as «class PNGf»"), "osascript")
_DESKTOPS = {
    "WAYLAND_DISPLAY": Source(("wl-paste", "--type", "image/png"), "wl-clipboard"),
    "DISPLAY": Source(("xclip", "-selection", "clipboard", "-t", "image/png", "-o"), "xclip"),
}
_APPLE_DATA = rb".{1,2}data PNGf([0-9A-F]+).{1,2}\s*"
"""Bytes as AppleScript writes them: «data PNGf89504E47…»."""


def sources(environment: Mapping[str, str], platform: str) -> list[Source]:
    """The programs that this desktop may have, the best first."""
    if platform == "darwin":
        return [_MAC]
    return [source for name, source in _DESKTOPS.items() if environment.get(name)]


async def picture(environment: Mapping[str, str], platform: str = sys.platform) -> bytes:
    """The bytes of the picture on the clipboard.

    Raises:
        UsageError: If there is none, or no way to it.
    """
    wanted = sources(environment, platform)
    if not wanted:
        raise UsageError(
            "no clipboard is in reach: neither WAYLAND_DISPLAY nor DISPLAY is set; "
            "drag the picture here, or write @path"
        )
    there = [one for one in wanted if shutil.which(one.argv[0], path=environment.get("PATH"))]
    if not there:
        packages = " or ".join(one.package for one in wanted)
        raise UsageError(f"the clipboard cannot be read: install {packages}")
    said = ""
    for source in there:
        raw, said = await _asked(source.argv)
        if kind_of(raw):
            return raw
    raise UsageError(f"no image on the clipboard{said}")


async def _asked(argv: tuple[str, ...]) -> tuple[bytes, str]:
    """What the program gives, and what it says of that."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout  # noqa: S101 - for mypy: it is a pipe
    assert process.stderr  # noqa: S101 - as above
    try:
        async with asyncio.timeout(ANSWER_S):
            raw = await _read(process.stdout)
            error = (await process.stderr.read(1 << 10)).decode(errors="replace").strip()
            await process.wait()
    except TimeoutError:
        raise UsageError(f"{argv[0]} did not answer within {ANSWER_S:.0f} s") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()  # what is still in the pipes
    return raw, f" ({argv[0]}: {error.splitlines()[0]})" if error else ""


async def _read(stream: asyncio.StreamReader) -> bytes:
    raw = bytearray()
    while block := await stream.read(1 << 16):
        raw += block
        if len(raw) > 2 * LARGEST + 100:  # AppleScript writes two digits a byte
            break
    written = re.fullmatch(_APPLE_DATA, raw, re.DOTALL)
    found = bytes.fromhex(written[1].decode()) if written else bytes(raw)
    if len(found) > LARGEST:
        raise UsageError(f"the image on the clipboard is larger than {LARGEST // 1_000_000} MB")
    return found
