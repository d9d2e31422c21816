"""`/reload`: files are read again, and what has changed is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

ANSWER = "text: All is well.\n"
MORE = f"{ANSWER}---\n{ANSWER}"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's configuration."""
    monkeypatch.setenv("FSM_AGENT_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "commands").mkdir(parents=True)
    return tmp_path / "config"


def verify(person: Any, workspace: Path) -> Sequence[str]:
    return subprocess.run(
        [sys.executable, "-m", "fsm_agent", "replay", "--verify"],
        cwd=workspace,
        env={**os.environ, "FSM_AGENT_HOME": str(person.home)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout.splitlines()


def test_changed_instructions_are_in_the_next_prompt(sits_down: Sits, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("Be brief.\n")
    person = sits_down(MORE)
    person.asks("one")
    person.sees("All is well.")
    (workspace / "AGENTS.md").write_text("Be thorough.\n")
    person.types("/reload\r")
    person.sees("the prompt is read again:")
    person.types("two\r")
    person.until(lambda: len(person.ends()) == 2)
    person.types("/reload\r")
    person.sees("nothing has changed")
    person.types("/quit\r")
    person.leaves()

    before, after = person.log("prompt")
    assert "Be brief." in str(before["sections"])
    assert "Be thorough." in str(after["sections"])
    assert "Be brief." not in str(after["sections"])
    assert [line["name"] for line in person.log("command")] == ["reload", "reload"]
    assert verify(person, workspace)[-1].startswith("verified:")


def test_the_model_gets_what_was_read_again_once(sits_down: Sits, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("Be brief.\n")
    person = sits_down(MORE)
    person.asks("one")
    person.sees("All is well.")
    (workspace / "AGENTS.md").write_text("Be thorough.\n")
    person.types("/reload\r")
    person.sees("the prompt is read again:")
    (workspace / "CLAUDE.md").write_text("Be kind.\n")  # passed over beside AGENTS.md
    (workspace / "AGENTS.md").unlink()
    person.types("two\r")
    person.until(lambda: len(person.ends()) == 2)
    person.types("/quit\r")
    person.leaves()

    (seen, gone, other) = person.log("seen")
    assert person.log("prompt")[1]["holds"] == [seen["seq"]]
    assert [line["of"] for line in person.log("notices")] == [[gone["seq"], other["seq"]]]
    assert verify(person, workspace)[-1].startswith("verified:")


def test_prompt_files_come_go_and_change(sits_down: Sits, own: Path) -> None:
    files = own / "commands"
    (files / "old.md").write_text("Old.\n")
    (files / "both.md").write_text("First.\n")
    person = sits_down(ANSWER)
    person.asks("/help both")
    person.sees("First.")
    (files / "old.md").unlink()
    (files / "both.md").write_text("Second.\n")
    (files / "fresh.md").write_text("New $1.\n")
    (files / "bad.md").write_bytes(b"\xff")
    person.types("/reload\r")
    person.sees("  new: /fresh")
    person.sees("  gone: /old")
    person.sees("  changed: /both")
    person.until(lambda: "bad.md is no text in UTF-8" in person.text().replace("\n", ""))
    person.types("/fresh 1\r")
    person.sees("All is well.")

    assert person.log("user_input")[0]["sent"] == "New 1."


def test_what_cannot_be_read_is_said_at_the_prompt(sits_down: Sits, workspace: Path) -> None:
    person = sits_down(ANSWER)
    person.asks("one")
    person.sees("All is well.")
    (workspace / "AGENTS.md").write_bytes(b"\0")
    person.types("/reload\r")
    person.until(lambda: "AGENTS.md is no text in UTF-8" in person.text().replace("\n", ""))
    person.sees("nothing has changed")


def test_typed_while_busy_it_waits(sits_down: Sits) -> None:
    person = sits_down(f"delay: 0.5\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types("/reload\r")
    person.sees("queued: /reload")
    person.sees("nothing has changed")

    assert person.ends() == ["answered"]


def test_skills_are_said_to_be_missing(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("/skill review")
    person.sees("skills are not there yet")

    assert person.log("user_input") == []
