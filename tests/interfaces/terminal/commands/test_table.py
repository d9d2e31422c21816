"""Slash commands at a real terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.terminal.commands.custom import literal
from fsm_agent.interfaces.terminal.commands.table import is_command

ANSWER = "text: All is well.\nusage: 1200 34\n"
WRITE = 'call: Write {"path": "a.txt", "content": "one\\ntwo\\n"}\n---\ntext: Written.\n'

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_commands_typed_while_busy_wait_and_lines_after_them_too(sits_down: Sits) -> None:
    person = sits_down(f"delay: 0.5\ntext: First.\n---\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types("/model other\rtwo\r/usage\r")
    person.sees("fresh input")
    person.sees("queued: /model other")
    person.sees("All is well.")

    models = [line["model"] for line in person.log("send_request")]
    assert models == ["scripted", "other"]
    assert person.log("queued") == []


def test_commands_that_waited_are_told_one_after_the_other(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSM_AGENT_THINKING", "whole")  # a command that nobody typed
    person = sits_down(f"delay: 0.5\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types("/model other\r/plan clear\r/plan confirm\r/effort high\r")
    person.sees("the effort is now high")

    told = person.text().split("All is well.")[1].splitlines()
    told = [line for line in told if line.startswith(("> ", "· ", "/plan: ", "error: "))]
    first = told.index("> /model other")
    assert [line[:26] for line in told[first : first + 8]] == [
        *("> /model other", "· the model is now other"),
        *("> /plan clear", "/plan: there is no plan to"),
        *("> /plan confirm", "error: there is no draft ("),
        *("> /effort high", "· the effort is now high"),
    ]


def test_usage_has_the_cost_where_the_price_is_known(sits_down: Sits) -> None:
    person = sits_down(ANSWER, "--price", "3,15")
    person.asks("one")
    person.sees("All is well.")
    person.types("/usage\r")
    person.sees("cost                  $0.0041")


def test_usage_has_a_question_mark_where_it_is_not(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("one")
    person.sees("All is well.")
    person.types("/usage\r")
    person.sees("cost                        ?")


def test_undo_takes_a_change_back_after_it_is_logged(sits_down: Sits, workspace: Path) -> None:
    (workspace / "a.txt").write_text("zero\n")
    read = 'call: Read {"path": "a.txt"}\n---\n'
    person = sits_down(read + WRITE, "--auto-approve")
    person.asks("write it")
    person.sees("Written.")
    person.types("/diff\r")
    person.sees("-zero")
    person.types("/undo\r")
    person.sees("restored: a.txt")

    assert (workspace / "a.txt").read_text() == "zero\n"
    assert person.log("command")[0]["arguments"]["of"] == [person.log("finished")[-1]["seq"]]
    person.types("/undo\r")
    person.sees("there is no change of a file tool to take back")


def test_undo_refuses_a_file_that_was_changed_since(sits_down: Sits, workspace: Path) -> None:
    person = sits_down(WRITE, "--auto-approve")
    person.asks("write it")
    person.sees("Written.")
    (workspace / "a.txt").write_text("mine\n")
    person.types("/undo\r")
    person.sees("a.txt has changed since")

    assert (workspace / "a.txt").read_text() == "mine\n"
    assert person.log("command") == []


def test_what_stands_behind_a_command_that_takes_nothing_is_not_passed_over(
    sits_down: Sits,
) -> None:
    person = sits_down(ANSWER)
    person.asks("/new mend the parser")
    person.sees("/new: it takes nothing")
    person.types("/quit now\r")
    person.sees("/quit: it takes nothing")
    person.types("one\r")
    person.sees("All is well.")

    assert len(list(person.home.glob("projects/*/*/events.jsonl"))) == 1


def test_an_unknown_command_is_not_sent(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("/frobnicate now")
    person.sees("there is no command /frobnicate. /help lists them. Nothing was sent.")
    person.types("/modle other\r")
    person.sees("there is no command /modle. Did you mean /mode or /model? Nothing was sent.")
    person.types("/CLEAR\r")
    person.sees("there is no command /CLEAR. Did you mean /new? Nothing was sent.")
    person.types("/Usage\r")
    person.sees("there is no command /Usage. Did you mean /usage? Nothing was sent.")
    person.types("/exit\r")
    assert person.leaves() == 0

    assert person.log("user_input") == []


@pytest.mark.parametrize(
    ("line", "command", "said"),
    [
        ("/help", True, "/help"),
        ("/nope", True, "/nope"),
        ("/", True, "/"),
        ("/memory add a/b", True, "/memory add a/b"),
        ("/etc/hosts what is this?", False, "/etc/hosts what is this?"),
        ("/etc/", False, "/etc/"),
        ("//help is what?", False, "/help is what?"),
        ("//help", False, "/help"),
        ("// a comment", False, "// a comment"),
        ("//host/share", False, "//host/share"),
        ("/* a comment */", False, "/* a comment */"),
        ("!ls /", True, "!ls /"),
        ("exit", True, "exit"),
        ("exit now", False, "exit now"),
        ("see /help", False, "see /help"),
        ("", False, ""),
    ],
)
def test_a_path_is_no_command_and_two_strokes_stand_for_one(
    line: str, command: bool, said: str
) -> None:
    assert is_command(line) is command
    assert literal(line) == said


def test_a_line_may_begin_with_a_stroke(sits_down: Sits) -> None:
    person = sits_down(f"{ANSWER}---\n{ANSWER}")
    person.asks("//quit is what?")
    person.sees("All is well.")
    person.types("/etc/hosts explain\r")
    person.until(lambda: person.text().count("All is well.") == 2)

    first, second = person.log("user_input")
    assert (first["text"], first["sent"]) == ("//quit is what?", "/quit is what?")
    assert second["text"] == "/etc/hosts explain"


def test_an_empty_prompt_says_what_can_be_typed_until_the_first_turn(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.sees("> a line for the model · / for commands")
    person.types("one\r")
    person.sees("All is well.")
    person.types("x")
    person.sees("\n> x")
    person.types("\x7f")
    person.until(lambda: person.text().rstrip().endswith("\n>"))
