"""A fork of a damaged log gets every batch that proves out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fsm_agent.errors import UnknownVersion
from fsm_agent.events.lines import Line
from fsm_agent.log.reading import read
from fsm_agent.log.salvage import Salvage

Batches = Sequence[Sequence[Line]]


def seqs(salvage: Salvage) -> list[int]:
    return [line.seq for batch in salvage for line in batch.lines]


def test_a_sound_log_has_no_gap(log: Path) -> None:
    salvage = Salvage(log)
    assert list(salvage) == list(read(log))
    assert salvage.gaps == []


def test_the_batches_on_both_sides_of_a_cut_line_are_kept(log: Path) -> None:
    lines = log.read_bytes().split(b"\n")
    offset = sum(len(line) + 1 for line in lines[:1])
    lines[2] = lines[2][:60]
    log.write_bytes(b"\n".join(lines))
    before = log.read_bytes()
    salvage = Salvage(log)
    assert seqs(salvage) == [0, 4, 5, 6, 7, 8, 9]
    (gap,) = salvage.gaps
    assert (gap.first, gap.last, gap.offset) == (2, 4, offset)
    assert gap.why == "not a line of a log"
    assert log.read_bytes() == before


def test_lines_that_were_put_in_are_left_out_and_numbered(log: Path) -> None:
    lines = log.read_bytes().split(b"\n")
    changed = [b"[]", *lines[:2], b"", b"42", *lines[2:6], b'"x"', *lines[6:]]
    log.write_bytes(b"\n".join(changed)[:-30])
    salvage = Salvage(log)
    assert seqs(salvage) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert [gap.first for gap in salvage.gaps] == [1, 4, 5, 10, 13]
    assert salvage.gaps[-1].last == 14


@pytest.mark.parametrize("batch", range(4))
def test_a_broken_seal_costs_no_more_than_the_batch_and_the_next(log: Path, batch: int) -> None:
    raws = [b.raw for b in read(log)]
    raws[batch] = raws[batch][:-40] + b"Z" + raws[batch][-39:]
    log.write_bytes(b"".join(raws))
    kept = [b.raw for b in Salvage(log)]
    assert kept == [raw for i, raw in enumerate(raws) if i not in (batch, batch + 1)]


def test_every_damaged_byte_costs_at_most_two_batches(log: Path) -> None:
    whole, raws = log.read_bytes(), [batch.raw for batch in read(log)]
    for place in range(len(whole)):
        log.write_bytes(whole[:place] + b"\0" + whole[place + 1 :])
        salvage = Salvage(log)
        kept = [batch.raw for batch in salvage]
        assert [raw for raw in raws if raw in kept] == kept
        assert len(kept) >= 2
        assert sum(gap.bytes for gap in salvage.gaps) + sum(map(len, kept)) == len(whole)


def test_a_later_format_is_not_salvaged(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_bytes(b'{"seq":0,"time":"t","kind":"input","type":"session_start","v":2}\n')
    with pytest.raises(UnknownVersion):
        list(Salvage(log))
