"""Write replaces a file whole or not at all."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import Change, ToolOutcome

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


async def test_a_new_file_is_made_with_its_directories(call: Call, workspace: Path) -> None:
    outcome = await call("Write", path="a/b/c.txt", content="é\nx")

    assert outcome == ToolOutcome(
        "Success: Write(a/b/c.txt) [2 lines, 4 bytes]",
        display="Write(a/b/c.txt) [2 lines, 4 bytes]",
        changes=(Change("a/b/c.txt", None, "é\nx".encode()),),
    )
    assert (workspace / "a/b/c.txt").read_text() == "é\nx"


async def test_a_new_file_has_the_mode_that_the_umask_leaves(call: Call, workspace: Path) -> None:
    await call("Write", path="f", content="")
    umask = os.umask(0)
    os.umask(umask)

    assert (workspace / "f").stat().st_mode & 0o777 == 0o666 & ~umask


async def test_a_file_is_replaced_and_keeps_its_mode(call: Call, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"\xff\r\n")
    (workspace / "f").chmod(0o640)
    outcome = await call("Write", path=str(workspace / "f"), content="new")

    assert outcome.changes == (Change("f", b"\xff\r\n", b"new"),)
    assert (workspace / "f").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in workspace.iterdir()] == ["f"]


async def test_a_home_directory_is_never_meant(call: Call, workspace: Path) -> None:
    outcome = await call("Write", path="~/f", content="")

    assert "~/f (in the workspace: ~ is not expanded)" in outcome.output
    assert (workspace / "~/f").exists()


@pytest.mark.parametrize(
    ("path", "content", "why"),
    [
        ("f", "x" * 1_000_001, "content would have 1000001 bytes; the limit is 1000000"),
        ("f", "a\ud800", "content holds a lone surrogate at character 1"),
        ("folder", "", "folder is a directory, not a regular file"),
        ("fifo", "", "fifo is a FIFO, not a regular file"),
        ("file/f", "", "file/f: Not a directory"),
        ("../f", "", "../f leads outside the workspace"),
        ("", "", "no path"),
    ],
)
async def test_what_cannot_be_written_is_said(
    call: Call, workspace: Path, path: str, content: str, why: str
) -> None:
    (workspace / "folder").mkdir()
    (workspace / "file").touch()
    os.mkfifo(workspace / "fifo")
    outcome = await call("Write", path=path, content=content)

    assert outcome == ToolOutcome(f"Error: {why}", ok=False)
    assert sorted(path.name for path in workspace.iterdir()) == ["fifo", "file", "folder"]


async def test_a_disk_that_takes_nothing_leaves_the_old_file(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("old")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        outcome = await call("Write", path="f", content="x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)

    assert outcome.output == "Error: f was not written: File too large"
    assert [path.read_text() for path in workspace.iterdir()] == ["old"]


async def test_edits_of_one_answer_do_not_lose_each_other(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("".join(f"<{n}>\n" for n in range(20)))
    outcomes = await asyncio.gather(
        *(call("Edit", path="f", old_string=f"<{n}>", new_string=str(n)) for n in range(20))
    )

    assert all(outcome.ok for outcome in outcomes)
    assert (workspace / "f").read_text() == "".join(f"{n}\n" for n in range(20))


CHILD = """
import asyncio, concurrent.futures.thread, json, os, sys  # all before the user changes
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.registry import builtin_tools

async def main():
    tools, place = builtin_tools(), Workplace(sys.argv[1], {})
    calls = [
        ("Read", {"path": "secret"}),
        ("Write", {"path": "locked", "content": ""}),
        ("Edit", {"path": "locked", "old_string": "o", "new_string": "n"}),
        ("Write", {"path": "theirs/new", "content": ""}),
        ("Write", {"path": "closed/new", "content": ""}),
    ]
    print(json.dumps([(await (await tools[n].start(a, place)).wait()).output for n, a in calls]))

os.setgroups([])
os.setgid(65534)
os.setuid(65534)
asyncio.run(main())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
def test_what_the_user_may_not_do_the_tools_do_not(workspace: Path) -> None:
    for folder in workspace.parents:
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    workspace.chmod(0o777)
    (workspace / "secret").touch(0o600)
    (workspace / "locked").write_text("old")
    (workspace / "locked").chmod(0o644)
    (workspace / "theirs").mkdir(0o755)
    (workspace / "closed").mkdir(0o700)
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, workspace], capture_output=True, text=True, check=False
    )

    assert json.loads(ended.stdout or ended.stderr) == [
        "Error: permission denied: secret",
        "Error: permission denied: locked is read-only",
        "Error: permission denied: locked is read-only",
        "Error: theirs/new was not written: Permission denied",
        "Error: permission denied: closed/new",
    ]
    assert (workspace / "locked").read_text() == "old"
