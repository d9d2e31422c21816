"""Logs that were written once verify for ever; forged ones never do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsm_agent.errors import DamagedLog
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.replay import check, fold
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.lifecycles.world import digest
from fsm_agent.log.reading import read

HERE = Path(__file__).parent
GOOD = sorted(HERE.glob("*/good/*.jsonl"))
WRONG = sorted(HERE.glob("*/wrong/*.jsonl"))
FOUND = {"input": "request"}
"""Kinds that are found as another kind: a forged input shows in what follows from it."""


def no_blobs(blob: Blob) -> str:
    raise AssertionError(blob)


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_a_golden_log_verifies(path: Path) -> None:
    found = check(read(path), no_blobs)

    assert found.divergences == []
    assert found.batches > 5
    assert found.other_semantics == {int(path.parent.parent.name)} - {SEMANTICS}


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_folding_it_gives_the_state_of_its_last_seal(path: Path) -> None:
    batches = list(read(path))

    assert digest(fold(batches, no_blobs)) == batches[-1].seal.state


@pytest.mark.parametrize("path", WRONG, ids=name)
def test_a_forged_log_is_told_apart(path: Path) -> None:
    (divergence,) = check(read(path), no_blobs).divergences

    assert divergence.kind == FOUND.get(path.stem, path.stem)
    line = path.read_bytes().split(b"\n")[divergence.seq]
    assert divergence.recorded == line.decode()
    assert divergence.told().startswith(f"line {divergence.seq + 1} ")


def test_going_on_lists_all_differences() -> None:
    path = HERE / "1" / "wrong" / "request.jsonl"

    found = check(read(path), no_blobs, carry_on=True)

    assert [d.kind for d in found.divergences] == ["request"]
    assert found.batches == len(list(read(path)))


def test_a_log_verifies_wherever_it_is_read(tmp_path: Path) -> None:
    """Another hash seed, time zone, locale and directory, with network and tools gone."""
    guard = (
        "import socket, sys\n"
        "for name in ('httpx', 'asyncio', 'subprocess', 'fsm_agent.tools'):\n"
        "    sys.modules[name] = None\n"
        "socket.socket = None\n"
        "from fsm_agent.interfaces.replaying import main\n"
        f"sys.exit(main(['replay', '--verify', {str(GOOD[0])!r}]))\n"
    )
    for seed, zone, locale in (("0", "UTC", "C"), ("4711", "Asia/Tokyo", "tr_TR.UTF-8")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        done = subprocess.run(
            [sys.executable, "-c", guard],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("verified: ")


def test_a_cut_log_is_torn_and_a_bent_one_is_damaged(tmp_path: Path) -> None:
    raw = GOOD[0].read_bytes()
    path = tmp_path / "events.jsonl"

    path.write_bytes(raw[:-10])
    log = read(path)
    assert check(log, no_blobs).divergences == []
    assert log.torn is not None

    path.write_bytes(raw.replace(b'"text":"go"', b'"text":"no"'))
    with pytest.raises(DamagedLog, match=r"events.jsonl:5: "):
        check(read(path), no_blobs)
