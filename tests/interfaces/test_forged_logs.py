"""A log that was changed and sealed anew is told of; it breaks nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from fsm_agent.events.lines import GENESIS, seal
from fsm_agent.log.reading import read
from fsm_agent.testing.program import Ended

GOOD = Path(__file__).parents[1] / "replays" / "1" / "good" / "one-tool.jsonl"
ESCAPE = "\x1b]0;owned\x07\u202e"

Verb: TypeAlias = Callable[..., Ended]
Forge: TypeAlias = Callable[..., str]


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    """A good log, the first line of a type changed, sealed anew."""

    def forge(kind: str, **changes: Any) -> str:
        raw, previous, left = b"", GENESIS, [changes]
        for batch in read(GOOD):
            lines = []
            for text in batch.raw.splitlines():
                line = msgspec.json.decode(text)
                line.pop("seal", None)
                if line["type"] == kind and left:
                    line |= left.pop()
                lines.append(msgspec.json.encode(line))
            body, previous = seal(lines, previous, batch.seal.state)
            raw += body
        assert not left
        (tmp_path / "events.jsonl").write_bytes(raw)
        return str(tmp_path / "events.jsonl")

    return forge


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("finished", {"activity": 10**6}),
        ("finished", {"activity": 10**18}),
        ("finished", {"activity": -1}),
        ("permission", {"cause": 10**18}),
        ("run_tool", {"cause": 32}),
        ("blocks", {"kept": [10**6, -1]}),
    ],
)
def test_why_ends_where_a_line_names_none_before_it(
    kind: str, changes: dict[str, Any], forge: Forge, verb: Verb
) -> None:
    path = forge(kind, **changes)
    asked = "".join(f"why {seq}\n" for seq in range(33)).encode()

    assert verb("replay", path, "--step", said=asked).code == 0


@pytest.mark.parametrize(
    ("kind", "changes"),
    [("blocks", {"of": 3}), ("tool_result", {"instance": "tool-9.9"}), ("blocks", {"calls": []})],
)
def test_a_line_that_speaks_of_nothing_is_damage_in_whatever_folds_it(
    kind: str, changes: dict[str, Any], forge: Forge, verb: Verb, tmp_path: Path
) -> None:
    path = forge(kind, **changes)

    listed = verb("replay", path, "--verify", "--continue")
    rebuilt = verb("export", path, "--projections", str(tmp_path / "new"))
    forked = verb("fork", f"{path}@32")

    assert (listed.code, rebuilt.code, forked.code) == (3, 3, 3)
    assert b"kind" in listed.out  # the differences before it
    for ended in (listed, rebuilt, forked):
        assert "it speaks of something that no line before it tells of" in ended.err


@pytest.mark.parametrize("cause", [20, 22, 10**18])
def test_a_cause_that_is_no_earlier_line_differs_and_ends(
    cause: int, forge: Forge, verb: Verb
) -> None:
    path = forge("tool_result", cause=cause)

    assert verb("replay", path, "--verify").code == 4
    assert verb("replay", path, "--verify", "--continue").code == 4


@pytest.mark.parametrize("time", ["2026-13-01T00:00:00.000Z", "9", ESCAPE, "2026-12-01T00:00:00"])
@pytest.mark.parametrize(
    "rest", [["--verify"], ["--step"], ["--speed", "9"], ["--to", "html"], ["--to", "otlp"]]
)
def test_what_is_no_time_is_damage(time: str, rest: list[str], forge: Forge, verb: Verb) -> None:
    path = forge("session_start", time=time)
    first = "export" if "--to" in rest else "replay"

    ended = verb(first, path, *rest)

    assert (ended.code, "is no time" in ended.err) == (3, True), ended.err
    assert "\x1b" not in ended.err


@pytest.mark.parametrize(
    "first", ["replay", "replay --verify", "replay --step", "export --to json"]
)
def test_an_unknown_type_does_not_steer_the_terminal(first: str, forge: Forge, verb: Verb) -> None:
    path = forge("read_answer", type=ESCAPE)

    ended = verb(*first.split(), path)

    assert "\\x1b]0;owned" in ended.err
    assert not set("\x1b\x07\u202e") & set(ended.err)
