"""`!` runs a person's own line, `!!` tells the model what came of it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ANSWER = "text: All is well.\nusage: 1200 34\n"
HANGING = "text: It begins\nhang\n"
WRITE = 'call: Write {"path": "a.txt", "content": "one\\ntwo\\n"}\n---\ntext: Written.\n'
ESC, CTRL_C, CTRL_D, CTRL_O = "\x1b", "\x03", "\x04", "\x0f"
RAN = "The person ran this in a shell of their own:"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def test_a_line_is_logged_before_it_runs_and_so_is_what_came_of_it(
    sits_down: Sits, workspace: Path
) -> None:
    person = sits_down(ANSWER)
    person.asks("! echo $((40 + 2)); cp ../home/projects/*/*/events.jsonl seen; false")
    person.sees("  42")
    person.sees("exit code 1")

    begun, ended = person.log("command")
    command = "echo $((40 + 2)); cp ../home/projects/*/*/events.jsonl seen; false"
    assert begun["name"] == "shell"
    assert begun["arguments"] == {"command": command, "told": False}
    assert b'"shell"' in (workspace / "seen").read_bytes()
    assert ended["name"] == "shell_ended"
    assert ended["arguments"]["of"] == begun["seq"]
    assert ended["arguments"]["ok"] is False
    assert ended["arguments"]["output"].endswith("42\n")
    assert f"> ! {command}"[:60] not in person.text()
    assert "> !echo $((40 + 2))" in person.text()
    person.types("hello\r")
    person.sees("All is well.")
    assert person.log("notice") == person.log("notices") == []


def test_what_came_of_it_is_told_to_the_model_with_the_next_line(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!!echo one; echo two")
    person.sees("  one\n  two")
    assert person.log("send_request") == []
    person.types("hello\r")
    person.sees("All is well.")

    (notice,) = person.log("notice")
    assert notice["text"] == f"{RAN}\n$ echo one; echo two\none\ntwo\n"
    (delivered,) = person.log("notices")
    assert delivered["of"] == [notice["seq"]]
    assert "output" not in person.log("command")[-1]["arguments"]  # it is in the log once
    assert person.text().count("  one\n  two") == 1


def test_a_running_turn_is_told_at_its_next_gap(sits_down: Sits) -> None:
    script = f'call: Bash {{"command": "sleep 1"}}\n---\n{ANSWER}'
    person = sits_down(script, "--auto-approve")
    person.asks("one")
    person.sees("[tool] Bash(sleep 1)")
    person.types("!!echo meanwhile\r")
    person.sees("All is well.")

    (notice,), (delivered,) = person.log("notice"), person.log("notices")
    first, second = person.log("send_request")
    assert notice["text"] == f"{RAN}\n$ echo meanwhile\nmeanwhile\n"
    assert delivered["of"] == [notice["seq"]]
    assert first["seq"] < delivered["seq"] < second["seq"]


@pytest.mark.parametrize("mode", ["plan", "read"])
def test_nobody_is_asked_and_no_mode_stops_it(sits_down: Sits, workspace: Path, mode: str) -> None:
    person = sits_down(ANSWER, "--mode", mode)
    person.asks("!touch made")
    person.until(lambda: len(person.log("command")) == 2)

    assert (workspace / "made").exists()
    assert person.log("permission") == []


def test_it_runs_beside_a_question_and_a_turn(sits_down: Sits) -> None:
    person = sits_down(WRITE)
    person.asks("write it")
    person.sees("[y/n")
    person.types("!echo $((6 * 7))\r")
    person.sees("  42")
    person.answers("y")
    person.sees("Written.")


@pytest.mark.parametrize("key", [ESC, CTRL_C])
def test_one_key_ends_it_and_all_that_it_started(
    sits_down: Sits, workspace: Path, key: str
) -> None:
    person = sits_down(ANSWER)
    sleep = f"sleep 61.{ord(key)}"  # nobody else's
    person.asks(f"!echo begun; ({sleep}; touch late) & {sleep}")
    person.sees("Esc stops it")
    time.sleep(0.3)
    person.types(key)
    assert person.until(lambda: len(person.log("command")) == 2) < 2.5

    assert person.log("command")[1]["arguments"]["output"].startswith("begun\n")
    assert subprocess.run(["pgrep", "-f", f"^{sleep}$"], check=False).returncode == 1
    person.types("hello\r")
    person.sees("All is well.")


def test_lines_typed_meanwhile_wait_for_its_end(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!!sleep 0.5; echo slept")
    person.sees("Esc stops it")
    person.types("!echo after\r")
    person.types("hello\r")
    person.sees("queued: hello")
    person.sees("All is well.")
    person.until(lambda: len(person.log("command")) == 4)

    order = ["command", "notice", "command", "command", "command", "user_input"]
    lines = [line for kind in ("command", "notice", "user_input") for line in person.log(kind)]
    assert [line["type"] for line in sorted(lines, key=lambda line: line["seq"])] == order


def test_leaving_ends_it(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!sleep 62")
    person.sees("Esc stops it")
    person.types(CTRL_D)

    assert person.leaves() == 0
    assert subprocess.run(["pgrep", "-f", "^sleep 62$"], check=False).returncode == 1


def test_secrets_are_used_but_not_shown_or_logged(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "tok-12345678")
    person = sits_down(ANSWER)
    person.asks("!echo tok-12345678 | wc -c; echo $DEPLOY_TOKEN")
    person.sees("  13\n  [secret:DEPLOY_TOKEN]")

    (log,) = person.home.glob("projects/*/*/events.jsonl")
    assert b"tok-12345678" not in log.read_bytes()


def test_output_is_escaped_and_a_long_one_cut(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!printf '\\033]0;title\\007seen\\n'; seq 200000")
    person.sees("  seen")
    person.until(lambda: len(person.log("command")) == 2)

    output = person.log("command")[1]["arguments"]["output"]
    assert len(output) <= 50_000
    assert output.endswith("200000\n")


def test_replay_shows_what_the_person_saw(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!echo one")
    person.sees("  one")
    person.types("!!echo two\r")
    person.sees("  two")
    person.types(CTRL_D)
    assert person.leaves() == 0
    (log,) = person.home.glob("projects/*/*/events.jsonl")
    replayed = subprocess.run(
        [sys.executable, "-m", "fsm_agent", "replay", str(log)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "> !echo one\n[tool] shell(echo one)\n  one\n" in replayed
    exported = subprocess.run(
        [sys.executable, "-m", "fsm_agent", "export", "--to", "markdown", str(log)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "echo one gave: one" in exported
    assert "echo two has ended" in exported
    assert "> !!echo two\n[tool] shell(echo two)\n  two\n" in replayed


def test_nothing_behind_the_mark_is_nothing(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("!")
    person.asks("hello")
    person.sees("All is well.")

    assert person.log("command") == []
