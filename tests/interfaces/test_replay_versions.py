"""Of another version, tables and seals are proved, and nothing else is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from fsm_agent.events.lines import GENESIS, decode, seal
from fsm_agent.lifecycles.declared import table_files
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.step import SEMANTICS
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.log.reading import read
from fsm_agent.testing.program import Ended

GOOD = Path(__file__).parents[1] / "replays" / "1" / "good" / "one-tool.jsonl"
FUTURE = SEMANTICS + 1
OTHER_TURN = table_files()["turn"].replace(b"T70 ", b"T99 ")
"""The turn's table with a row of another name."""

Line: TypeAlias = dict[str, Any]
Verb: TypeAlias = Callable[..., Ended]
Write: TypeAlias = Callable[..., Path]


def kept(directory: Path, data: bytes) -> Line:
    """A blob beside the log, and its name."""
    name = hashlib.sha256(data).hexdigest()
    (directory / "blobs").mkdir(exist_ok=True)
    (directory / "blobs" / name).write_bytes(data)
    return {"blob": name, "bytes": len(data)}


@pytest.fixture
def future(tmp_path: Path) -> Write:
    """A log that another version might have written: some fields changed, all sealed anew."""

    def write(
        changes: dict[int, Line], tables: dict[str, Line] | None = None, state: str = ""
    ) -> Path:
        raw, previous, world = b"", GENESIS, World(lambda _: "")
        changes = {0: {"semantics": FUTURE, "tables": tables or {}}, **changes}
        for batch in read(GOOD):
            lines = []
            for text in batch.raw.splitlines():
                line = msgspec.json.decode(text)
                line |= changes.get(line["seq"], {})
                line.pop("seal", None)
                lines.append(msgspec.json.encode(line))
                apply(world, decode(lines[-1])[0])
            body, previous = seal(lines, previous, state or digest(world))
            raw += body
        (tmp_path / "events.jsonl").write_bytes(raw)
        return tmp_path / "events.jsonl"

    return write


def test_what_another_version_derived_is_not_decided_again(future: Write, verb: Verb) -> None:
    path = future({9: {"digest": "0" * 64}, 22: {"content": "in other words"}})
    moves = path.read_bytes().count(b'"type":"transition"')

    ended = verb("replay", str(path), "--verify")

    assert ended.code == 0
    assert b"every seal is the same, and each transition is the one that its table" in ended.out
    assert f"requests not compared (semantics {FUTURE}, this is {SEMANTICS})" in ended.err
    assert f"{moves} transitions were" in ended.err


def test_to_be_strict_is_to_ask_for_all(future: Write, verb: Verb) -> None:
    assert verb("replay", str(future({})), "--verify", "--strict").code == 6
    assert verb("replay", str(GOOD), "--verify", "--strict").code == 0


@pytest.mark.parametrize(
    "forged",
    [{"row": "T71"}, {"to": "persist"}, {"from": "call"}, {"trigger": "opened"}, {"answers": {}}],
    ids=str,
)
def test_a_transition_that_its_table_does_not_give_is_found(
    forged: Line, future: Write, verb: Verb
) -> None:
    ended = verb("replay", str(future({26: forged})), "--verify")

    assert ended.code == 4
    assert b"line 27 (batch 4): another row is taken" in ended.out


def test_a_state_that_does_not_follow_is_found(future: Write, verb: Verb) -> None:
    ended = verb("replay", str(future({}, state="0" * 16)), "--verify")

    assert ended.code == 4
    assert b"line 4 (batch 0): the lines are the same, and the state behind" in ended.out


def test_its_own_tables_decide(tmp_path: Path, future: Write, verb: Verb) -> None:
    """They lie beside the log; a row that only they have is theirs to take."""
    turn = {"turn": kept(tmp_path, OTHER_TURN)}
    shipped = {name: kept(tmp_path, data) for name, data in table_files().items()}

    ended = verb("replay", str(future({26: {"row": "T99"}}, shipped | turn)), "--verify")
    assert ended.code == 0

    ended = verb("replay", str(future({26: {"row": "T99"}}, shipped)), "--verify")
    assert ended.code == 4


def test_a_table_that_is_nowhere_is_an_unknown_version(future: Write, verb: Verb) -> None:
    gone = {"turn": {"blob": "0" * 64, "bytes": 1}}

    ended = verb("replay", str(future({}, gone)), "--verify")

    assert ended.code == 6
    assert "the log's own tables cannot be used" in ended.err
