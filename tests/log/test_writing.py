"""What is appended is what is there, and it goes on from there."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.errors import LogNotWritable
from fsm_agent.events.inputs import SessionStart, UserInput
from fsm_agent.events.lines import Line, encode
from fsm_agent.log.disk import FaultyDisk
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.reading import read
from fsm_agent.log.writing import LogWriter

STATE = "0123456789abcdef"
Batches = Sequence[Sequence[Line]]


def no_fault() -> FaultyDisk:
    """A disk that only counts."""
    return FaultyDisk("write", 0, 0)


def test_a_batch_is_one_write_and_syncs_only_if_durable(tmp_path: Path, batches: Batches) -> None:
    disk = no_fault()
    writer = LogWriter.create(tmp_path / "s", disk)
    raws = [writer.append(batch, STATE, durable=index == 2) for index, batch in enumerate(batches)]
    writer.close()
    assert writer.path.read_bytes() == b"".join(raws)
    assert (disk.calls["write"], disk.calls["sync"]) == (4, 1)


def test_only_the_owner_can_read_a_session(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        writer = LogWriter.create(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    writer.close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a").rglob("*")}
    assert modes == {"b": 0o700, "events.jsonl": 0o600, "events.lock": 0o600}
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_every_directory_that_gains_a_name_is_synced(tmp_path: Path) -> None:
    disk = no_fault()
    LogWriter.create(tmp_path / "a" / "b" / "c", disk).close()
    assert disk.calls["make_directory"] == 3
    assert disk.calls["sync_directory"] == 4


def test_a_log_that_is_there_is_never_begun_anew(log: Path) -> None:
    before = log.read_bytes()
    with pytest.raises(LogNotWritable, match="File exists"):
        LogWriter.create(log.parent)
    assert log.read_bytes() == before
    SessionLock(log.parent).close()


def test_encoded_lines_do_as_well(tmp_path: Path, log: Path, batches: Batches) -> None:
    writer = LogWriter.create(tmp_path / "other")
    for batch in batches:
        writer.append([encode(line) for line in batch], STATE, durable=False)
    writer.close()
    assert writer.path.read_bytes() == log.read_bytes()


def test_lines_that_do_not_go_on_are_refused_and_nothing_is_written(
    tmp_path: Path, batches: Batches
) -> None:
    writer = LogWriter.create(tmp_path / "s")
    writer.append(batches[0], STATE, durable=False)
    before = writer.path.read_bytes()
    earlier = Line(1, "2026-11-30T09:12:00.000Z", "input", UserInput(text="x"))
    split = encode(Line(1, "2026-11-30T09:12:01.120Z", "input", UserInput(text="x"))) + b"\n "
    for wrong in ([], batches[0], batches[2], [earlier], [split]):
        with pytest.raises(ValueError, match=r"a batch has|not line 1"):
            writer.append(wrong, STATE, durable=False)
    assert writer.path.read_bytes() == before
    writer.append(batches[1], STATE, durable=False)
    writer.close()
    assert len(list(read(writer.path))) == 2


def test_a_log_is_resumed_only_when_all_of_it_is_proved(log: Path) -> None:
    lock = SessionLock(log.parent)
    reading = read(log)
    next(iter(reading))
    with pytest.raises(ValueError, match="read it to its end"):
        LogWriter.resume(lock, reading)
    lock.close()


def test_a_tail_is_never_put_in_place_of_an_earlier_one(log: Path) -> None:
    size = log.stat().st_size
    for junk in (b"one", b"two", b"three"):
        log.write_bytes(log.read_bytes() + junk)
        lock = SessionLock(log.parent)
        reading = read(log)
        list(reading)
        LogWriter.resume(lock, reading).close()
    kept = {path.name: path.read_bytes() for path in log.parent.glob("events.torn-*")}
    name = f"events.torn-{size}"
    assert kept == {name: b"one", f"{name}.2": b"two", f"{name}.3": b"three"}
    assert log.stat().st_size == size


texts = st.text(st.characters(exclude_categories=["Cs"]))
groups = st.lists(st.lists(texts, min_size=1, max_size=4), max_size=4)


@settings(max_examples=60, deadline=None)
@given(groups=groups, state=st.from_regex(r"[0-9a-f]{16}", fullmatch=True))
def test_write_read_write_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, groups: list[list[str]], state: str
) -> None:
    place = tmp_path_factory.mktemp("logs")
    time = "2026-11-30T09:12:01.120Z"
    start = SessionStart(v=1, session="s", program="1", semantics=1, tables={}, cwd="/")
    first, again = LogWriter.create(place / "first"), LogWriter.create(place / "again")
    first.append([Line(0, time, "input", start)], state, durable=False)
    for group in groups:
        seq = first.end.seq
        first.append(
            [Line(n, time, "input", UserInput(text=text)) for n, text in enumerate(group, seq)],
            state,
            durable=False,
        )
    first.close()
    for batch in read(first.path):
        assert again.append(batch.lines, batch.seal.state, durable=False) == batch.raw
    again.close()
    assert again.path.read_bytes() == first.path.read_bytes()
    assert again.end == first.end
