"""A blob is there as a whole, or not at all."""

from __future__ import annotations

import errno
import itertools
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.errors import DamagedLog, LogNotWritable
from fsm_agent.events.values import INLINE_LIMIT, Blob
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.disk import Call, FaultyDisk

DATA = b"old bytes of a file\n" * 300


def test_bytes_come_back_and_are_kept_once(tmp_path: Path) -> None:
    disk = FaultyDisk("write", 0, 0)
    store = BlobStore(tmp_path, disk)
    blob = store.put(DATA)
    assert blob == Blob(sha256(DATA).hexdigest(), len(DATA))
    assert store.put(DATA) == blob
    assert store.get(blob) == DATA
    assert disk.calls["write"] == 1
    (kept,) = (tmp_path / "blobs").iterdir()
    assert kept.name == blob.blob
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_it_is_on_the_device_under_its_name_before_put_returns(tmp_path: Path) -> None:
    disk = FaultyDisk("write", 0, 0)
    BlobStore(tmp_path, disk).put(DATA)
    assert disk.calls == {
        "make_directory": 1,
        "open": 1,
        "write": 1,
        "sync": 1,
        "replace": 1,
        "sync_directory": 2,
    }


@pytest.mark.parametrize("call", sorted({*get_args(Call)} - {"link"}))
def test_a_failure_leaves_no_blob_and_the_next_try_is_whole(tmp_path: Path, call: Call) -> None:
    for nth in itertools.count(1):
        disk = FaultyDisk(call, nth, errno.ENOSPC, taken=100)
        directory = tmp_path / str(nth)
        directory.mkdir()
        said = ""
        try:
            BlobStore(directory, disk).put(DATA)
        except LogNotWritable as error:
            said = str(error)
        if not disk.failed:
            break
        path = directory / "blobs" / sha256(DATA).hexdigest()
        assert said.startswith(f"{path}: cannot be written: No space")
        assert [left for left in directory.rglob("*") if left.is_file()] == []
        store = BlobStore(directory)
        assert store.get(store.put(DATA)) == DATA
    assert nth > 1 or call == "truncate"


def test_a_draft_that_a_crash_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / f"{sha256(DATA).hexdigest()}.{os.getpid()}").write_bytes(b"x" * 100_000)
    store = BlobStore(tmp_path)
    assert store.get(store.put(DATA)) == DATA


def test_other_bytes_or_none_are_damage(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    blob = store.put(DATA)
    path = tmp_path / "blobs" / blob.blob
    path.write_bytes(DATA[:-1])
    with pytest.raises(DamagedLog, match=f"{blob.blob}: its bytes"):
        store.get(blob)
    path.unlink()
    with pytest.raises(DamagedLog, match=f"{blob.blob}: .*not there"):
        store.get(blob)


@pytest.mark.parametrize("name", ["../secret", "/dev/zero", "", "A" * 64])
def test_a_name_that_no_blob_has_leads_to_no_file(tmp_path: Path, name: str) -> None:
    store = BlobStore(tmp_path)
    store.put(DATA)
    (tmp_path / "secret").write_bytes(DATA)

    with pytest.raises(DamagedLog, match="not there"):
        store.get(Blob(name, 1))


def test_a_pipe_is_no_blob(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    os.mkfifo(tmp_path / "blobs" / ("a" * 64))

    with pytest.raises(DamagedLog, match="not there"):
        BlobStore(tmp_path).get(Blob("a" * 64, 1))


@given(text=st.text(st.characters(exclude_categories=["Cs"])), times=st.sampled_from([1, 400]))
def test_a_text_is_inline_up_to_the_limit_and_comes_back_either_way(
    tmp_path_factory: pytest.TempPathFactory, text: str, times: int
) -> None:
    store = BlobStore(tmp_path_factory.getbasetemp())
    kept = store.text_or_blob(text * times)
    assert isinstance(kept, str) == (len((text * times).encode()) <= INLINE_LIMIT)
    assert (kept if isinstance(kept, str) else store.text(kept)) == text * times


def test_the_limit_counts_bytes(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    assert store.text_or_blob("é" * (INLINE_LIMIT // 2)) == "é" * (INLINE_LIMIT // 2)
    assert isinstance(store.text_or_blob("é" * (INLINE_LIMIT // 2) + "x"), Blob)


def test_what_sessions_share_is_one_file_with_many_names(tmp_path: Path) -> None:
    common = BlobStore(tmp_path / "home")
    stores = [BlobStore(tmp_path / name) for name in ("one", "two")]

    kept = [store.share({"turn": DATA, "tool": b"x"}, common) for store in stores]

    assert kept[0] == kept[1]
    assert {name: stores[1].get(blob) for name, blob in kept[0].items()} == {
        "turn": DATA,
        "tool": b"x",
    }
    paths = [tmp_path / name / "blobs" / kept[0]["turn"].blob for name in ("home", "one", "two")]
    assert len({path.stat().st_ino for path in paths}) == 1


def test_a_disk_without_links_gets_copies(tmp_path: Path) -> None:
    store = BlobStore(tmp_path / "one", FaultyDisk("link", 1, errno.EXDEV, lasting=True))

    kept = store.share({"turn": DATA}, BlobStore(tmp_path / "home"))

    assert store.get(kept["turn"]) == DATA
    assert (tmp_path / "one" / "blobs" / kept["turn"].blob).stat().st_nlink == 1
