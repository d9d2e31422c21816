"""One writer a session, and a dead one is in nobody's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsm_agent.errors import LogNotWritable, SessionInUse
from fsm_agent.log.lock import SessionLock, holder

OWNER = """
import sys
from pathlib import Path
from fsm_agent.log.lock import SessionLock

lock = SessionLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
TAKER = """
import sys
from pathlib import Path
from fsm_agent.errors import SessionInUse
from fsm_agent.log.lock import SessionLock

try:
    SessionLock(Path(sys.argv[1]))
except SessionInUse as error:
    print(error)
    sys.exit(error.exit_code)
"""


@contextmanager
def owner(directory: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until its input ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield child


def test_another_process_is_refused_by_the_owner_s_pid_and_told_the_ways_out(
    tmp_path: Path,
) -> None:
    with owner(tmp_path) as child:
        with pytest.raises(SessionInUse) as caught:
            SessionLock(tmp_path)
        assert f"process {child.pid} is using" in str(caught.value)
        assert {"Wait", "fork", "new"} <= set(str(caught.value).split())
        assert caught.value.exit_code == 2


def test_the_same_process_is_refused_too(tmp_path: Path) -> None:
    lock = SessionLock(tmp_path)
    with pytest.raises(SessionInUse, match=f"process {os.getpid()} "):
        SessionLock(tmp_path)
    lock.close()
    lock.close()
    SessionLock(tmp_path).close()


def test_a_refusal_does_not_give_the_owner_s_lock_up(tmp_path: Path) -> None:
    lock = SessionLock(tmp_path)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", TAKER, str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert f"process {os.getpid()} is using" in done.stdout
    lock.close()


def test_the_way_through_a_link_leads_to_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "session").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "session")
    lock = SessionLock(tmp_path / "link")
    with pytest.raises(SessionInUse):
        SessionLock(tmp_path / "session")
    lock.close()


def test_after_kill_9_the_lock_is_free(tmp_path: Path) -> None:
    with owner(tmp_path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
        lock = SessionLock(tmp_path)
    assert (tmp_path / "events.lock").read_text().startswith(f"{os.getpid()} ")
    lock.close()


def test_a_program_started_meanwhile_does_not_hold_the_lock(tmp_path: Path) -> None:
    lock = SessionLock(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        close_fds=False,
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        lock.close()
        SessionLock(tmp_path).close()
        child.communicate(b"\n")


@pytest.mark.parametrize("content", ["", "junk", "1 5", "999999999 77", "\udcff\0", "{pid} 1"])
def test_a_pid_that_is_not_the_owner_s_is_not_named(tmp_path: Path, content: str) -> None:
    lock = SessionLock(tmp_path)
    left = content.replace("{pid}", str(os.getpid()))
    (tmp_path / "events.lock").write_text(left, errors="surrogateescape")
    with pytest.raises(SessionInUse, match="another process is using"):
        SessionLock(tmp_path)
    lock.close()


def test_what_a_dead_owner_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "events.lock").write_text("4194304 12345678901234567890\n")
    lock = SessionLock(tmp_path)
    pid, started = (tmp_path / "events.lock").read_text().split()
    assert int(pid) == os.getpid()
    assert started.isdecimal()
    lock.close()


def test_a_pipe_is_no_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "events.lock")

    assert holder(tmp_path) is None


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.lock").mkdir()
    with pytest.raises(LogNotWritable, match=r"events\.lock: cannot be written: .*EISDIR"):
        SessionLock(tmp_path)
