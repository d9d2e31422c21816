"""Turns are taken back at a real terminal, and had back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def call(name: str, **given: str) -> str:
    return f"call: {name} {json.dumps(given)}\n"


ONE = call("Write", path="a.txt", content="one\n") + "---\ntext: First done.\n"
TWO = (
    call("Write", path="a.txt", content="two\n")
    + call("Write", path="src/b.txt", content="b\n")
    + "---\n"
    + call("Bash", command="touch made")
    + call("Edit", path="a.txt", old_string="two", new_string="2")
    + "---\ntext: Second done.\n"
)
THREE = call("Write", path="c.txt", content="c\n") + "---\ntext: Third done.\n"
TURNS = f"{ONE}---\n{TWO}---\n{THREE}---\ntext: Well.\n---\ntext: And well.\n"
SUMMARY = "--- summary\ntext: Task focus: the parts.\n"
DIES = """\
import os, signal, sys

def hook(event, arguments):
    if event == "os.rename" and os.path.basename(arguments[1]) == "c.txt":
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
"""
"""Ends the program just before a file is put in its place."""


def holds(workspace: Path) -> dict[str, str]:
    """Which files there are, and what stands in them; no empty or hidden ones."""
    found = {p.relative_to(workspace).as_posix(): p for p in workspace.rglob("[!.]*.txt")}
    return {name: path.read_text() for name, path in found.items() if path.stat().st_size}


def played(sits_down: Sits, turns: int = 3, *options: str) -> Any:
    person = sits_down(TURNS + SUMMARY, "--auto-approve", *options)
    answers = {"one": "First done.", "two": "Second done.", "three": "Third done."}
    for said in list(answers)[:turns]:
        person.asks(said)
        person.sees(answers[said])
    return person


BEFORE = {"a.txt": "one\n"}
ALL = {"a.txt": "2\n", "src/b.txt": "b\n", "c.txt": "c\n"}


def test_the_last_turn_is_taken_back_as_one_and_had_back(sits_down: Sits, workspace: Path) -> None:
    person = played(sits_down, 2)
    person.types("/undo\r")
    person.sees("· turn 2 was taken back: ")
    person.sees("restored: a.txt +1 -1")
    person.sees("removed: src/b.txt +0 -1")
    person.sees("what commands did stays: touch made")
    assert holds(workspace) == BEFORE

    person.types("/redo\r")
    person.sees("· turn 2 is there again: ")
    person.sees("restored: src/b.txt +1 -0")
    assert holds(workspace) == {"a.txt": "2\n", "src/b.txt": "b\n"}
    person.types("/redo\r")
    person.sees("nothing was taken back since the last turn began")

    person.types("/undo\r")
    person.until(lambda: holds(workspace) == BEFORE)
    person.types("/undo\r")
    person.sees("· turn 1 was taken back: a.txt")
    person.until(lambda: holds(workspace) == {})
    assert [c["name"] for c in person.log("command")] == ["undo", "redo", "undo", "undo"]


def test_what_is_typed_at_once_is_done_one_after_the_other(
    sits_down: Sits, workspace: Path
) -> None:
    person = played(sits_down)
    person.types("/undo\r/undo\r/redo\r/undo list\r")
    person.sees("  3  three")

    assert [c["arguments"]["turn"] for c in person.log("command")] == [3, 2, 2]
    assert holds(workspace) == {"a.txt": "2\n", "src/b.txt": "b\n"}


def test_the_model_is_told_with_the_next_line(sits_down: Sits, workspace: Path) -> None:
    person = played(sits_down)
    person.types("/undo 2\r")
    person.sees("· turns 2–3 were taken back: ")
    person.until(lambda: holds(workspace) == BEFORE)
    person.types("and now\r")
    person.sees("Well.")

    (told,) = person.log("notices")
    assert told["text"] == "The person took changes back: c.txt, a.txt, src/b.txt."
    assert person.log("user_inject") == []


def test_the_last_call_alone(sits_down: Sits, workspace: Path) -> None:
    person = played(sits_down, 2)
    person.types("/undo last\r")
    person.sees("restored: a.txt")

    assert holds(workspace) == {"a.txt": "two\n", "src/b.txt": "b\n"}


def test_with_the_conversation_the_line_is_at_the_prompt_again(
    sits_down: Sits, workspace: Path
) -> None:
    person = played(sits_down)
    person.types("/undo 2 talk\r")
    person.sees("· turns 2–3 were taken back with the conversation: c.txt, a.txt, src/b.txt")
    person.sees("\nallow > two")
    assert holds(workspace) == BEFORE
    person.types(" anew\r")
    person.sees("Well.")

    said = [line["text"] for line in person.log("user_input")]
    assert said == ["one", "two", "three", "two anew"]
    texts = conversation(person)
    assert texts == ["one", "First done.", "two anew", "Well."]
    person.types("/undo list\r")
    person.sees("  2  two (taken back)")
    person.types("/undo 3 talk\r")
    person.sees("turn 3 was taken back, so the conversation cannot go on from before it")
    person.types("/undo talk\r")
    person.sees("· turn 4 was taken back with the conversation")
    person.sees("\nallow > two anew")
    assert conversation(person) == ["one", "First done."]
    verified(person)


def test_the_conversation_is_had_back_too(sits_down: Sits, workspace: Path) -> None:
    person = played(sits_down)
    before = conversation(person)
    person.types("/undo 2 talk\r")
    person.until(lambda: holds(workspace) == BEFORE)
    person.sees("\nallow > two")
    person.types("\x15/redo\r")
    person.sees("· turns 2–3 are there again in the conversation: ")
    person.until(lambda: holds(workspace) == ALL)

    assert conversation(person) == before
    person.types("go on\r")
    person.sees("Well.")
    verified(person)


def test_a_turn_in_a_summary_is_rewound_to(sits_down: Sits, workspace: Path) -> None:
    person = played(sits_down)
    person.types("/compact\r")
    person.sees("context cut: ")
    person.types("/undo 2 talk\r")
    person.sees("· /uncompact")
    person.sees("\nallow > two")
    assert conversation(person) == ["one", "First done."]
    assert holds(workspace) == BEFORE
    verified(person)


def test_nothing_is_done_if_one_file_has_changed_and_force_keeps_it(
    sits_down: Sits, workspace: Path
) -> None:
    person = played(sits_down)
    (workspace / "a.txt").write_text("mine\n")
    person.types("/undo 2 talk\r")
    person.sees("nothing was undone: a.txt has changed since")
    assert holds(workspace) == {**ALL, "a.txt": "mine\n"}
    assert person.log("command") == []

    person.types("/undo 2 force\r")
    person.until(lambda: holds(workspace) == BEFORE)
    person.types("/redo\r")
    person.until(lambda: holds(workspace) == {**ALL, "a.txt": "mine\n"})


def test_a_file_that_was_changed_in_between_is_named(sits_down: Sits, workspace: Path) -> None:
    formats = call("Bash", command="sed -i s/one/ONE/ a.txt")
    read, edits = (
        call("Read", path="a.txt"),
        call("Edit", path="a.txt", old_string="N", new_string="n"),
    )
    script = (
        f"{ONE[: -len('text: First done.') - 1]}{formats}---\n{read}---\n{edits}---\ntext: Done.\n"
    )
    person = sits_down(script, "--auto-approve")
    person.asks("go")
    person.sees("Done.")
    person.types("/undo\r")
    person.sees("nothing was undone: a.txt was changed in between")
    person.types("/undo force\r")
    person.sees("removed: a.txt")

    assert holds(workspace) == {}


def test_a_turn_is_taken_back_in_a_session_that_is_taken_up(
    sits_down: Sits, workspace: Path
) -> None:
    person = played(sits_down)
    person.types("/undo talk\r")
    person.sees("\nallow > three")
    person.types("\x15\x04")
    assert person.leaves() == 0

    again = sits_down(TURNS, "-c", "--auto-approve")
    again.sees("· turn 3 was taken back with the conversation: c.txt")
    again.asks("/undo 2 talk")
    again.sees("\nallow > two")
    assert holds(workspace) == BEFORE
    assert conversation(again) == ["one", "First done."]
    verified(again)


def test_what_a_kill_left_undone_is_finished(
    sits_down: Sits, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = played(sits_down)
    person.types("/undo\r")
    person.until(lambda: "c.txt" not in holds(workspace))
    person.types("\x04")
    assert person.leaves() == 0

    (tmp_path / "sitecustomize.py").write_text(DIES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    killed = sits_down(TURNS, "-c", "--auto-approve")
    killed.asks("/redo")
    assert killed.leaves() == -9
    monkeypatch.delenv("PYTHONPATH")

    again = sits_down(TURNS, "-c", "--auto-approve")
    again.sees("/redo was cut short: c.txt. /undo again finishes it.")
    again.asks("/undo again")
    again.sees("restored: c.txt")
    assert holds(workspace) == ALL
    again.asks("/undo again")
    again.sees("no command was cut short")
    again.asks("/undo")
    again.sees("removed: c.txt")


def test_what_cannot_be_meant_is_said(sits_down: Sits) -> None:
    person = played(sits_down, 1)
    for typed, told in {
        "now": "it takes the number of a turn, talk, force, last, list, again, not 'now'",
        "9": "there is no turn 9; /undo list shows them",
        "0": "there is no turn 0",
        "last talk": "the last call alone goes without its turn and the conversation",
    }.items():
        person.types(f"/undo {typed}\r")
        person.sees(told)

    assert person.log("command") == []


def conversation(person: Any) -> list[str]:
    """What was said, as the file beside the log has it."""
    log = max(person.home.glob("projects/*/*/events.jsonl"), key=lambda path: path.stat().st_mtime)
    raw = log.with_name("conversation.jsonl").read_text()
    found = [json.loads(line) for line in raw.splitlines()]
    texts = [
        [m["text"]] if "text" in m else [b.get("text") for b in m.get("blocks", ())] for m in found
    ]
    return [text for message in texts for text in message if text]


def verified(person: Any) -> None:
    """The log gives the same once more, breaks no rule, and is painted."""
    log = str(max(person.home.glob("projects/*/*/events.jsonl"), key=lambda p: p.stat().st_mtime))
    for verb in (["replay", log, "--verify"], ["audit", log, "--derive"], ["replay", log]):
        told = subprocess.run(
            [sys.executable, "-m", "fsm_agent", *verb], capture_output=True, text=True, check=False
        )
        assert told.returncode == 0, told.stdout + told.stderr
        if verb == ["replay", log]:
            assert "taken back with the conversation" in told.stdout
