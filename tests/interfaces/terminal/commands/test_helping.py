"""What `/help` says of the commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.helping import SHOWN, explained
from fsm_agent.interfaces.terminal.commands.table import Commands

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def lines(command: Command, *words: tuple[str, str]) -> list[str]:
    return [text.plain for text in explained(command, words)]


def test_help_lists_the_commands_by_kind(sits_down: Sits) -> None:
    person = sits_down("text: Done.\n")
    person.asks("/help")
    person.sees("Esc stops what runs")
    text = person.text()

    assert text.index("Here\n") < text.index("/help  ") < text.index("Model and permissions\n")
    assert all(f"  /{name} " in text for name in Commands().named)


def test_help_explains_one_command_however_it_is_named(sits_down: Sits) -> None:
    person = sits_down("text: Done.\n")
    person.asks("/help /plan")
    person.sees("It acts at once; with cancel, clear, confirm it waits for the turn's end.")
    person.types("/help keys\r")
    person.sees("Ctrl-G opens $VISUAL or")
    person.types("/help modle\r")
    person.sees("/help: there is no command /modle. Did you mean /mode or /model?")


@pytest.mark.parametrize(
    ("waits", "said"),
    [
        (True, "  While a turn runs, it waits for the turn's end."),
        (False, "  It acts at once, also while a turn runs."),
        (frozenset({"add"}), "  It acts at once; with add it waits for the turn's end."),
    ],
)
def test_help_says_whether_a_command_waits(waits: Any, said: str) -> None:
    assert said in lines(Command("a", "does", lambda _, __: None, waits=waits))


@pytest.mark.parametrize("name", Commands().named)
def test_each_command_says_what_it_does_and_gives_an_example(name: str) -> None:
    command = Commands().named[name]

    assert command.example.split()[0] == f"/{name}"
    assert command.what[0].islower()
    assert not command.what.endswith(".")
    assert command.more.endswith(".") or (not command.more and command.takes)
    assert command.takes or command.example == f"/{name}"


def test_the_reference_has_every_command() -> None:
    reference = Path(__file__).parents[4] / "docs" / "reference" / "commands.md"
    titles = re.findall(r"^### `/(.+)`$", reference.read_text(), re.MULTILINE)

    assert titles == list(Commands().named)


def test_of_many_words_the_first_are_shown() -> None:
    words = [(f"word-{n}", "") for n in range(SHOWN + 1)]
    shown = lines(Command("a", "does", lambda _, __: None), *words)

    assert f"    word-{SHOWN - 1}" in shown
    assert f"    word-{SHOWN}" not in shown
    assert "    … Tab offers more" in shown


def test_names_and_words_from_files_cannot_steer_the_terminal() -> None:
    shown = "\n".join(lines(Command("a", "does", lambda _, __: None), ("\x1b[2J", "\x9b1m")))

    assert "\x1b" not in shown
    assert "\x9b" not in shown
