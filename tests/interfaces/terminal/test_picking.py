"""A session is picked before the first prompt."""

from __future__ import annotations

import signal
import termios
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.terminal.numbered import pick_plain
from fsm_agent.testing.program import Program

ESC, CTRL_C, CTRL_N = "\x1b", "\x03", "\x0e"
LIKE_A_MOUSE, NO_TEXT = b"\x1b[31m", b"\xff"
ANSWERS = "text: One.\n---\ntext: Two.\n---\ntext: Three.\n"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture
def talked(workspace: Path, home: Path) -> Program:
    """Two sessions here, and an older one elsewhere."""
    program = Program(workspace, home)
    elsewhere = workspace.with_name("elsewhere")
    elsewhere.mkdir()
    program.play("text: There.", "far away", cwd=elsewhere)
    program.play("text: It was green.", "what colour was it")
    program.play("text: It was small.", "what size was it")
    return program


def many(program: Program, count: int) -> None:
    """More of them, of one log."""
    session = program.sessions[-1]
    for number in range(count):
        copy = session.with_name(f"20200101-{number:06}-abcd")
        copy.mkdir()
        (copy / "events.jsonl").hardlink_to(session / "events.jsonl")


def test_keys_move_and_enter_takes_up_what_is_chosen(sits_down: Sits, talked: Program) -> None:
    person = sits_down("text: x\n---\ntext: Two.\n", "--resume")
    person.sees("what size was it")
    person.sees("last: It was small.")
    person.types(CTRL_N)
    person.sees("last: It was green.")
    person.types("\r")
    person.sees("taken up again")
    person.types("go on\r")
    person.sees("Two.")

    assert next(line["text"] for line in person.newest_log("user_input")) == "what colour was it"


def test_tab_shows_the_sessions_of_all_directories(sits_down: Sits, talked: Program) -> None:
    person = sits_down(ANSWERS, "--resume")
    person.sees("2 of this directory")
    person.types("\t")
    person.sees("3 of all directories")
    person.types("far")
    person.sees("1 of all directories")
    person.sees(str(talked.cwd.with_name("elsewhere"))[:12])
    person.types("\r")
    person.sees("goes on in")
    person.sees("There.")


def test_odd_keys_do_not_end_it_and_a_terminal_that_is_gone_does(
    sits_down: Sits, talked: Program
) -> None:
    person = sits_down(ANSWERS, "--resume")
    person.sees("Tab: all directories")
    person.types(LIKE_A_MOUSE + NO_TEXT)
    person.sees("resume: \N{REPLACEMENT CHARACTER}")
    person.types("\x7fsize")
    person.sees("1 of this directory")
    person.child.ptyproc.fileobj.close()
    person.child.wait()

    assert person.child.exitstatus == 128 + signal.SIGHUP


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_giving_up_leaves_without_a_session(sits_down: Sits, talked: Program, key: str) -> None:
    person = sits_down(ANSWERS, "--resume")
    person.sees("Tab: all directories")
    person.types(key)

    assert person.leaves() == 130
    assert len(talked.sessions) == 3
    assert termios.tcgetattr(person.child.child_fd) == person.modes
    assert "resume:" not in person.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_the_first_prompt_restores_the_terminal(
    sits_down: Sits, talked: Program, number: signal.Signals
) -> None:
    person = sits_down(ANSWERS, "--resume")
    person.sees("Tab: all directories")
    person.child.kill(number)

    assert person.leaves() == 128 + number
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_the_list_is_redrawn_in_a_terminal_of_another_size(
    sits_down: Sits, talked: Program
) -> None:
    person = sits_down(ANSWERS, "--resume")
    person.sees("last: It was small.")
    person.resizes(40, 12)
    person.until(lambda: "\n> what size was it" in f"\n{person.text()}")
    person.resizes(80, 24)
    person.sees("just now  what size was it")

    assert person.text().count("resume:") == person.text().count("what colour was it") == 1


def test_thousands_of_sessions_hold_no_key_up(sits_down: Sits, talked: Program) -> None:
    many(talked, 3_000)
    person = sits_down(ANSWERS, "--resume")
    person.sees("of this directory")
    person.types("green")
    person.sees("resume: green")
    person.sees("found: It was green.", 30)
    person.types("\r")
    person.sees("taken up again")


def test_without_a_terminal_an_id_is_needed(talked: Program) -> None:
    run = talked.run("--script", "x", "-p", "hello", "--resume")

    assert run.code == 2
    assert "--resume needs the ID of a session here" in run.err


def typed(*lines: str) -> Callable[[], str]:
    left: Iterator[str] = iter(lines)
    return lambda: next(left)


def test_on_a_plain_terminal_a_number_picks_and_a_text_is_looked_for(talked: Program) -> None:
    out, catalogue = StringIO(), Catalogue(talked.home, talked.cwd)

    picked = pick_plain(catalogue, typed("99\n", "0\n", "FAR\n", "1\n"), out.write)

    assert picked == next(s for s in talked.sessions if "elsewhere" in str(s))
    shown = out.getvalue()
    assert "  1      just now  what size was it\n" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("line", ["\n", ""])
def test_an_empty_line_or_the_end_of_input_gives_up(talked: Program, line: str) -> None:
    catalogue = Catalogue(talked.home, talked.cwd)

    assert pick_plain(catalogue, typed(line), StringIO().write) is None


def test_the_plain_list_comes_up_before_the_prompt(sits_down: Sits, talked: Program) -> None:
    person = sits_down(ANSWERS, "--resume", terminal="dumb")
    person.sees("number, or a text to look for")
    person.types("2\r")
    person.sees("It was green.")
    person.sees("taken up again")
