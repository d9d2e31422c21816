"""Mode, plan and context, steered at a real terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

PARTS = "".join(
    f'--- {n}\ncall: Read {{"path": "a.txt"}}\nusage: 1000 10\n---\ntext: Part {n} is done.\n'
    for n in range(1, 4)
)
SUMMARY = "--- summary\ntext: Task focus: the parts.\nusage: 100 10\n"
BASH = 'call: Bash {"command": "touch b.txt"}\n---\ntext: I see.\n'

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def told(person: Any, count: int) -> None:
    for number in range(1, count + 1):
        person.asks(f"part {number}")
        person.sees(f"Part {number} is done.")


def session(person: Any) -> Path:
    found: Path = next(person.home.glob("projects/*/*/events.jsonl")).parent
    return found


def test_the_context_is_cut_and_the_cut_taken_back(sits_down: Sits) -> None:
    person = sits_down(PARTS + SUMMARY, "--price", "3,15")
    told(person, 2)
    person.types("/compact keep the names\r")
    person.sees("context cut: ")
    person.sees("tokens, summary cost $0.000450")
    person.types("/usage\r")
    person.sees("context cuts                1")
    person.types("/uncompact\r")
    person.sees("· /uncompact")
    person.types("/uncompact\r")
    person.sees("there is no cut to take back")

    assert person.log("compact_command")[0]["instruction"] == "keep the names"


def test_a_summary_can_be_interrupted(sits_down: Sits) -> None:
    person = sits_down(f"{PARTS}--- summary\ntext: Task\nhang\n")
    told(person, 2)
    person.types("/compact\r")
    person.sees("summing up the conversation")
    person.types("\x1b")
    person.until(lambda: "summing up" not in person.text())

    assert person.log("context_update") == []
    person.asks("part 3")
    person.sees("Part 3 is done.")


def test_a_plan_that_is_not_there_is_not_cleared_in_silence(sits_down: Sits) -> None:
    person = sits_down(PARTS)
    person.asks("/plan clear")
    person.sees("/plan: there is no plan to clear")

    assert person.log("plan_command") == []


def test_nothing_to_cut_is_said(sits_down: Sits) -> None:
    person = sits_down("text: All is well.\n")
    person.asks("one")
    person.sees("All is well.")
    person.types("/compact\r")
    person.sees("error: nothing was cut: the context cannot be reduced: its fixed part is")


def test_a_draft_is_shown_confirmed_and_cleared(sits_down: Sits) -> None:
    person = sits_down("text: Planned.\n---\ntext: Begun.\n")
    person.asks("plan it")
    person.sees("Planned.")
    (session(person) / "plan.draft").write_text("1. Port the parser.\n")
    person.types("/plan\r")
    person.sees("there is no draft and no plan")
    person.types("/plan confirm\r")
    person.sees("plan: none → drafting, sha256 ")
    person.sees("plan: drafting → confirmed, sha256 ")
    person.types("/plan show\r")
    person.sees("a plan is in force")
    person.sees("1. Port the parser.")
    person.types("/plan cancel\r")
    person.sees("error: there is no draft to confirm or cancel")
    person.types("/plan clear\r")
    person.sees("plan: confirmed → none")
    person.types("/plan nonsense\r")
    person.sees("/plan: it takes confirm, cancel, clear or show, not 'nonsense'")

    assert (session(person) / "plan.md").read_text() == ""


def test_a_draft_that_waits_is_told_when_the_session_is_taken_up(sits_down: Sits) -> None:
    person = sits_down("text: Planned.\n---\ntext: Well?\n", "--mode", "plan")
    person.asks("plan it")
    person.sees("Planned.")
    (session(person) / "plan.draft").write_text("1. Port the parser.\n")
    person.asks("what now?")
    person.sees("Well?")
    person.types("\x04")
    assert person.leaves() == 0

    again = sits_down("text: Well?", "-c")
    again.sees("a draft waits for /plan confirm or /plan cancel")
    again.sees("plan >")


def test_the_mode_is_changed_and_seen_at_the_prompt(sits_down: Sits, workspace: Path) -> None:
    person = sits_down(BASH, "--mode", "allow")
    person.sees("allow >")
    person.types("/mode plan\r")
    person.sees("plan >")
    person.asks("build it")
    person.sees("I see.")
    person.types("/mode fast\r")
    person.sees("/mode: it takes ask, edits, allow, read, plan, not 'fast'")

    assert not (workspace / "b.txt").exists()
    assert person.log("permission")[0]["layer"] == "mode"


def test_a_mode_that_blocks_holds_for_what_is_being_asked(sits_down: Sits, workspace: Path) -> None:
    person = sits_down(BASH)
    person.asks("build it")
    person.sees("[y]es")
    person.types("/mode plan\r")
    person.sees("the mode is now plan")
    person.answers("y")
    person.sees("I see.")

    assert not (workspace / "b.txt").exists()
    assert person.log("permission")[0]["decision"] == "deny"
