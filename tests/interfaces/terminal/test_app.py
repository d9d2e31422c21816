"""The program at a real terminal: what a person types and sees."""

from __future__ import annotations

import signal
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ESC, CTRL_C, CTRL_D, CTRL_O, UP = "\x1b", "\x03", "\x04", "\x0f", "\x1b[A"
ANSWER = "text: All is well.\nusage: 1200 34\n"
HANGING = "text: It begins\nhang\n"
SLEEP = 'call: Bash {"command": "sleep 60"}\n'
WRITE = 'call: Write {"path": "a.txt", "content": "one\\ntwo\\n"}\n---\ntext: Written.\n'

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_an_answer_is_shown_and_the_terminal_is_left_as_it_was(sits_down: Sits) -> None:
    person = sits_down(f"thinking: Let me see.\n{ANSWER}")
    person.asks("hello")
    person.sees("· 1,200 tokens in, 34 out")
    assert "Let me see.\n\nAll is well." in person.text()
    person.types(CTRL_D)

    assert person.leaves() == 0
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_an_answer_is_seen_while_it_arrives(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("hello")
    person.sees("It begins")
    person.sees("answering")

    assert person.log("blocks") == []


def test_lines_pasted_or_typed_with_escape_enter_are_one_input(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("one\x1b\rtwo\x1b[200~\nthree\x1b[201~")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["one\ntwo\nthree"]


def test_a_mention_brings_lines_in_and_what_is_not_there_is_said(
    sits_down: Sits, workspace: Path
) -> None:
    (workspace / "a b.txt").write_text("one\ntwo\nthree\n")
    person = sits_down(ANSWER)
    person.asks('see @"a b.txt":2 and @nowhere.txt, @decorator')
    person.sees("All is well.")

    (line,) = person.log("user_input")
    assert line["text"] == 'see @"a b.txt":2 and @nowhere.txt, @decorator'
    shown = '<file path="a b.txt" lines="2-2">\ntwo\n</file>'
    assert line["sent"] == f"see {shown} and @nowhere.txt, @decorator"
    assert "· @nowhere.txt: No such file or directory; left as it is" in person.text()
    assert "@decorator:" not in person.text()


def test_a_line_typed_ahead_waits_and_is_taken_next(sits_down: Sits) -> None:
    person = sits_down(f"delay: 0.5\ntext: First.\n---\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types("two\r")
    person.sees("queued: two")
    person.sees("All is well.")

    assert [line["of"] for line in person.log("queued")] == [person.log("user_input")[1]["seq"]]
    assert "queued: two" not in person.text()


def test_up_takes_a_waiting_line_back_into_the_prompt(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.types("two\r")
    person.sees("queued: two")
    person.types(UP)
    person.sees("\n> two")

    assert "queued" not in person.text()
    assert len(person.log("user_take_back")) == 1


def test_control_o_puts_a_line_into_the_running_turn(sits_down: Sits) -> None:
    person = sits_down(f'call: Bash {{"command": "sleep 0.6"}}\n---\n{ANSWER}', "--auto-approve")
    person.asks("one")
    person.sees("[tool] Bash(sleep 0.6)")
    person.types(f"and two{CTRL_O}")
    person.sees("All is well.")

    assert "> [inject] and two" in person.text()
    assert len(person.log("user_line")) == 1


def test_escape_interrupts_at_once_and_what_came_is_kept(sits_down: Sits) -> None:
    person = sits_down(f"{HANGING}---\n{ANSWER}")
    person.asks("one")
    person.sees("It begins")
    person.sees("answering")
    person.types("two\r")
    person.sees("queued: two")
    person.types(ESC)

    assert person.sees("interrupted ·") < 1
    person.sees("\n> two")
    assert "It begins\n· interrupted" in person.text()
    assert len(person.log("user_line")) == 1
    person.types(CTRL_C)
    person.sees("Enter goes on with the turn that was cut short")
    person.types("\r")
    person.sees("All is well.")


MOMENTS = {
    "just after Enter": ("delay: 60\n", "> one"),
    "before the first byte": ("delay: 60\n", "waiting for the model"),
    "while an answer arrives": (HANGING, "It begins"),
    "before a retry": ("error: 429 retry-after=60 busy\n", "trying again"),
    "while a question is open": (WRITE, "[y/n"),
    "while a tool runs": (SLEEP, "[y/n"),
}


@pytest.mark.parametrize("how", ["key", "signal"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_one_control_c_stops_what_is_under_way_and_stays(
    sits_down: Sits, moment: str, how: str
) -> None:
    script, seen = MOMENTS[moment]
    person = sits_down(script)
    person.asks("one")
    person.sees(seen)
    if script == SLEEP:
        person.answers("y")
        person.sees("[allowed] Bash(sleep 60)")
    if how == "key":
        person.types(CTRL_C)
    else:
        person.child.kill(signal.SIGINT)

    assert person.sees("· interrupted") < 2.5
    person.types("/usage\r")
    person.sees("context now")
    assert person.ends() == ["interrupted"]


def test_control_c_clears_a_line_and_twice_leaves(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("")
    person.types("half a line")
    person.sees("> half a line")
    person.types(CTRL_C)
    person.until(lambda: "half a line" not in person.text())
    person.types(CTRL_C)
    person.sees("Ctrl-C again leaves")
    person.types(CTRL_C)

    assert person.leaves() == 130
    assert person.log("session_end")[0]["code"] == 130
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_two_control_c_within_a_second_leave_a_running_turn(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.types(CTRL_C + CTRL_C)

    assert person.leaves() == 130
    assert [line["reason"] for line in person.log("stop")] == ["interrupted"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_term_and_hup_close_the_log_and_restore_the_terminal(
    sits_down: Sits, number: int, code: int
) -> None:
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.child.kill(number)

    assert person.leaves() == code
    assert person.log("session_end")[0]["code"] == code
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_a_terminal_that_goes_away_closes_the_log(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.child.ptyproc.fileobj.close()
    deadline = time.monotonic() + 5
    while person.child.isalive():
        assert time.monotonic() < deadline
        time.sleep(0.02)

    assert person.log("session_end")[0]["code"] == 129


def test_a_yes_runs_the_call_and_a_no_carries_its_word(sits_down: Sits, workspace: Path) -> None:
    person = sits_down(f"{WRITE}---\n{WRITE}")
    person.asks("write it")
    person.answers("y")
    person.sees("Written.")
    assert (workspace / "a.txt").read_text() == "one\ntwo\n"
    person.types("again\r")
    person.answers("maybe")
    person.sees("that is no answer")
    person.answers("n use b.txt")
    person.sees("not allowed: use b.txt")


def test_an_interrupt_takes_a_question_back_and_all_that_was_typed_returns(
    sits_down: Sits,
) -> None:
    person = sits_down(f"delay: 0.5\n{WRITE}")
    person.asks("write it")
    person.sees("waiting for the model")
    person.types("next\rhalf")
    person.sees("queued: next")
    person.sees("\n[y/n/e]?")
    person.types("y")
    person.types(ESC)
    person.sees("interrupted ·")
    person.sees("\n> next\n  half\n")

    assert person.log("approved") == []


def test_a_resumed_session_shows_its_turns_and_goes_on(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("hello")
    person.sees("All is well.")
    person.types(CTRL_D)
    assert person.leaves() == 0
    person = sits_down(f"{ANSWER}---\ntext: Again.\n", "-c")
    person.sees("the session was taken up again")
    assert "> hello\n\nAll is well." in person.text()
    person.asks("more")
    person.sees("Again.")
