"""What is remembered, at a real terminal: /memory and /dream."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""

ANSWER = "text: All is well.\n"
KEEPS = 'call: Remember {"constraints": "never push", "user_memory": "likes tabs"}\n'
DREAM = f"{ANSWER}---\n{KEEPS}---\ntext: Kept.\n"
DIES = """\
import os, signal, sys

def hook(event, arguments):
    if event == "os.rename" and os.path.basename(arguments[1]) == "memory.md":
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
"""
"""Ends the program just before a memory file is put in its place."""


def says(person: Any, line: str) -> None:
    """Wait for the prompt, hand a line in."""
    person.until(lambda: re.search(r"^(\w+ )?>", person.text(), re.MULTILINE))
    person.types(f"{line}\r")


def files(person: Any) -> dict[str, str]:
    """What is remembered, by where: of the person, of the project."""
    places = {"user": "config/memory.md", "project": "projects/*/memory.md"}
    found = {name: next(person.home.glob(place), None) for name, place in places.items()}
    return {name: path.read_text() for name, path in found.items() if path}


def test_memory_is_logged_written_shown_and_taken_back(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    says(person, "/memory add constraints never push")
    person.sees("+- never push")

    text = "## Constraints\n\n- never push\n"
    assert files(person) == {"project": text}
    (command,) = person.log("command")
    assert command["arguments"] == {"action": "add", "text": "constraints never push"}
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert [change["after"]["blob"] for change in command["changes"]] == [digest]

    person.types("/memory add user likes tabs\r")
    person.sees("+- likes tabs")
    person.types("/memory\r")
    person.sees("sections: User Memory")
    assert person.text().count("- likes tabs") == 2
    person.types("/memory clear constraints\r")
    person.sees("-- never push")
    assert files(person) == {
        "user": "## User Memory\n\n- likes tabs\n",
        "project": "## Constraints\n",
    }

    for count in (1, 2, 3):
        person.types("/undo\r")
        person.until(lambda n=count: len(person.log("command")) == 3 + n)
    person.sees("removed:")
    person.until(lambda: not files(person))


def test_what_cannot_be_asked_for_is_said(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    says(person, "/memory forget it")
    person.sees("'forget' is none of: show, add")
    person.types("/memory add constraints\r")
    person.sees("there is no text to add")
    person.types("/memory clear everything\r")
    person.sees("there is no section 'everything'")
    person.types("/dream\r")
    person.sees("there is nothing to look back on yet")

    assert person.log("command") == person.log("user_input") == []


def test_the_model_is_told_of_a_change_with_the_next_line(sits_down: Sits) -> None:
    person = sits_down(f"{ANSWER}---\ntext: Noted.\n")
    says(person, "/memory add facts the build takes an hour")
    person.sees("+- the build takes an hour")
    person.types("how are you\r")
    person.sees("All is well.")
    (seen,) = person.log("seen")
    assert (seen["what"], seen["text"]) == (
        "memory",
        "## Consolidated Facts\n\n- the build takes an hour",
    )
    assert seen["text"] in person.log("notices")[0]["text"]

    Path(seen["path"]).write_text("## Constraints\r\nby hand\r\n")
    person.types("and now\r")
    person.sees("Noted.")
    assert "## Constraints\nby hand" in person.log("notices")[1]["text"]
    assert len(person.log("prompt")) == 1


def test_a_dream_is_asked_about_written_and_taken_back(sits_down: Sits) -> None:
    person = sits_down(DREAM)
    says(person, "/memory add scratch mine")
    person.sees("+- mine")
    person.types("hello\r")
    person.sees("All is well.")
    person.types("/dream\r")
    person.sees("+never push")
    person.sees("+likes tabs")
    assert files(person) == {"project": "## Scratch Notes\n\n- mine\n"}
    person.answers("y")
    person.sees("Kept.")

    assert files(person) == {
        "user": "## User Memory\n\nlikes tabs\n",
        "project": "## Constraints\n\nnever push\n\n## Scratch Notes\n\n- mine\n",
    }
    dream = person.log("user_input")[-1]
    assert dream["text"] == "/dream"
    assert dream["sent"].startswith("Dream: look back over this whole session")
    person.types("/undo\r")
    person.sees("restored:")
    assert files(person) == {"project": "## Scratch Notes\n\n- mine\n"}


def test_a_dream_that_is_declined_changes_nothing(sits_down: Sits) -> None:
    person = sits_down(DREAM)
    says(person, "hello")
    person.sees("All is well.")
    person.types("/dream\r")
    person.sees("+never push")
    person.answers("n too early")
    person.sees("Kept.")

    assert files(person) == {}


def test_nothing_is_dreamt_in_a_mode_that_changes_nothing(sits_down: Sits) -> None:
    person = sits_down(DREAM, "--permission", "read")
    says(person, "hello")
    person.sees("All is well.")
    person.types("/dream\r")
    person.sees("nothing is remembered in the mode read")

    assert len(person.log("user_input")) == 1


def test_a_command_that_was_killed_is_told_of_and_finished_on_demand(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(DIES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    person = sits_down(ANSWER)
    says(person, "hello")
    person.sees("All is well.")
    person.types("/memory add constraints never push\r")
    assert person.leaves() == -9
    assert len(person.log("command")) == 1
    assert files(person) == {}

    monkeypatch.delenv("PYTHONPATH")
    again = sits_down(ANSWER, "-c")
    again.sees("/memory was cut short:")
    assert files(again) == {}
    says(again, "/undo again")
    again.sees("restored:")
    assert files(again) == {"project": "## Constraints\n\n- never push\n"}
    again.types("/quit\r")
    assert again.leaves() == 0

    third = sits_down(ANSWER, "-c")
    third.sees("/help")
    assert files(third) == {"project": "## Constraints\n\n- never push\n"}
    assert "cut short" not in third.text()
