"""A table that could go wrong is refused before it runs, with its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath

import msgspec
import pytest

from fsm_agent.machine import Table, read_table
from fsm_agent.machine.checking import check

PATH = PurePath("states/door.toml")
SHIPPED = {
    path.stem: read_table(path.read_text(encoding="utf-8"), path)
    for path in sorted((Path(__file__).parents[2] / "states").glob("*.toml"))
}
DOOR = """\
[machine]
name    = "session"
version = 1
caption = "Open or shut."
initial = "shut"

[states]
shut  = { caption = "Nobody can pass." }
weigh = { caption = "Is it to be opened?" }
open  = { caption = "Anybody can.", does = "hold", on_crash = "slammed" }
gone  = { caption = "There is no door.", final = true }

[asks]
key   = { of = ["no", "yes"], caption = "Is the key at hand?" }
tries = { of = ["left", "spent"], caption = "May it be tried again?", bounded = ["left"] }

[rows]
D1 = { from = "shut", on = "pushed", to = "weigh", sends = ["session.pulled"] }
D2 = { from = "weigh", on = "entered", when = { key = "yes" }, to = "open" }
D3 = { from = "weigh", on = "entered", when = { key = "no", tries = "left" }, to = "shut" }
D4 = { from = "weigh", on = "entered", when = { key = "no", tries = "spent" }, to = "gone" }
D5 = { from = "open", on = "pulled", to = "shut" }
D6 = { from = ["shut", "open"], on = "slammed", to = "gone" }
D7 = { from = "shut", on = "pulled" }
"""
LOOP = 'D8 = { from = "shut", on = "entered", to = "weigh" }\n'
"""With it, each wrong key leads around once more; `tries` ends that."""


def changed(old: str, new: str, text: str = DOOR) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def faults(text: str, others: Mapping[str, Table] | None = None) -> list[str]:
    """What is found in a table that runs beside `others` and is called `session`."""
    table = read_table(text, PATH)
    found = check(table, PATH, {**(others or {}), "session": table})
    assert all(fault.path == PATH for fault in found)
    assert [fault.line for fault in found] == sorted(fault.line for fault in found)
    return [str(fault).removeprefix("states/door.toml:") for fault in found]


def test_a_sound_table_has_no_faults() -> None:
    assert faults(DOOR) == []
    assert faults(DOOR + LOOP) == []


def test_all_faults_are_found_at_once_and_stand_in_the_order_of_the_lines() -> None:
    text = changed('bounded = ["left"]', 'bounded = ["few"]')
    text = changed('["shut", "open"]', '["shut", "open", "ajar"]', text)

    assert faults(changed(', on_crash = "slammed"', "", text)) == [
        "10: state 'open' does something but does not say what a crash is",
        "15: question 'tries' has no answer 'few' to be bounded",
        "23: D6: unknown state 'ajar'",
    ]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_tables_of_ours_are_sound(name: str) -> None:
    assert check(SHIPPED[name], PurePath("states", f"{name}.toml"), SHIPPED) == []


WRONG = {
    "an unknown first state": (
        changed('initial = "shut"', 'initial = "closed"'),
        [
            "5: unknown state 'closed'",
            "8: state 'shut' is never reached",
            "9: state 'weigh' is never reached",
            "10: state 'open' is never reached",
            "11: state 'gone' is never reached",
        ],
    ),
    "an unknown source": (
        changed('["shut", "open"]', '["shut", "open", "ajar"]'),
        ["23: D6: unknown state 'ajar'"],
    ),
    "an unknown target": (
        changed('on = "pulled", to = "shut"', 'on = "pulled", to = "ajar"'),
        ["22: D5: unknown state 'ajar'"],
    ),
    "an unknown question": (
        changed('when = { key = "yes" }', 'when = { kye = "yes" }'),
        ["19: D2: unknown question 'kye'"],
    ),
    "an unknown answer": (
        changed('when = { key = "yes" }', 'when = { key = ["yes", "maybe"] }'),
        ["19: D2: question 'key' has no answer 'maybe'"],
    ),
    "a state that is never reached": (
        changed("[asks]", 'ajar = { caption = "Half.", final = true }\n[asks]'),
        ["13: state 'ajar' is never reached"],
    ),
    "a dead end": (
        changed(", final = true", ""),
        ["11: state 'gone' is a dead end: not final, and no row leaves it"],
    ),
    "a row out of a final state": (
        DOOR + 'D8 = { from = "gone", on = "pushed" }\n',
        ["25: D8: leaves the final state 'gone'"],
    ),
    "two rows without a question": (
        DOOR + 'D8 = { from = "open", on = "pulled" }\n',
        ["25: D5 and D8 overlap: 'pulled' in 'open'"],
    ),
    "answers that overlap": (
        changed('when = { key = "yes" }', 'when = { key = ["yes", "no"] }'),
        ["20: D2 and D3 overlap: 'entered' in 'weigh' with key = no, tries = left"],
    ),
    "answers that leave a gap": (
        changed("D4 =", "# D4 ="),
        ["19: no row takes 'entered' in 'weigh' with key = no, tries = spent"],
    ),
    "a row that goes where it is": (
        changed('on = "pulled" }', 'on = "pulled", to = "shut" }'),
        ["24: D7: stays in 'shut'; a row that stays leaves out 'to'"],
    ),
    "a row that lists a state twice": (
        changed('["shut", "open"]', '["shut", "open", "open"]'),
        ["23: D6: lists a state twice"],
    ),
    "an endless circle": (
        changed(', bounded = ["left"]', "") + LOOP,
        [
            "20: D3: 'weigh' is entered again and again in one batch",
            "25: D8: 'shut' is entered again and again in one batch",
        ],
    ),
    "a deed without a crash": (
        changed(', on_crash = "slammed"', ""),
        ["10: state 'open' does something but does not say what a crash is"],
    ),
    "a crash without a row": (
        changed('on_crash = "slammed"', 'on_crash = "pushed"'),
        ["10: state 'open' has no row for its on_crash 'pushed'"],
    ),
    "a deed in a state that is passed through": (
        changed('be opened?" }', 'be opened?", does = "hold", on_crash = "entered" }'),
        ["9: state 'weigh' is only passed through; it must not have 'does'"],
    ),
    "a crash in a state that is passed through": (
        changed('be opened?" }', 'be opened?", on_crash = "entered" }'),
        ["9: state 'weigh' is only passed through; it must not have 'on_crash'"],
    ),
    "a deed at the end": (
        changed("final = true", 'final = true, does = "mourn"'),
        [
            "11: final state 'gone' must not have 'does'",
            "11: state 'gone' does something but does not say what a crash is",
        ],
    ),
    "a question that no row asks": (
        changed("[rows]", 'hour = { of = ["day", "night"], caption = "What time is it?" }\n[rows]'),
        ["17: question 'hour' is asked by no row"],
    ),
    "a bounded answer that is none": (
        changed('bounded = ["left"]', 'bounded = ["left", "few"]'),
        ["15: question 'tries' has no answer 'few' to be bounded"],
    ),
    "an answer listed twice": (
        changed('of = ["no", "yes"]', 'of = ["no", "yes", "no"]'),
        ["14: question 'key' lists an answer twice"],
    ),
    "a trigger that the machine does not know": (
        changed('"session.pulled"', '"session.kissed"'),
        ["18: D1: no row of 'session' takes 'kissed'"],
    ),
    "a trigger that only a state itself gives": (
        changed('"session.pulled"', '"session.entered"'),
        ["18: D1: no row of 'session' takes 'entered'"],
    ),
    "an address that is none": (
        changed('"session.pulled"', '"tool.next"'),
        ["18: D1: 'tool.next' reaches no machine"],
    ),
    "a machine that is not there": (
        changed('"session.pulled"', '"compaction.asked"'),
        ["18: D1: 'compaction.asked' reaches no machine"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_refused_with_its_line(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


def without(name: str, trigger: str) -> dict[str, Table]:
    """Our tables, one of them without its rows for a trigger."""
    table = SHIPPED[name]
    rows = tuple(row for row in table.rows if row.on != trigger)
    return {**SHIPPED, name: msgspec.structs.replace(table, rows=rows)}


def unmatched(name: str, others: Mapping[str, Table] | None) -> list[str]:
    return [str(fault).partition(": ")[2] for fault in check(SHIPPED[name], PATH, others)]


def test_whoever_may_have_asked_must_take_the_answer() -> None:
    assert unmatched("compaction", without("turn", "dropped")) == [
        "C08: no row of 'turn' takes 'dropped'",
        "C09: no row of 'turn' takes 'dropped'",
    ]


def test_the_plan_must_take_each_verb() -> None:
    assert unmatched("session", without("plan", "CLEAR")) == ["S14: no row of 'plan' takes 'CLEAR'"]
    assert unmatched("tool", without("plan", "CANCEL")) == ["K04: no row of 'plan' takes 'CANCEL'"]


def test_tools_are_reached_by_an_address_of_their_own() -> None:
    assert unmatched("turn", without("tool", "next")) == [
        "T30: no row of 'tool' takes 'next'",
        "T40: no row of 'tool' takes 'next'",
    ]


def test_a_table_alone_may_send_to_anybody() -> None:
    assert unmatched("compaction", None) == []
    assert "C01: 'asker.settled' reaches no machine" in unmatched("compaction", {})


WATCHED = changed("[rows]", '[watch.events]\nruns = { on = "run_tool" }\n\n[rows]')
VIOLATED = changed('can pass."', 'can pass.", violation = true')


def test_what_only_a_rule_of_the_audit_says_is_refused_in_a_machine() -> None:
    assert faults(WATCHED) == ["17: [watch] belongs in a rule file of the audit"]
    assert faults(VIOLATED) == ["8: state 'shut': 'violation' belongs in a rule file of the audit"]


@pytest.mark.parametrize("text", [WATCHED, VIOLATED])
def test_a_rule_of_the_audit_may_say_it(text: str) -> None:
    assert check(read_table(text, PATH), PATH, watcher=True) == []
