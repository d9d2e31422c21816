"""A standing yes: shown before it is given, listed, taken back, ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def runs(command: str) -> str:
    return f'call: Bash {{"command": "{command}"}}\n---\ntext: Ran {command}.\n'


def layers(person: Any) -> list[str]:
    return [line["layer"] for line in person.log("permission")]


def test_a_standing_yes_holds_until_it_is_taken_back(
    sits_down: Sits, workspace: Path, home: Path
) -> None:
    (workspace / "src").mkdir()
    person = sits_down("---\n".join(map(runs, ["ls", "ls -la src", "ls; echo", "ls src"])))
    person.asks("1")
    person.sees("c would let through: ls … (arguments inside the workspace, of options only")
    person.sees("[c] ls … from now on")
    person.answers("c")
    person.sees("Ran ls.")
    person.types("2\r")
    person.sees("Ran ls -la src.")
    person.types("3\r")
    person.sees("[c] this command, word for word, from now on")
    person.answers("c")
    person.sees("Ran ls; echo.")
    assert layers(person) == ["person", "grant", "person"]

    person.types("/permissions\r")
    person.sees("  mode ask: changes and commands ask first")
    person.sees("  1  ls … (arguments inside the workspace, of options only -1 -A")
    person.sees("  2  ls; echo (word for word)")
    person.types("/permissions revoke 3\r")
    person.sees("there is no standing yes 3")
    person.types("/permissions revoke 1\r")
    person.sees("· asked about again: ls … (arguments inside the workspace")
    person.types("4\r")
    person.sees("names src")
    person.sees("[y/n/c]?")
    person.types("/permissions revoke all\r")
    person.sees("· asked about again: ls; echo (word for word)")
    person.types("/permissions\r")
    person.sees("no standing yes was given, or it has ended")
    person.answers("y")
    person.sees("Ran ls src.")
    assert layers(person) == ["person", "grant", "person", "person"]
    assert [line["name"] for line in person.log("command")] == ["revoke", "revoke"]
    person.types("\x04")
    assert person.leaves() == 0

    (log,) = home.glob("projects/*/*/events.jsonl")
    for verb in ("replay", "audit"):
        ran = subprocess.run(
            [sys.executable, "-m", "fsm_agent", verb, log.parent.name],
            cwd=workspace,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_standing_yes_ends_with_the_session(sits_down: Sits) -> None:
    script = f"{runs('ls')}---\n{runs('ls')}"
    person = sits_down(script)
    person.asks("1")
    person.sees("[y/n/c]?")
    person.answers("c")
    person.sees("Ran ls.")
    person.types("\x04")
    assert person.leaves() == 0
    person = sits_down(script, "-c")
    person.asks("/permissions")
    person.sees("no standing yes was given, or it has ended")
    person.types("2\r")
    person.sees("[y/n/c]?")
