"""What can be made again from the log is written without a sync."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from fsm_agent.log.disk import FaultyDisk
from fsm_agent.log.projections import Projections


def test_files_grow_or_are_put_in_place_and_nothing_is_synced(tmp_path: Path) -> None:
    disk = FaultyDisk("write", 0, 0)
    projections = Projections(tmp_path, disk)
    projections.append("conversation.jsonl", b"1\n")
    projections.append("conversation.jsonl", b"2\n")
    projections.replace("stats.json", b"{old and longer}")
    projections.replace("stats.json", b"{}")
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert found == {"conversation.jsonl": b"1\n2\n", "stats.json": b"{}"}
    assert disk.calls["sync"] == disk.calls["sync_directory"] == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_failed_replacement_leaves_the_old_bytes(tmp_path: Path) -> None:
    Projections(tmp_path).replace("stats.json", b"{}")
    projections = Projections(tmp_path, FaultyDisk("write", 1, errno.ENOSPC, taken=3))
    with pytest.raises(OSError, match="No space"):
        projections.replace("stats.json", b"{more}")
    assert (tmp_path / "stats.json").read_bytes() == b"{}"
