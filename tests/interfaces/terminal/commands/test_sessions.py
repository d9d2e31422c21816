"""From one session to another, at a real terminal."""

from __future__ import annotations

import shutil
import signal
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.log.reading import read
from fsm_agent.testing.program import Program

ESC, CTRL_D, UP = "\x1b", "\x04", "\x1b[A"
ANSWERS = "text: One.\n---\ntext: Two.\n---\ntext: Three.\n"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture
def earlier(workspace: Path, home: Path) -> Path:
    """A session of the same directory, in which something was asked."""
    program = Program(workspace, home)
    program.play("text: It was green.", "what colour was it")
    return program.sessions[-1]


def said(person: Any) -> list[str]:
    """What was handed in, in the newest session."""
    return [line["text"] for line in person.newest_log("user_input")]


def test_a_new_session_begins_in_the_same_terminal(sits_down: Sits) -> None:
    person = sits_down(ANSWERS)
    person.asks("first")
    person.sees("One.")
    person.types("/new\rsecond\r")
    person.until(lambda: person.text().count("One.") == 2)

    old, new = sorted(
        person.home.glob("projects/*/*/events.jsonl"), key=lambda p: p.stat().st_mtime
    )
    assert b'"type":"session_end"' in old.read_bytes()
    assert said(person) == ["second"]
    assert new.parent.name in person.text()
    person.types(UP + UP + UP)
    person.sees("> first")
    person.types("\x03" + CTRL_D)
    assert person.leaves() == 0
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_what_was_allowed_in_one_session_is_asked_again_in_the_next(sits_down: Sits) -> None:
    person = sits_down('call: Write {"path": "a.txt", "content": "x"}\n---\ntext: Written.\n')
    person.asks("write")
    person.sees("[y/n")
    person.answers("e")
    person.sees("Written.")
    person.types("/new\rwrite again\r")
    person.until(lambda: person.text().count("May this run?") == 2)


def test_a_session_is_taken_up_by_its_id_and_shows_its_turns(
    sits_down: Sits, earlier: Path
) -> None:
    person = sits_down("text: x\n---\ntext: Two.\n")
    person.asks(f"/resume {earlier.name}")
    person.sees("the session was taken up again")
    assert "> what colour was it\n\nIt was green." in person.text()
    person.types("go on\r")
    person.sees("Two.")

    assert said(person) == ["what colour was it", "go on"]
    person.types(f"/resume {earlier.name}\r")
    person.sees("/resume: that is this session")


def test_a_session_that_another_process_holds_is_not_taken_up(
    sits_down: Sits, earlier: Path
) -> None:
    other = sits_down(ANSWERS, "--resume", earlier.name)
    other.sees("taken up again")
    person = sits_down(ANSWERS)
    person.asks(f"/resume {earlier.name}")
    person.sees("is using this session")
    person.types("hello\r")
    person.sees("One.")


def test_a_session_whose_directory_is_gone_is_not_taken_up(
    sits_down: Sits, tmp_path: Path, home: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = Program(elsewhere, home)
    program.play("text: There.", "where")
    elsewhere.rmdir()
    person = sits_down(ANSWERS)
    person.asks(f"/resume {program.sessions[-1].name}")
    person.sees("is no longer there: bring it back")
    person.types("hello\r")
    person.sees("One.")


def test_one_that_cannot_begin_leads_back_to_the_session_before(
    sits_down: Sits, earlier: Path
) -> None:
    shutil.rmtree(earlier / "blobs")
    (earlier / "blobs").write_text("no directory")
    person = sits_down(ANSWERS)
    person.asks("first")
    person.sees("One.")
    person.types(f"/resume {earlier.name}\r")
    person.sees("Not a directory")
    person.types("second\r")
    person.sees("Two.")

    assert said(person) == ["first", "second"]


def test_of_a_damaged_session_a_copy_is_taken_up(sits_down: Sits, earlier: Path) -> None:
    log = earlier / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"It was green", b"It was black"))
    before = log.read_bytes()
    person = sits_down(ANSWERS)
    person.asks(f"/resume {earlier.name}")
    person.sees("going on in a new session")
    person.types("hello\r")
    person.sees("One.")

    assert log.read_bytes() == before


def test_a_fork_goes_on_with_all_that_was_said(sits_down: Sits) -> None:
    person = sits_down(ANSWERS)
    person.asks("first")
    person.sees("One.")
    person.types("/model other\r")
    person.sees("the model is now other")
    person.types("/mode plan\r")
    person.sees("the mode is now plan")
    person.types("/fork\r")
    person.sees("this session goes on from")
    person.types("second\r")
    person.until(lambda: said(person) == ["second"])
    person.until(lambda: person.newest_log("stop") != [])

    (fork,) = person.newest_log("session_fork")
    assert fork["reason"] == "fork"
    assert "first" in str(fork["messages"])
    settings = person.newest_log("settings")[0]
    assert (settings["model"], settings["permission"]) == ("other", "plan")


def test_a_fork_from_before_a_turn_has_its_line_at_the_prompt(sits_down: Sits) -> None:
    person = sits_down(ANSWERS)
    for number, answer in enumerate(("One.", "Two."), 1):
        person.asks(f"line {number}")
        person.sees(answer)
    person.types("/fork 9\r")
    person.sees("there is no turn 9")
    person.types("/fork two\r")
    person.sees("it takes the number of a turn")
    person.types("/fork 2\r")
    person.sees("this session goes on from")
    person.until(lambda: person.text().rstrip().endswith("> line 2"))
    person.types(" anew\r")
    person.until(lambda: said(person) == ["line 2 anew"])


def test_a_fork_shows_what_it_goes_on_from(sits_down: Sits) -> None:
    person = sits_down(ANSWERS)
    for number, answer in enumerate(("One.", "Two."), 1):
        person.asks(f"line {number}")
        person.sees(answer)
    person.types("/fork 2\r")
    person.until(lambda: person.text().rstrip().endswith("> line 2"))
    person.types("\x15/fork\r")
    person.until(lambda: person.text().count("fsm-agent 0.") == 3)

    first, fork, of_fork = person.text().split("fsm-agent 0.")[1:]
    assert first.count("> line 1\n\nOne.") == 2  # as it was said, and above the fork's first line
    assert first.count("Two.") == 1
    assert fork.count("> line 1\n\nOne.") == 1
    assert fork.count("this session goes on from") == 2
    assert "> line" not in of_fork

    person.types("/quit\r")
    assert person.leaves() == 0
    newest = max(
        person.home.glob("projects/*/*/events.jsonl"), key=lambda log: log.stat().st_mtime_ns
    )
    again = sits_down(ANSWERS, "--resume", newest.parent.name)
    again.sees("the session was taken up again")
    assert "> line 1\n\nOne." in again.text()


def test_sessions_are_listed_and_texts_found_in_them(sits_down: Sits, earlier: Path) -> None:
    person = sits_down(ANSWERS)
    person.asks("first")
    person.sees("One.")
    person.types("/sessions\r")
    person.sees("just now    1 turn  what colour was it")
    person.sees("just now    1 turn  first")
    person.types("/sessions WAS GREEN\r")
    person.sees("    It was green.")
    person.types("/sessions --all purple\r")
    person.sees("nothing was found")

    mine = next(line for line in person.text().splitlines() if line.startswith("* "))
    assert earlier.name not in mine


def test_a_list_is_searched_and_one_is_picked(sits_down: Sits, earlier: Path) -> None:
    person = sits_down("text: x\n---\ntext: Two.\n")
    person.asks("/resume")
    person.sees("resume:")
    person.sees("what colour was it")
    person.types("GREEN")
    person.sees("found: It was green.")
    person.sees("last: It was green.")
    person.types("\r")
    person.sees("the session was taken up again")

    person.types("go on\r")
    person.sees("Two.")
    assert said(person) == ["what colour was it", "go on"]
    assert "resume: " not in person.text()


def test_enter_alone_goes_to_the_newest_of_the_others(sits_down: Sits, earlier: Path) -> None:
    person = sits_down("text: x\n---\ntext: Two.\n")
    person.asks("first")
    person.types("/resume\r")
    person.sees(">     just now  what colour was it")
    person.sees("1 of this directory")
    person.types("\r")
    person.sees("the session was taken up again")


def test_giving_up_stays_in_the_session(sits_down: Sits, earlier: Path) -> None:
    person = sits_down(ANSWERS)
    person.asks("/resume nothing like this")
    person.sees("0 of this directory")
    person.types(ESC)
    person.until(lambda: "0 of this directory" not in person.text())
    person.types("/resume nothing like this\r")
    person.sees("0 of this directory")
    person.types("\x03hello\r")
    person.sees("One.")

    assert said(person) == ["hello"]
    assert b'"session_resume"' not in (earlier / "events.jsonl").read_bytes()


def test_a_signal_while_the_list_is_there_closes_the_log_and_restores_the_terminal(
    sits_down: Sits,
) -> None:
    person = sits_down(ANSWERS)
    person.asks("/resume")
    person.sees("Tab: all directories")
    person.child.kill(signal.SIGTERM)

    assert person.leaves() == 143
    assert person.log("session_end")[0]["code"] == 143
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_the_logs_of_all_the_sessions_prove_out(sits_down: Sits, earlier: Path) -> None:
    person = sits_down(ANSWERS)
    person.asks("first")
    person.sees("One.")
    person.types(f"/fork\r/new\r/resume {earlier.name}\r")
    person.sees("taken up again")
    person.until(lambda: "\n>" in person.text().rpartition("taken up again")[2])
    person.types(CTRL_D)
    assert person.leaves() == 0

    logs = list(person.home.glob("projects/*/*/events.jsonl"))
    assert len(logs) == 4
    for log in logs:
        *_, last = read(log)
        assert last.lines[-1].kind == "derived"
