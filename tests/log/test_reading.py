"""What is proved is read, and nothing else is."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fsm_agent.errors import DamagedLog, LogError, UnknownVersion
from fsm_agent.events.inputs import SessionStart, UserInput
from fsm_agent.events.lines import GENESIS, Batch, Line, encode, seal
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.reading import read
from fsm_agent.log.writing import LogWriter

STATE = "0123456789abcdef"
Batches = Sequence[Sequence[Line]]


def sealed(*batches: Sequence[bytes]) -> bytes:
    raws, previous = [], GENESIS
    for batch in batches:
        raw, previous = seal(batch, previous, STATE)
        raws.append(raw)
    return b"".join(raws)


def parts(log: Path) -> list[bytes]:
    return [batch.raw for batch in read(log)]


def test_what_was_written_is_read(log: Path, batches: Batches) -> None:
    reading = read(log)
    got = [list(batch.lines) for batch in reading]

    assert got == [list(batch) for batch in batches]
    assert reading.finished
    assert reading.torn is None
    assert reading.end.offset == log.stat().st_size
    assert (reading.end.seq, reading.end.time) == (10, "2026-11-30T09:12:04.120Z")


def test_a_log_can_be_read_twice_by_the_same_reader(log: Path) -> None:
    reading = read(log)
    assert list(reading) == list(reading)


def test_line_separators_inside_texts_split_nothing(log: Path, batches: Batches) -> None:
    sent = batches[1][0].event
    event = list(read(log))[1].lines[0].event
    assert isinstance(event, UserInput)
    assert event == sent
    assert log.read_bytes().count(b"\n") == 10
    assert b"\r" not in log.read_bytes()


def test_a_cut_at_any_byte_leaves_the_sealed_batches_and_the_rest_is_kept(
    log: Path, batches: Batches
) -> None:
    whole, raws = log.read_bytes(), parts(log)
    ends = [0, *itertools.accumulate(map(len, raws))]
    aside = [log.with_name(f"events.torn-{end}") for end in ends]
    for cut in range(ends[2], len(whole)):
        log.write_bytes(whole[:cut])
        count = sum(end <= cut for end in ends) - 1
        lock = SessionLock(log.parent)
        reading = read(log)
        assert [batch.raw for batch in reading] == raws[:count], cut
        writer = LogWriter.resume(lock, reading)
        for batch in batches[count:]:
            writer.append(batch, STATE, durable=False)
        writer.close()
        assert log.read_bytes() == whole, cut
        if cut == ends[count]:
            assert reading.torn is None
            assert writer.damage is None
        else:
            assert aside[count].read_bytes() == whole[ends[count] : cut]
            assert reading.torn is not None
            assert writer.damage is not None
            assert writer.damage.kept_in == aside[count].name
            assert writer.damage.bytes == reading.torn.bytes == cut - ends[count]
            aside[count].unlink()


def test_every_flipped_bit_before_the_last_batch_is_found_and_located(log: Path) -> None:
    whole, raws = log.read_bytes(), parts(log)
    version = whole.index(b'"v":1') + 4
    first = offset = 0
    for proved, raw in enumerate(raws[:-1]):
        count = raw.count(b"\n")
        for place in range(offset, offset + len(raw)):
            for bit in range(8):
                flipped = bytearray(whole)
                flipped[place] ^= 1 << bit
                log.write_bytes(flipped)
                got = list[Batch]()
                with pytest.raises((DamagedLog, UnknownVersion)) as caught:
                    got.extend(read(log))
                assert len(got) == proved
                if isinstance(caught.value, DamagedLog):
                    assert first < caught.value.line <= first + count, (place, bit)
                    assert offset <= caught.value.offset <= place, (place, bit)
                else:
                    assert place == version
        first, offset = first + count, offset + len(raw)


def test_every_flipped_bit_of_the_last_batch_keeps_it_from_being_read(log: Path) -> None:
    whole, raws = log.read_bytes(), parts(log)
    for place in range(len(whole) - len(raws[-1]), len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        log.write_bytes(flipped)
        reading, got = read(log), list[Batch]()
        with contextlib.suppress(DamagedLog):
            got.extend(reading)
        assert [batch.raw for batch in got] == raws[:-1], place
        assert (reading.torn is not None) == reading.finished


@pytest.mark.parametrize("junk", [b"\0" * 5000, b"\xff" * 300, b"\n\n", b"42\n", b'{"seq":10'])
def test_bytes_behind_the_last_seal_are_a_torn_tail(log: Path, junk: bytes) -> None:
    whole = log.read_bytes()
    log.write_bytes(whole + junk)
    reading = read(log)
    assert len(list(reading)) == 4
    assert reading.torn is not None
    assert (reading.torn.offset, reading.torn.bytes) == (len(whole), len(junk))
    assert reading.torn.first == 11


def test_a_torn_batch_with_nulls_behind_it_is_a_torn_tail(log: Path) -> None:
    whole = log.read_bytes()
    for cut in range(len(whole) - 150, len(whole)):
        log.write_bytes(whole[:cut] + b"\0" * 64)
        reading = read(log)
        assert len(list(reading)) == 3, cut
        assert reading.torn is not None


@pytest.mark.parametrize("place", range(10))
def test_a_line_put_in_or_taken_out_is_damage(log: Path, place: int) -> None:
    lines = log.read_bytes().split(b"\n")[:-1]
    for changed in (
        [*lines[:place], b"42", *lines[place:]],
        [*lines[:place], b"", *lines[place:]],
        [*lines[:place], lines[place], *lines[place:]],
        [*lines[:place], lines[place][:40], *lines[place + 1 :]] if place < 9 else [b"[]", *lines],
    ):
        log.write_bytes(b"\n".join([*changed, b""]))
        with pytest.raises(DamagedLog) as caught:
            list(read(log))
        assert caught.value.line <= place + 2
        assert str(log) in str(caught.value)
        assert f"byte {caught.value.offset}" in str(caught.value)


def test_a_second_writer_s_lines_are_damage(log: Path) -> None:
    raws = parts(log)
    lines = [raw.splitlines(keepends=True) for raw in raws]
    mixed = [line for pair in zip(lines[1], lines[2][:3], strict=True) for line in pair]
    for bad in (
        b"".join([*raws, raws[2]]),
        b"".join([raws[0], raws[1], raws[1], raws[2]]),
        b"".join([raws[0], *mixed, lines[2][3]]),
        b"".join([raws[0], raws[2], raws[1], raws[3]]),
    ):
        log.write_bytes(bad)
        with pytest.raises(DamagedLog, match="lines before line"):
            list(read(log))


def test_line_ends_of_another_system_are_damage(log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(DamagedLog, match="a seal does not end its line"):
        list(read(log))


def test_time_that_goes_back_is_damage_even_if_sealed(write: Callable[[Batches], Path]) -> None:
    start = SessionStart(v=1, session="s", program="1.0", semantics=1, tables={}, cwd="/w")
    log = write([[Line(0, "2026-11-30T09:12:44.120Z", "input", start)]])
    back = Line(1, "2026-11-30T09:12:44.119Z", "input", UserInput(text="x"))
    log.write_bytes(sealed([encode(next(iter(read(log))).lines[0])], [encode(back)]))
    with pytest.raises(DamagedLog, match=r":2: .*44\.119Z after seq 0, .*44\.120Z"):
        list(read(log))


def test_a_gap_in_seq_is_damage_even_if_sealed(log: Path, batches: Batches) -> None:
    log.write_bytes(sealed(*([encode(line) for line in batches[i]] for i in (0, 2))))
    with pytest.raises(DamagedLog, match=r":2: .*seq 4, .* after seq 0,"):
        list(read(log))


def test_an_empty_log_is_clean(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.touch()
    reading = read(log)
    assert list(reading) == []
    assert reading.finished


HEAD = b'{"seq":0,"time":"2026-11-30T09:12:01.120Z","kind":"input","type":"session_start",'
START = HEAD + b'"v":1,"session":"s","program":"1","semantics":1,"tables":{},"cwd":"/"}'


def test_unknown_types_and_fields_are_kept_and_counted(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    place = b'{"seq":%d,"time":"2026-11-30T09:12:01.120Z","kind":"input","type":'
    future = place % 1 + b'"future_thing","of":[1,2]}'
    richer = place % 2 + b'"user_input","text":"x","mood":"good"}'
    poorer = place % 3 + b'"settings","protocol":"chat","model":"m"}'
    raw = sealed([START], [future], [future.replace(b":1,", b":2,", 1)])
    log.write_bytes(raw)
    reading = read(log)
    assert b"".join(batch.raw for batch in reading) == raw
    assert reading.unknown == {"future_thing": 2}

    log.write_bytes(sealed([START], [future, richer, poorer]))
    reading = read(log)
    assert [line.seq for batch in reading for line in batch.lines] == [0, 1, 2, 3]


@pytest.mark.parametrize("version", [b"2", b"17", b'"2.0"'])
def test_a_later_format_is_refused_by_both_versions(tmp_path: Path, version: bytes) -> None:
    log = tmp_path / "events.jsonl"
    head = HEAD + b'"v":' + version + b',"program":"9.9","new":[]}'
    log.write_bytes(sealed([head], [b"{whatever}"]) + b"\x00binary")
    before = log.read_bytes()
    with pytest.raises(UnknownVersion, match=r"format .* \(fsm-agent 9\.9\).* up to format 1"):
        list(read(log))
    assert log.read_bytes() == before


def test_a_log_without_a_head_is_refused_as_such(log: Path) -> None:
    log.write_bytes(log.read_bytes().split(b"\n", 1)[1])
    with pytest.raises(UnknownVersion, match="without session_start"):
        list(read(log))


def test_a_sealed_log_that_begins_otherwise_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    line = Line(0, "2026-11-30T09:12:44.120Z", "input", UserInput(text="x"))
    log.write_bytes(sealed([encode(line)]))
    with pytest.raises(UnknownVersion, match="without session_start"):
        list(read(log))


def test_a_sealed_line_of_another_program_is_no_damage(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    odd = START.replace(b'"seq":0', b'"seq":1').replace(b'"v":1', b'"v":[]')
    log.write_bytes(sealed([START], [odd]))
    with pytest.raises(UnknownVersion, match=r":2: not damaged"):
        list(read(log))


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(start=st.integers(0, 2500), length=st.integers(0, 900), junk=st.binary(max_size=40))
def test_whatever_is_put_in_place_of_bytes_only_a_proved_prefix_is_read(
    tmp_path_factory: pytest.TempPathFactory, log: Path, start: int, length: int, junk: bytes
) -> None:
    whole, raws = log.read_bytes(), parts(log)
    changed = whole[:start] + junk + whole[start + length :]
    copy = tmp_path_factory.getbasetemp() / "changed.jsonl"
    copy.write_bytes(changed)
    reading, got = read(copy), list[Batch]()
    with contextlib.suppress(LogError):
        got.extend(reading)
    proved = b"".join(batch.raw for batch in got)
    assert [batch.raw for batch in got] == raws[: len(got)]
    assert changed.startswith(proved)
    assert len(got) == 4 or not changed.startswith(proved + raws[len(got)])


def test_nesting_without_end_is_damage_and_no_crash(log: Path) -> None:
    raws = parts(log)
    deep = b'{"seq":1,"time":"t","kind":"input","type":"new","x":' + b"[" * 200_000 + b"\n"
    log.write_bytes(raws[0] + deep + b"".join(raws[1:]))
    with pytest.raises(DamagedLog, match=r":2: .*not a line"):
        list(read(log))
