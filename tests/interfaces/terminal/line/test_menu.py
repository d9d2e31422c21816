"""A menu opens while a command or a mention is typed, and stays aside."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.terminal.line.completing import opens

ANSWER = "text: All is well.\n"
HANGING = "text: It begins\nhang\n"
TAB, UP, DOWN, ESC, BACKSPACE = "\t", "\x1b[A", "\x1b[B", "\x1b", "\x7f"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.mark.parametrize(
    ("before", "open_"),
    [
        ("/", True),
        ("  /mo", True),
        ("/mode ", True),
        ("/mode p", True),
        ("/mode plan x", False),
        ("/etc/ho", False),
        ("see @", True),
        ("see @a", True),
        ("/dream see @a", True),
        ("x" * 100_000 + " @a", True),
        ("x" * 100_000, False),
        ("say /mo", False),
        ("one\n/mo", False),
        ("!cat @a", False),
        ("me@example.com", False),
        ("plain text", False),
        ("", False),
    ],
)
def test_it_opens_for_commands_and_mentions_only(before: str, open_: bool) -> None:
    assert opens(before) is open_


def shown(person: Any) -> list[str]:
    """What stands below the prompt."""
    rows = person.text().rstrip().split("\n")
    prompt = max((at for at, row in enumerate(rows) if row.startswith(">")), default=len(rows))
    return [row.strip() for row in rows[prompt + 1 :]]


def shown_line(person: Any) -> str:
    """The prompt and what is typed."""
    rows = [row.rstrip() for row in person.text().split("\n") if row.startswith(">")]
    return str(rows[-1]) if rows else ""


def opened(person: Any, first: str) -> None:
    person.until(lambda: any(row.startswith(first) for row in shown(person)))


def closed(person: Any) -> None:
    person.until(lambda: shown(person) == [])


def test_a_command_is_chosen_and_then_handed_in(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("/mod")
    opened(person, "/mode")
    person.types(DOWN)
    person.until(lambda: re.search("^> /mode$|^> /model$", person.text(), re.MULTILINE))
    first = shown_line(person)
    person.types(DOWN)
    person.until(lambda: {shown_line(person), first} == {"> /mode", "> /model"})
    person.types(UP)
    person.until(lambda: shown_line(person) == first)
    person.types("\r")
    closed(person)
    assert person.text().count(first) == 1
    person.types("\r")
    person.until(lambda: shown_line(person).startswith("> a line"))

    assert f"\n{first}\n" in person.text()


def test_enter_hands_the_line_in_where_nothing_is_chosen(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("/mode")
    opened(person, "/mode")
    person.types("\r")

    person.sees("\n> /mode\n")


def test_escape_takes_it_away_and_interrupts_nothing(sits_down: Sits) -> None:
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.types("/mod")
    opened(person, "/mode")
    person.types(DOWN)
    person.sees("> /mode")
    person.types(ESC)
    person.until(lambda: "> /mod\n" in f"{person.text()}\n" and not shown(person))
    time.sleep(0.2)
    assert person.log("interrupt") == []
    assert shown(person) == []
    person.types(ESC)

    person.sees("interrupted ·")


def test_it_follows_what_is_typed_and_deleted(sits_down: Sits, workspace: Path) -> None:
    for name in ("alpha.txt", "alpine.txt", "beta.txt"):
        (workspace / name).touch()
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("see @al")
    person.until(lambda: shown(person) == ["alpha.txt", "alpine.txt"])
    person.types("pi")
    person.until(lambda: shown(person) == ["alpine.txt"])
    person.types(BACKSPACE)
    person.until(lambda: shown(person) == ["alpha.txt", "alpine.txt"])
    person.types(" ")
    closed(person)


def test_a_folder_that_is_chosen_is_gone_on_in(sits_down: Sits, workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src" / "app.py").touch()
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("@s")
    opened(person, "src/")
    person.types(f"{DOWN}\r")
    person.sees("> @src/")
    person.until(lambda: "src/app.py" in shown(person))
    person.types(f"{TAB} it\r")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["@src/app.py it"]


def test_one_tab_and_one_enter_are_enough(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("/usa")
    opened(person, "/usage")
    person.types(f"{TAB}\r")

    person.sees("\n> /usage\n")


def test_it_stays_within_a_low_screen(sits_down: Sits, workspace: Path) -> None:
    for number in range(60):
        (workspace / f"file{number}").touch()
    person = sits_down(HANGING)
    person.asks("one")
    person.sees("It begins")
    person.types("@file")
    opened(person, "file")
    person.types(DOWN * 30)
    person.sees("> @file")
    person.types(ESC + ESC)
    person.sees("interrupted ·")

    assert person.text().count("> one") == 1


def test_leaving_does_not_wait_for_a_slow_list_of_files(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\ncase $* in *ls-files*) exec sleep 8;; esac\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types("@a")
    person.sees("> @a")
    began = time.monotonic()
    person.types("\x03\x04")

    assert person.leaves() == 0
    assert time.monotonic() - began < 4
