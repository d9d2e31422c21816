"""A fault in a table is found, with the shortest inputs that show it."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from fsm_agent.lifecycles.checking.walk import PROPERTIES, Finding, Walk
from fsm_agent.lifecycles.declared import table_files, table_path, tables
from fsm_agent.machine import Table, read_table
from fsm_agent.machine.checking import check

NO_PLAN = {"cut": ("no",), "draft": ("blank",), "steps": ("spent",), "drop": ("nothing",)}
NO_TOOLS = {"answer": ("text",), "in_force": ("no",)}
"""Smaller walks find the same."""
NO_STANDING = {
    'when = { standing = "allow" },    to = "running"': 'to = "running"',
    'K07 = { from = "asking",    on = "approved",  when = { standing = "deny" },     to = "denied",'
    '  emits = ["permission", "tool_result"], sends = ["turn.tool_ended"] }\n': "",
    'standing = { of = ["allow", "deny"], caption = "Does the mode still permit what the person'
    ' allowed?" }\n': "",
}
WAKES = {
    'on = "notice",     when = { unfinished = "no" },  to': 'on = "notice", to',
    'S19 = { from = "idle", on = "notice",     when = { unfinished = "yes" } }\n': "",
}
FAULTS: list[tuple[str, str, dict[str, str], str, str]] = [
    (
        "who leaves takes their waiting line along",
        "session",
        {'emits = ["lines_returned", "session_end"]': 'emits = ["session_end"]'},
        "lines",
        "user_input user_input leave",
    ),
    (
        "an interrupt does not reach the calls",
        "turn",
        {'on = "interrupt", sends = ["tools.interrupt"]': 'on = "interrupt"'},
        "still",
        "user_input opened completed interrupt approved",
    ),
    (
        "a lost call does not tell its turn",
        "tool",
        {
            '"unknown",   emits = ["tool_result"], sends = ["turn.tool_ended"]': (
                '"unknown",   emits = ["tool_result"]'
            )
        },
        "recovery",
        "user_input opened completed crashed",
    ),
    (
        "a waiting line is sent after an interrupt",
        "turn",
        {
            'to = "interrupted", sends = ["session.dropped"]': (
                'to = "interrupted", sends = ["session.turn_ended"]'
            )
        },
        "still",
        "user_input user_input interrupt",
    ),
    (
        "a crash changes nothing in a pause",
        "turn",
        {
            '["call", "wait", "stream", "stopping"], on = "crashed"': (
                '["call", "stream", "stopping"], on = "crashed"'
            ),
            '["compact", "tool_exec"],  on = "crashed"': (
                '["compact", "tool_exec", "wait"],  on = "crashed"'
            ),
        },
        "recovery",
        "user_input rejected crashed",
    ),
    (
        "a yes counts, whatever the mode is by then",
        "tool",
        NO_STANDING,
        "judged",
        "user_input opened completed approved",
    ),
    (
        "news wakes a session whose turn was cut short",
        "session",
        WAKES,
        "still",
        "user_input rejected notice",
    ),
    (
        "a call that has ended has no result",
        "tool",
        {
            'to = "done",      emits = ["tool_result"], sends = ["turn.tool_ended"] }\nK10': (
                'to = "done", sends = ["turn.tool_ended"] }\nK10'
            )
        },
        "answered",
        "user_input opened completed finished",
    ),
    (
        "tries are never spent",
        "turn",
        {'bounded = ["waiting", "cutting"]': 'bounded = ["cutting"]'},
        "ends",
        "user_input rejected waited",
    ),
    (
        "an interrupted request is not closed",
        "turn",
        {
            '["call", "wait"],          on = "interrupt", to = "persist"': (
                '["call", "wait"],          on = "interrupt", to = "drain"'
            )
        },
        "closing",
        "user_input interrupt",
    ),
    (
        "a draft that changes meanwhile has no row",
        "plan",
        {'["confirming", "clearing"], on = "REVISE"': '"clearing", on = "REVISE"'},
        "matched",
        "REVISE plan_command REVISE",
    ),
    (
        "a dropped summary tells nobody",
        "compaction",
        {
            'on = "interrupt", to = "idle", sends = ["asker.dropped"]': (
                'on = "interrupt", to = "idle"'
            )
        },
        "moves",
        "user_input interrupt",
    ),
]


def seeded(machine: str, changes: dict[str, str]) -> dict[str, Table]:
    """The shipped tables with a fault in one; each still sound by itself."""
    texts = {name: data.decode() for name, data in table_files().items()}
    for old, new in changes.items():
        assert texts[machine].count(old) == 1, old
        texts[machine] = texts[machine].replace(old, new)
    read = {name: read_table(text, table_path(name)) for name, text in texts.items()}
    assert [check(table, table_path(name), read) for name, table in read.items()] == [[]] * 5
    return read


def inputs(finding: Finding) -> str:
    return " ".join(way.given[1] for way in finding.path)


@pytest.mark.parametrize(
    ("machine", "changes", "rule", "shortest"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS]
)
def test_a_fault_that_no_table_shows_alone_is_found_in_the_product(
    machine: str, changes: dict[str, str], rule: str, shortest: str
) -> None:
    limits = NO_TOOLS if machine in ("plan", "compaction") else NO_PLAN
    walk = Walk(seeded(machine, changes), limits=limits)
    found = {finding.rule: finding for finding in walk.findings}

    assert inputs(found[rule]) == shortest


def test_a_pause_without_a_crash_row_is_found_by_the_table_alone_and_together() -> None:
    old = (
        'caption = "The server wants time before the next try.",             on_crash = "crashed",'
    )
    text = table_files()["turn"].decode()
    assert text.count(old) == 1
    turn = read_table(text.replace(old, old.removesuffix(' on_crash = "crashed",')), PurePath("t"))
    both = {**tables(), "turn": turn}

    assert [fault.line for fault in check(turn, PurePath("t"), both)] == [turn.states["wait"].line]
    assert "recovery" in {finding.rule for finding in Walk(both, limits=NO_PLAN).findings}


@pytest.mark.parametrize("tools", [2, 3])
def test_nothing_is_found_in_the_shipped_tables(tools: int, whole: Walk) -> None:
    walk = whole if tools == 2 else Walk(tables(), tools)

    assert walk.findings == []
    assert walk.counts.keys() == PROPERTIES.keys()
    assert walk.worlds == {2: 3054, 3: 6318}[tools]
    assert min(walk.counts.values()) > 100


def other(rows: str) -> dict[str, Table]:
    text = f"""\
[machine]
name    = "index"
version = 1
caption = "An index of the workspace."
initial = "fresh"
[states]
fresh = {{ caption = "It is as the files are." }}
stale = {{ caption = "Some file has changed." }}
build = {{ caption = "It is being made.", does = "index", on_crash = "lost" }}
[rows]
{rows}"""
    return {**tables(), "index": read_table(text, PurePath("states/index.toml"))}


INDEX = """\
I1 = { from = "fresh", on = "touched", to = "stale" }
I2 = { from = ["stale", "build"], on = "touched" }
I3 = { from = "stale", on = "idled", to = "build" }
I4 = { from = "build", on = "indexed", to = "fresh" }
I5 = { from = "build", on = "lost", to = "stale" }
I6 = { from = ["fresh", "build"], on = "idled" }
"""


def test_a_further_machine_joins_by_its_table() -> None:
    walk = Walk(other(INDEX), limits=NO_TOOLS | NO_PLAN)
    found = {finding.rule: finding.text for finding in walk.findings}

    assert found.pop("rows").startswith(("compaction: ", "plan: ", "turn: ", "tool: "))
    assert found == {"still": "'index' begins, and nobody has spoken"}


def test_an_input_that_a_further_machine_does_not_take_is_found() -> None:
    rows = INDEX.replace('["fresh", "build"], on = "idled"', '"fresh", on = "idled"')
    found = {
        finding.rule: finding for finding in Walk(other(rows), limits=NO_TOOLS | NO_PLAN).findings
    }

    assert found["matched"].text == "index: no row takes 'idled' in 'build'"
    assert inputs(found["matched"]) == "touched idled idled"
