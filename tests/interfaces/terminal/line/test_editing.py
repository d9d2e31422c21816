"""Keys of emacs and vi, and an editor of one's own."""

from __future__ import annotations

import signal
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.line.editing import Editor

ANSWER = "text: All is well.\n"
HANGING = "text: It begins\nhang\n"
ESC, CTRL_A, CTRL_C, CTRL_D, CTRL_G = "\x1b", "\x01", "\x03", "\x04", "\x07"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def editor(folder: Path, body: str) -> Path:
    """A program that edits the file that it is given last."""
    program = folder / "my editor"
    program.write_text(f"#!/bin/sh\nfor file; do :; done\n{body}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"VISUAL": "code -w", "EDITOR": "vi"}, ["code", "-w"]),
        ({"VISUAL": " ", "EDITOR": "'my editor' \"-c x\""}, ["my editor", "-c x"]),
    ],
)
def test_visual_comes_before_editor_in_shell_words(
    environment: dict[str, str], command: list[str]
) -> None:
    assert Editor(environment).command() == command


@pytest.mark.parametrize(
    ("environment", "said"),
    [({}, "no editor is named"), ({"EDITOR": "'vi"}, "EDITOR is no command: No closing quotation")],
)
def test_what_is_wrong_with_it_is_said(environment: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Editor(environment).command()


@pytest.mark.parametrize("keys", [CTRL_G, "\x18\x05"])
def test_an_editor_gets_the_line_with_its_pastes_and_gives_it_back(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str
) -> None:
    program = editor(tmp_path, 'stty -a | grep -q " icanon" && echo "$1 was here" >> "$file"')
    monkeypatch.setenv("VISUAL", f"'{program}' --flag")
    person = sits_down(ANSWER)
    paste = "\r".join(["row"] * 12)
    person.asks(f"\x1b[200~{paste}\x1b[201~{keys}")
    person.sees("--flag was here")
    person.types("\r")
    person.sees("All is well.")

    rows = "\n".join(["row"] * 12)
    assert [line["text"] for line in person.log("user_input")] == [f"{rows}\n--flag was here"]
    person.types(CTRL_D)
    assert person.leaves() == 0
    assert termios.tcgetattr(person.child.child_fd) == person.modes


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "· no editor is named: set VISUAL or EDITOR"),
        ("nowhere-editor", "· nowhere-editor cannot be started: No such file or directory"),
        ("sh -c 'exit 3'", "· sh failed (exit code 3); the line is as it was"),
    ],
)
def test_a_line_is_as_it_was_where_no_editor_can_be_had(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", value)
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"my line{CTRL_G}")
    person.sees(said)
    person.sees("> my line")


def test_what_happens_meanwhile_is_shown_after_it(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = editor(tmp_path, 'echo open; sleep 1; echo more > "$file"; echo shut')
    monkeypatch.setenv("VISUAL", f"'{program}'")
    person = sits_down(f"delay: 0.5\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types(f"half{CTRL_G}")
    person.sees("All is well.")
    person.sees("> more")

    text = person.text()
    assert text.index("open") < text.index("shut") < text.index("All is well.")


def test_control_c_in_the_editor_is_the_editor_s(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = editor(
        tmp_path,
        "trap 'echo caught > \"$file\"; exit 0' INT; echo open; while :; do sleep 0.1; done",
    )
    monkeypatch.setenv("VISUAL", f"'{program}'")
    person = sits_down(f"{HANGING}---\n{ANSWER}")
    person.asks("one")
    person.sees("It begins")
    person.types(CTRL_G)
    person.sees("open")
    person.types(CTRL_C)
    person.sees("> caught")

    assert person.log("interrupt") == []


def test_a_session_that_ends_ends_the_editor(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = editor(tmp_path, "echo open; exec sleep 60")
    monkeypatch.setenv("VISUAL", f"'{program}'")
    person = sits_down(ANSWER)
    person.asks("")
    person.types(CTRL_G)
    person.sees("open")
    person.child.kill(signal.SIGTERM)

    assert person.leaves() == 143
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_emacs_keys_edit_the_line(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks(f"world{CTRL_A}hello \x1bf!")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["hello world!"]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("one two\x17three", "one three"),
        ("one two\x17\x1f", "one two"),
        ("one two three\x1bb\x1bbX\x1bfY", "one XtwoY three"),
        ("mid\x1b[H<\x1b[F>", "<mid>"),
        ("one\x15two \x19\x01\x0b\x19", "two one"),
        ("日本e\u0301語\x7f\x7f\x7f!", "日本!"),
        ("one\0 two\x7f", "one tw"),  # a mark, and typing goes on
        ("one two\0\x1bb\x17!", "one !"),  # a marked region
    ],
)
def test_a_line_is_edited_as_in_emacs(sits_down: Sits, keys: str, text: str) -> None:
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"{keys}\r")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == [text]


def test_control_l_clears_the_screen_and_loses_nothing(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("one")
    person.sees("All is well.")
    person.types("half")
    person.sees("> half")
    rows = len(person.text().split("\n"))
    person.types("\x0c")
    person.until(lambda: len(person.text().split("\n")) > rows)
    person.types(" more")
    person.sees("> half more")

    assert person.text().count("All is well.") == 1
    assert person.text().count("> half") == 1
    assert person.text().split("\n")[-23].startswith("> half more")


@pytest.mark.parametrize("how", ["option", "environment"])
def test_vi_keys_edit_the_line(sits_down: Sits, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "environment":
        monkeypatch.setenv("FSM_AGENT_KEYS", "vi")
    person = sits_down(ANSWER, *(["--keys", "vi"] if how == "option" else []))
    person.asks("")
    person.types("one two three")
    person.sees("> one two three")
    person.types(ESC)
    time.sleep(0.1)
    for key in "0dwi":  # as slow as a person
        person.types(key)
        time.sleep(0.05)
    person.types("\x1b\rzero \r")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["\nzero two three"]
    person.types(CTRL_D)
    assert person.leaves() == 0


def test_with_vi_keys_the_escape_that_ends_typing_does_not_interrupt(sits_down: Sits) -> None:
    person = sits_down(HANGING, "--keys", "vi")
    person.asks("one")
    person.sees("It begins")
    person.types(f"next{ESC}")
    time.sleep(0.3)
    person.types("0x")
    person.sees("> ext")
    assert person.log("interrupt") == []
    person.types(ESC)

    assert person.sees("interrupted ·") < 1


def test_keys_that_nobody_knows_are_refused(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSM_AGENT_KEYS", "nano")
    person = sits_down(ANSWER)

    assert person.leaves() == 2
    assert "FSM_AGENT_KEYS: 'nano' is neither emacs nor vi" in person.text()


def test_only_keys_that_are_meant_to_end_the_session(sits_down: Sits) -> None:
    looks_like_a_mouse, comments = "\x1b[31m\x1b[31;5;7m\x1b[M   ", "\x1b#"
    person = sits_down(ANSWER)
    person.asks(f"{looks_like_a_mouse}kept{comments}")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["#kept"]
