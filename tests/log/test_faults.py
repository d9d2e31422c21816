"""Whatever call of the disk fails, the log has no hole and says so."""

from __future__ import annotations

import errno
import itertools
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from fsm_agent.errors import LogNotWritable
from fsm_agent.events.lines import Line
from fsm_agent.log.disk import Call, FaultyDisk, OsDisk
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.reading import read
from fsm_agent.log.writing import LogWriter

STATE = "0123456789abcdef"
Batches = Sequence[Sequence[Line]]
ERRORS = [errno.ENOSPC, errno.EIO, errno.EINTR, errno.EDQUOT]


def two_runs(directory: Path, batches: Batches, disk: FaultyDisk) -> Iterator[bytes]:
    """A session whose first run leaves a torn tail; gives what was acknowledged."""
    writer = LogWriter.create(directory, disk)
    try:
        for batch in batches[:2]:
            yield writer.append(batch, STATE, durable=True)
    finally:
        writer.close()
    with writer.path.open("ab") as file:
        file.write(b'{"seq":4,"ti')
    yield from next_run(directory, batches, disk)


def next_run(directory: Path, batches: Batches, disk: FaultyDisk | OsDisk) -> Iterator[bytes]:
    lock = SessionLock(directory)
    try:
        reading = read(directory / "events.jsonl")
        done = len(list(reading))
        writer = LogWriter.resume(lock, reading, disk)
        for batch in batches[done:]:
            yield writer.append(batch, STATE, durable=True)
        writer.close()
    finally:
        lock.close()


@pytest.mark.parametrize("error", ERRORS, ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize(
    ("call", "taken"),
    [
        ("make_directory", 0),
        ("open", 0),
        ("write", 0),
        ("write", 7),
        ("write", 10_000),
        ("sync", 0),
        ("truncate", 0),
        ("sync_directory", 0),
    ],
)
def test_whichever_call_fails_no_acknowledged_batch_is_lost(
    tmp_path: Path, batches: Batches, call: Call, taken: int, lasting: bool, error: int
) -> None:
    for nth in itertools.count(1):
        directory = tmp_path / str(nth) / "s"
        log = directory / "events.jsonl"
        disk = FaultyDisk(call, nth, error, lasting=lasting, taken=taken)
        acknowledged, said = list[bytes](), ""
        try:
            acknowledged.extend(two_runs(directory, batches, disk))
        except LogNotWritable as failure:
            said = str(failure)
        if not disk.failed:
            break
        assert str(directory) in said
        assert f"{os.strerror(error)} ({errno.errorcode[error]})" in said
        if log.exists():
            assert [batch.raw for batch in read(log)][: len(acknowledged)] == acknowledged
            acknowledged += next_run(directory, batches, OsDisk())
            assert [line.seq for batch in read(log) for line in batch.lines] == list(range(10))
        else:
            assert acknowledged == []
    assert nth > 1


@pytest.mark.parametrize(
    ("call", "error", "taken", "words"),
    [
        ("write", errno.ENOSPC, 50, "No space left on device (ENOSPC)"),
        ("write", errno.EIO, 0, "Input/output error (EIO)"),
        ("write", 0, 50, "short write, 50 of "),
        ("sync", errno.EIO, 0, "Input/output error (EIO)"),
    ],
)
def test_after_a_failure_the_batch_is_gone_and_every_append_says_the_same(
    tmp_path: Path, batches: Batches, call: Call, error: int, taken: int, words: str
) -> None:
    disk = FaultyDisk(call, 2, error, taken=taken)
    writer = LogWriter.create(tmp_path / "s", disk)
    first = writer.append(batches[0], STATE, durable=True)
    said = []
    for batch in (batches[1], batches[1], batches[2]):
        with pytest.raises(LogNotWritable) as caught:
            writer.append(batch, STATE, durable=True)
        said.append(str(caught.value))
    writer.close()
    assert len(set(said)) == 1
    assert words in said[0]
    assert str(writer.path) in said[0]
    assert "The log ends before line 2; the session is read-only" in said[0]
    assert writer.path.read_bytes() == first
    assert disk.calls["write"] == 2  # nothing is tried again, a sync least of all
    assert disk.calls["sync"] == (2 if call == "sync" else 1)


class DoublyFaultyDisk(FaultyDisk):
    """Cannot cut back either."""

    def truncate(self, file: int, size: int) -> None:
        raise OSError(errno.EIO, "no")


def test_what_cannot_be_cut_off_is_a_torn_tail(tmp_path: Path, batches: Batches) -> None:
    writer = LogWriter.create(tmp_path / "s", DoublyFaultyDisk("write", 2, errno.EIO, taken=50))
    writer.append(batches[0], STATE, durable=False)
    with pytest.raises(LogNotWritable, match="could not be cut off: resume judges it"):
        writer.append(batches[1], STATE, durable=False)
    writer.close()
    reading = read(writer.path)
    assert len(list(reading)) == 1
    assert reading.torn is not None
    assert reading.torn.bytes == 50


class InterruptedDisk(OsDisk):
    """Ctrl-C falls between the write and its acknowledgement."""

    def sync(self, file: int) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_leaves_no_batch_that_nobody_knows_of(
    tmp_path: Path, batches: Batches
) -> None:
    writer = LogWriter.create(tmp_path / "s", InterruptedDisk())
    first = writer.append(batches[0], STATE, durable=False)
    with pytest.raises(KeyboardInterrupt):
        writer.append(batches[1], STATE, durable=True)
    with pytest.raises(LogNotWritable, match="KeyboardInterrupt"):
        writer.append(batches[1], STATE, durable=False)
    writer.close()
    assert writer.path.read_bytes() == first


class FullDevice(OsDisk):
    """The log is a device that is always full."""

    def open(self, path: Path, flags: int) -> int:
        path.touch()
        return os.open("/dev/full", os.O_WRONLY)


def test_a_full_device_is_named(tmp_path: Path, batches: Batches) -> None:
    writer = LogWriter.create(tmp_path / "s", FullDevice())
    with pytest.raises(LogNotWritable, match=r"events\.jsonl: .*ENOSPC.*Free space on the disk"):
        writer.append(batches[0], STATE, durable=False)
    writer.close()


CHILD = """
import sys
from pathlib import Path
from fsm_agent.errors import LogNotWritable
from fsm_agent.events.inputs import SessionStart, UserInput
from fsm_agent.events.lines import Line
from fsm_agent.log.writing import LogWriter

writer = LogWriter.create(Path(sys.argv[1]))
start = SessionStart(v=1, session="s", program="1", semantics=1, tables={}, cwd="/")
event = start
try:
    while True:
        line = Line(writer.end.seq, "2026-11-30T09:12:01.120Z", "input", event)
        writer.append([line], "0" * 16, durable=True)
        print(writer.end.offset, flush=True)
        event = UserInput(text="x" * 300)
except LogNotWritable as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


@pytest.mark.parametrize("limit", [0, 1, 500, 4000, 4096])
def test_a_limit_on_file_size_cuts_back_to_the_last_batch(tmp_path: Path, limit: int) -> None:
    directory = tmp_path / "s"
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(directory)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    acknowledged = int(child.stdout.split()[-1]) if child.stdout else 0
    reading = read(directory / "events.jsonl")
    list(reading)
    assert child.returncode == 11, child.stderr
    assert "events.jsonl: cannot be written" in child.stderr
    assert "Traceback" not in child.stderr
    assert reading.torn is None
    assert reading.end.offset == acknowledged == (directory / "events.jsonl").stat().st_size


def test_a_process_killed_at_any_moment_loses_nothing_acknowledged(
    tmp_path: Path, write: Callable[[Batches], Path]
) -> None:
    for number in range(12):
        directory = tmp_path / str(number)
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(directory)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        seen = [child.stdout.readline() for _ in range(1 + 7 * number)]
        child.kill()
        child.wait()
        seen += child.stdout.read().split("\n")
        child.stdout.close()
        lock = SessionLock(directory)
        reading = read(directory / "events.jsonl")
        list(reading)
        LogWriter.resume(lock, reading).close()
        assert reading.end.offset >= max(int(offset) for offset in seen if offset.strip())
