"""Real logs to audit, those of the runtime, and how to change them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.events.lines import GENESIS, seal

Batches = list[list[dict[str, Any]]]
"""A log as JSON: its batches, their lines, without seals."""

SNAPSHOTS = sorted((Path(__file__).parents[1] / "runtime" / "__snapshots__").glob("*/*.jsonl"))
REFERENCES = ("cause", "activity", "of", "kept")


def split(raw: bytes) -> Batches:
    """A log's lines as JSON, by batch; the seal is still in the last line of each."""
    batches: Batches = [[]]
    for line in raw.splitlines():
        batches[-1].append(msgspec.json.decode(line))
        if "seal" in batches[-1][-1]:
            batches.append([])
    return batches[:-1]


def encoded(lines: list[dict[str, Any]]) -> list[bytes]:
    return [msgspec.json.encode(line) for line in lines]


@pytest.fixture(scope="session")
def logs() -> Mapping[str, bytes]:
    """Every log that the runtime's snapshots hold, by the name of its test."""
    return {path.stem: path.read_bytes() for path in SNAPSHOTS}


@pytest.fixture(scope="session")
def opened() -> Callable[[bytes], Batches]:
    """A log as JSON; each batch keeps its state's digest as `state` in its last line."""

    def opened(raw: bytes) -> Batches:
        batches = split(raw)
        for batch in batches:
            batch[-1]["state"] = batch[-1].pop("seal")["state"]
        return batches

    return opened


@pytest.fixture(scope="session")
def sealed() -> Callable[[Batches], bytes]:
    """JSON as a log again: seqs and what refers to them numbered anew, the chain recomputed."""

    def sealed(batches: Batches) -> bytes:
        batches = [[dict(line) for line in batch] for batch in batches if batch]
        lines = [line for batch in batches for line in batch]
        new = {line["seq"]: number for number, line in reversed(list(enumerate(lines)))}
        for number, line in enumerate(lines):
            line["seq"] = number
            for key in REFERENCES:
                if isinstance(line.get(key), int):
                    line[key] = new.get(line[key], line[key])
                elif key in line:
                    line[key] = [new.get(seq, seq) for seq in line[key]]
        raw, previous, state = b"", GENESIS, "0" * 16
        for batch in batches:
            states = [line.pop("state") for line in batch if "state" in line]
            state = states[-1] if states else state
            one, previous = seal(encoded(batch), previous, state)
            raw += one
        return raw

    return sealed


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    """Bytes as the log of a session in a directory of its own."""
    numbers = itertools.count()

    def write(raw: bytes) -> Path:
        path = tmp_path / f"session-{next(numbers)}" / "events.jsonl"
        path.parent.mkdir()
        path.write_bytes(raw)
        return path

    return write
