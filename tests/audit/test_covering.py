"""What logs have taken of the tables, as text, data, LCOV and pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.audit import Options, Report, as_json, audit
from fsm_agent.audit.counting import Counts
from fsm_agent.audit.covering import as_table, lcov, picture
from fsm_agent.lifecycles.declared import table_files, tables
from fsm_agent.machine import read_table

ONE_TOOL = "test_a_turn_without_a_person_in_between[one tool]"
DENIED = "test_denied_by_a_person_with_a_word"
Write = Callable[[bytes], Path]


@pytest.fixture
def counts(logs: Mapping[str, bytes], write: Write) -> Counts:
    paths = [write(logs[ONE_TOOL]), write(logs[DENIED])]
    counted = audit(paths, Options(coverage=True)).coverage
    assert counted is not None
    return counted


def test_without_being_asked_nothing_is_counted(logs: Mapping[str, bytes], write: Write) -> None:
    assert audit([write(logs[ONE_TOOL])]).coverage is None


def test_counts_of_logs_are_added(counts: Counts) -> None:
    assert counts.logs == 2
    assert counts.rows["tool", "K08"] == 1
    assert counts.rows["session", "S01"] == 2
    assert counts.answers["tool", "verdict", "allow"] == 1
    assert counts.moves["tool", "running", "finished"] == 1
    assert counts.pairs["tool", "K01", "K09"] == 1
    assert ("tool", "K09", "K01") not in counts.pairs


DOOR = """\
[machine]
name    = "door"
version = 1
caption = "Open or shut."
initial = "shut"

[states]
shut = { caption = "Nobody can pass." }
open = { caption = "Anybody can." }

[asks]
key = { of = ["no", "yes"], caption = "Is the key at hand?" }

[rows]
D1 = { from = "shut", on = "pushed", when = { key = "yes" }, to = "open" }
D2 = { from = "shut", on = "pushed", when = { key = "no" } }
D3 = { from = "open", on = "pulled", to = "shut" }
"""


def test_the_table_names_what_was_never_taken(snapshot: SnapshotAssertion) -> None:
    counts = Counts(
        logs=1,
        rows={("door", "D1"): 2},
        answers={("door", "key", "yes"): 2},
        moves={("door", "shut", "pushed"): 2},
    )
    door = read_table(DOOR, PurePath("door.toml"))

    assert as_table(counts, {"door": door}) == snapshot


def test_json_has_the_counts_with_the_findings(logs: Mapping[str, bytes], write: Write) -> None:
    report: Report = audit([write(logs[ONE_TOOL])], Options(coverage=True))
    machines = json.loads(as_json(report))["coverage"]["machines"]

    assert machines["turn"]["rows"]["T30"] == 1
    assert machines["turn"]["answers"]["answer=tools"] == 1
    assert machines["turn"]["rows"]["T52"] == 0


def test_lcov_stands_at_the_rows_of_the_tables(counts: Counts) -> None:
    records = lcov(counts, tables()).split("end_of_record\n")
    turn = next(record for record in records if "SF:states/turn.toml" in record)
    lines = table_files()["turn"].decode().splitlines()
    taken = dict(re.findall(r"^DA:(\d+),(\d+)$", turn, re.MULTILINE))

    assert len(taken) == len(tables()["turn"].rows)
    assert {lines[int(number) - 1].split(" ")[0] for number, n in taken.items() if n != "0"} == {
        row for machine, row in counts.rows if machine == "turn"
    }


def test_the_picture_shows_what_was_taken_how_often(snapshot: SnapshotAssertion) -> None:
    counts = Counts(logs=1, rows={("door", "D1"): 2})
    door = read_table(DOOR, PurePath("door.toml"))

    assert picture(counts, door) == snapshot


def test_jobs_give_the_same_report(logs: Mapping[str, bytes], write: Write) -> None:
    paths = [write(raw) for raw in list(logs.values())[:6]]
    one, two = (audit(paths, Options(coverage=True, jobs=jobs)) for jobs in (1, 2))

    assert as_json(one) == as_json(two)
