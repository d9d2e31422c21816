"""`states check` says what holds, what does not, and shows how."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from fsm_agent.errors import DeclarationError
from fsm_agent.events.derived import Ignored, Transition
from fsm_agent.interfaces.counterexamples import as_log
from fsm_agent.interfaces.verbs import main
from fsm_agent.lifecycles.checking.walk import PROPERTIES, Finding, Walk
from fsm_agent.lifecycles.declared import tables as shipped
from fsm_agent.lifecycles.replay import fold
from fsm_agent.log.reading import read
from fsm_agent.machine import read_table

STATES = Path(__file__).parents[2] / "states"
LOST = ('"tool_result"], sends = ["turn.tool_ended"] }\nK17', '"tool_result"] }\nK17')
"""A lost call tells its turn nothing."""
SMALL = {"cut": ("no",), "draft": ("blank",), "verdict": ("allow", "later")}
DEAF = ('on = "interrupt", sends = ["tools.interrupt"]', 'on = "interrupt"')


@pytest.fixture
def states(tmp_path: Path) -> Path:
    return shutil.copytree(STATES, tmp_path / "states")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_shipped_tables_are_proved_a_line_a_property(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["states", "check"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", rule] for rule in ("alone", *PROPERTIES)]
    assert all(re.search(r" {2}[\d,]+ {2}\d+\.\d s$", line) for line in lines)


def test_a_fault_is_shown_as_a_table_and_written_as_a_log(
    states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(states / "turn.toml", *DEAF)
    log = tmp_path / "events.jsonl"
    given = ["states", "check", "--table-dir", str(states), "--counterexample", str(log)]
    assert main(given) == 10

    out = capsys.readouterr().out
    assert re.search(r"^NO  still ", out, re.MULTILINE)
    shown = re.findall(r"^  (?:turn |tool-\d )?(\w+) +((?:[A-Z]\d\d ?)+)", out, re.MULTILINE)
    assert [given for given, _ in shown] == [
        "user_input",
        "opened",
        "completed",
        "interrupt",
        "approved",
    ]

    batches = list(read(log))
    events = [line.event for batch in batches for line in batch.lines]
    rows = [event.row for event in events if isinstance(event, Transition)]
    assert rows == " ".join(rows for _, rows in shown).split()
    assert [event.what.split(":")[0] for event in events if isinstance(event, Ignored)] == ["still"]


def test_the_log_of_a_counterexample_leads_a_debugger_to_the_same_states(
    states: Path, tmp_path: Path
) -> None:
    change(states / "tool.toml", *LOST)
    tables = {path.stem: read_table(path.read_text(), path) for path in states.glob("*.toml")}
    [finding] = [f for f in Walk(tables, limits=SMALL).findings if f.rule == "recovery"]
    log = tmp_path / "events.jsonl"
    log.write_bytes(as_log(finding))
    world = fold(read(log), lambda _: "")

    assert [way.given[1] for way in finding.path][-1] == "crashed"
    assert dict(world.at) == {
        {"turn": "turn-1", "tool-1": "tool-1.1", "tool-2": "tool-1.2"}.get(name, name): state
        for name, state in finding.path[-1].after.at.items()
        if name not in ("compaction", "plan")  # nobody has named them
    }
    assert world.turn.calls["tool-1.2"].result


def test_any_walk_can_be_written_as_a_log(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    for path in Walk(shipped(), 1).scenarios():
        log.write_bytes(as_log(Finding("rows", "a row", path)))

        turn, at = path[-1].after.at.get("turn"), fold(read(log), lambda _: "").at
        assert [state for name, state in at.items() if name.startswith("turn-")] == [turn] * bool(
            turn
        )


def test_a_table_that_is_not_sound_alone_is_not_walked(
    states: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(states / "turn.toml", 'on = "waited",     to = "call"', 'on = "waited",     to = "cal"')

    assert main(["states", "check", "--table-dir", str(states)]) == 10
    alone, *faults = capsys.readouterr().out.splitlines()
    assert alone.startswith("NO  alone ")
    assert faults == [f"  {states}/turn.toml:45: T24: unknown state 'cal'"]


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("turn.toml", b"[machine", "turn.toml:1: "),
        ("turn.toml", b"\xff", "turn.toml:1: not UTF-8"),
        ("turn.toml", None, "turn.toml:1: there is no such table"),
        ("plan.toml", STATES.joinpath("tool.toml").read_bytes(), "plan.toml:1: the machine's name"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(
    states: Path, name: str, data: bytes | None, what: str
) -> None:
    (states / name).unlink()
    if data is not None:
        (states / name).write_bytes(data)

    with pytest.raises(DeclarationError) as refused:
        main(["states", "check", "--table-dir", str(states)])
    assert what in str(refused.value)
    assert refused.value.exit_code == 6


@pytest.mark.parametrize("number", ["0", "1", "two", "-2"])
def test_fewer_calls_than_can_wait_for_each_other_are_refused(number: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["states", "check", "--tools", number])
    assert left.value.code == 2
