"""Real logs to audit, those of the runtime, and how to change them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.audit import audit
from fsm_agent.errors import FsmAgentError
from fsm_agent.events.lines import GENESIS, seal
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.replay import check
from fsm_agent.log.reading import read

Batches = list[list[dict[str, Any]]]
"""A log as JSON: its batches, their lines, without seals."""
Mutator = Callable[[Batches, random.Random], bool]
"""Changes a log, if it can change this one."""
SAMPLES = 25
"""Mutants of each kind, each of another log where there are as many."""

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
    """A log as JSON; each batch keeps its state's digest as `_state` in its last line."""

    def opened(raw: bytes) -> Batches:
        batches = split(raw)
        for batch in batches:
            batch[-1]["_state"] = batch[-1].pop("seal")["state"]
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
            states = [line.pop("_state") for line in batch if "_state" in line]
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


@pytest.fixture(scope="module")
def judged(
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Batches],
    sealed: Callable[[Batches], bytes],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, Mutator], Counter[str]]:
    """How many mutants of a kind were caught by what; each is of another log."""
    path = tmp_path_factory.mktemp("mutants") / "events.jsonl"

    def mutants(name: str, mutate: Mutator) -> Iterator[bytes]:
        draw = random.Random(name)
        for log in draw.sample(sorted(logs), len(logs)):
            batches = opened(logs[log])
            if mutate(batches, draw):
                yield sealed(batches)

    def judged(name: str, mutate: Mutator) -> Counter[str]:
        made = itertools.islice(mutants(name, mutate), SAMPLES)
        return Counter(_verdict(path, mutant) for mutant in made)

    return judged


def _verdict(path: Path, mutant: bytes) -> str:
    path.write_bytes(mutant)
    differs = _differs(path, lazily=False)
    if differs != _differs(path, lazily=True):
        return f"not the same where derived lines are left unread: {mutant.decode()}"
    report = audit([path])
    if fault := report.results[0].fault:
        return f"our own fault: {fault}: {mutant.decode()}"
    if report.exit_code:
        return "rules"
    return "verify" if differs else f"nothing: {mutant.decode()}"


def _differs(path: Path, *, lazily: bool) -> str:
    """What verify says of it; nothing, if nothing differs."""
    log = read(path, lazily=lazily)
    try:
        found = check(log, _no_blob)
    except (FsmAgentError, LookupError, StopIteration, RuntimeError) as error:
        return repr(error)
    return f"{found} {log.unknown}" if found.divergences else ""


def _no_blob(blob: Blob) -> str:
    raise AssertionError(blob)
