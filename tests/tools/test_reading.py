"""Read gives raw lines, in bounded memory, and says what it cannot read."""

from __future__ import annotations

import resource
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.reading import _behind

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]
TEXT = "one\ntwo\r\n\nfour"


@pytest.mark.parametrize(
    ("part", "output", "asked"),
    [
        ({}, TEXT, ""),
        ({"offset": 2}, "two\r\n\nfour", ", offset=2"),
        ({"limit": 2}, "one\ntwo\r\n", ", limit=2"),
        ({"offset": "2", "limit": "2"}, "two\r\n\n", ", offset=2, limit=2"),
        ({"offset": 3.0, "limit": 1}, "\n", ", offset=3, limit=1"),
        ({"offset": 4, "limit": 9}, "four", ", offset=4, limit=9"),
        ({"offset": None, "limit": None}, TEXT, ""),
        ({"offset": 0}, TEXT, ""),
    ],
)
async def test_raw_lines_are_given(
    call: Call, workspace: Path, part: dict[str, object], output: str, asked: str
) -> None:
    (workspace / "f").write_bytes(TEXT.encode())
    outcome = await call("Read", path="f", **part)

    assert outcome == ToolOutcome(output, display=f"Read(f) [4 lines, 14 bytes{asked}]")


async def test_an_empty_file_is_empty(call: Call, workspace: Path) -> None:
    (workspace / "f").touch()

    assert await call("Read", path="f") == ToolOutcome("", display="Read(f) [0 lines, 0 bytes]")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": "f", "offset": 9}, "offset 9 is past the end: f has 4 lines"),
        ({"path": "f", "offset": -1}, "wrong arguments: Expected `int` >= 0 - at `$.offset`"),
        (
            {"path": "f", "offset": 10**30},
            "wrong arguments: Expected `int` <= 1000000000 - at `$.offset`",
        ),
        (
            {"path": "f", "limit": 10**5000},
            "wrong arguments: Expected `int` <= 1000000000 - at `$.limit`",
        ),
        ({"path": "f", "offset": 10**9}, "offset 1000000000 is past the end: f has 4 lines"),
        ({"path": "f", "limit": "\ud800"}, "wrong arguments: a lone surrogate is no text"),
        (
            {"path": "f", "limit": "two"},
            "wrong arguments: Expected `int`, got `str` - at `$.limit`",
        ),
        ({}, "wrong arguments: Object missing required field `path`"),
        ({"path": ""}, "no path"),
        ({"path": "none"}, "none not found"),
        ({"path": "/dev/zero"}, "/dev/zero is outside the workspace"),
        ({"path": "bin"}, "bin is binary: look at it with Bash (file, xxd)"),
    ],
)
async def test_what_cannot_be_read_is_said(
    call: Call, workspace: Path, arguments: dict[str, object], why: str
) -> None:
    (workspace / "f").write_bytes(TEXT.encode())
    (workspace / "bin").write_bytes(b"\x7fELF\0\0")
    outcome = await call("Read", **arguments)

    assert not outcome.ok
    assert outcome.output.startswith(f"Error: {why}")


async def test_bytes_that_are_no_utf8_are_shown_and_said(call: Call, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"caf\xe9")
    outcome = await call("Read", path="f")

    assert outcome.output == "caf\ufffd\n[not UTF-8: its other bytes are shown as \ufffd]"


async def test_what_steers_a_terminal_or_hides_is_shown(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("a\x1b[31mb\u202ec\U000e0041\U000e0042")
    outcome = await call("Read", path="f")

    assert outcome.output == (
        r"a\x1b[31mb[1 hidden character removed]c[2 hidden characters removed]"
    )


async def test_a_large_file_is_read_in_bounded_memory(call: Call, workspace: Path) -> None:
    with (workspace / "f").open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 999_998 + b"\n" + b"y")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    whole = await call("Read", path="f")
    line = await call("Read", path="f", offset=101)

    assert whole.display == "Read(f) [101 lines, 100000000 bytes]"
    assert len(whole.output) < 1_200_000
    assert line.output == "y"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000


async def test_a_file_beyond_the_limit_is_left_to_other_tools(call: Call, workspace: Path) -> None:
    with (workspace / "f").open("wb") as file:
        file.truncate((1 << 28) + 1)
    outcome = await call("Read", path="f")

    assert outcome.output.startswith("Error: f has 268435457 bytes, Read takes up to 268435456")


@given(st.binary(max_size=40).map(lambda raw: raw.replace(b"\x01", b"\n")), st.integers(0, 9))
def test_the_place_behind_line_breaks(chunk: bytes, breaks: int) -> None:
    lines = chunk.splitlines(keepends=True) if b"\r" not in chunk else []
    lines = [part + b"\n" for part in chunk.split(b"\n")[:-1]] + [chunk.split(b"\n")[-1]]

    assert _behind(chunk, breaks) == len(b"".join(lines[:breaks]))
