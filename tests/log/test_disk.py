"""The faulty disk fails as planned, and else is the real one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from fsm_agent.log.disk import FaultyDisk, OsDisk, write_whole


def test_one_call_fails_or_all_from_then_on(tmp_path: Path) -> None:
    for lasting, expected in ((False, "w-ww"), (True, "w---")):
        disk = FaultyDisk("write", 2, errno.EIO, lasting=lasting)
        file = disk.open(tmp_path / expected, os.O_WRONLY | os.O_CREAT)
        done = ""
        for _ in range(4):
            try:
                disk.write(file, b"x")
                done += "w"
            except OSError as error:
                done += "-" if error.errno == errno.EIO else "?"
        os.close(file)
        assert done == expected
        assert (disk.calls["write"], disk.failed) == (4, expected.count("-"))


def test_a_short_write_takes_what_was_planned_and_is_an_error(tmp_path: Path) -> None:
    disk = FaultyDisk("write", 1, 0, taken=3)
    file = disk.open(tmp_path / "f", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="short write, 3 of 10 bytes"):
        write_whole(disk, file, b"0123456789")
    os.close(file)
    assert (tmp_path / "f").read_bytes() == b"012"


def test_files_are_closed_in_programs_that_are_started(tmp_path: Path) -> None:
    file = OsDisk().open(tmp_path / "f", os.O_WRONLY | os.O_CREAT)
    assert not os.get_inheritable(file)
    os.close(file)
