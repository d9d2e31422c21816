"""Only what is typed while a question stands is its answer."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WRITE = 'call: Write {"path": "a.txt", "content": "one\\ntwo\\n"}\n---\ntext: Written.\n'
ESC, CTRL_C = "\x1b", "\x03"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_what_was_typed_before_a_question_stood_is_back_behind_it(sits_down: Sits) -> None:
    person = sits_down(f"delay: 0.5\n{WRITE}")
    person.asks("write it")
    person.sees("waiting for the model")
    person.types("y")
    person.sees("\n[y/n/e]?")
    person.types("\r")
    person.sees("that is no answer")
    person.answers("n")
    person.sees("not allowed")
    person.sees("> y")

    assert person.log("approved") == []


def test_keys_that_wait_while_the_program_is_busy_are_no_answer(
    sits_down: Sits, workspace: Path
) -> None:
    person = sits_down(f"delay: 0.5\n{WRITE}")
    person.asks("write it")
    person.sees("waiting for the model")
    os.kill(person.child.pid, signal.SIGSTOP)
    person.types("y\r")
    time.sleep(0.6)
    os.kill(person.child.pid, signal.SIGCONT)
    person.sees("\n[y/n/e]?")
    person.types("n\r")
    person.sees("Written.")

    assert person.log("approved") == []
    assert not (workspace / "a.txt").exists()


def test_what_is_typed_at_once_behind_an_answer_is_a_line_and_what_is_typed_next(
    sits_down: Sits,
) -> None:
    person = sits_down(f"{WRITE}---\ntext: One.\n")
    person.asks("write it")
    person.sees("\n[y/n/e]?")
    person.types("y\rand then?\rhalf a li")
    person.sees("One.")
    person.sees("> half a li")

    assert [line["text"] for line in person.log("user_input")] == ["write it", "and then?"]


def test_a_question_is_not_answered_before_all_of_it_is_shown(
    sits_down: Sits, workspace: Path
) -> None:
    content = "word " * 12_000 + "\\nend"
    person = sits_down(f'call: Write {{"path": "a.txt", "content": "{content}"}}\n')
    person.asks("write it")
    person.until(lambda: bool(person.log("ask_user")))
    person.types("y\r")
    person.sees("\n[y/n/e]?")
    person.types("n\r")
    person.until(lambda: bool(person.log("declined")))

    assert person.log("approved") == []


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_a_stop_while_asked_ends_the_turn_even_with_a_yes_half_typed(
    sits_down: Sits, workspace: Path, key: str
) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("\n[y/n/e]?")
    person.types("ye")
    person.sees("[y/n/e]? ye")
    person.types(key)

    assert person.sees("· interrupted") < 2.5
    assert person.ends() == ["interrupted"]
    assert not (workspace / "a.txt").exists()


def test_a_question_is_in_the_log_before_it_is_shown(sits_down: Sits) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("May this run?")
    person.child.kill(signal.SIGKILL)

    assert [line["name"] for line in person.log("ask_user")] == ["Write"]
    moved = [line for line in person.log("transition") if line["instance"] == "tool-1.1"]
    assert moved[-1]["to"] == "asking"


def test_a_no_takes_a_word_along(sits_down: Sits) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("\n[y/n/e]?")
    person.answers("n because b.txt is the file")
    person.sees("not allowed: because b.txt is the file")

    assert [line["word"] for line in person.log("declined")] == ["because b.txt is the file"]


TWO = """\
call: Bash {"command": "git status --short"}
call: Bash {"command": "git status --branch"}
call: Bash {"command": "echo unasked"}
---
text: Done.
"""


def test_a_standing_yes_answers_the_questions_that_wait(sits_down: Sits) -> None:
    person = sits_down(TWO)
    person.asks("look")
    person.sees("$ git status --short")
    person.sees("\n[y/n/c]?")
    person.answers("c")
    person.sees("$ echo unasked")
    person.sees("\n[y/n/c]?")
    person.answers("n")
    person.sees("Done.")

    assert "$ git status --branch" not in person.text()
    assert [line["scope"] for line in person.log("approved")] == ["command", "command"]


def test_a_mode_that_allows_it_answers_what_is_asked(sits_down: Sits) -> None:
    person = sits_down(TWO)
    person.asks("look")
    person.sees("\n[y/n/c]?")
    person.types("/mode allow\r")
    person.sees("Done.")

    assert len(person.log("approved")) == 3
    assert person.text().count("May this run?") == 1


def test_a_line_that_is_no_answer_is_shown_for_it_is_gone_from_the_prompt(sits_down: Sits) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("\n[y/n/e]?")
    person.types("use another name\r")
    person.sees("· use another name\n· that is no answer: y, n, n and why, e")
    person.answers("n")
    person.sees("Written.")


def test_a_command_that_has_to_wait_waits_while_a_question_stands(sits_down: Sits) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("\n[y/n/e]?")
    person.types("/effort high\r")
    person.sees("/effort high")
    person.answers("n")
    person.sees("the effort is now high")

    assert person.ends() == ["answered"]
    assert "no answer" not in person.text()
