"""A session as lines: nothing is drawn, and nothing is taken back."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CTRL_C, CTRL_D = "\x03", "\x04"
ANSWER = "text: All is well.\nusage: 1200 34\n"
HANGING = "text: It begins\nhang\n"
SLEEP = 'call: Bash {"command": "sleep 60"}\n'
PAUSE = 'call: Bash {"command": "sleep 1"}\n'
WRITE = 'call: Write {"path": "a.txt", "content": "one\\n"}\n'
LISTED = """\
text:
    # Two

    | a | b |
    | - | - |
    | 1 | *2* |
usage: 1200 34
"""

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture
def reads(sits_down: Sits) -> Iterator[Sits]:
    """Whoever sits there gets lines and nothing else; that is looked at when they have left."""
    written: list[io.BytesIO] = []

    def begin(script: str, *options: str, terminal: str = "dumb") -> Any:
        person = sits_down(script, *options, terminal=terminal)
        written.append(io.BytesIO())
        person.child.logfile_read = written[-1]
        return person

    yield begin
    for all_of_it in written:
        lines = all_of_it.getvalue().replace(b"\r\n", b"\n")
        assert lines
        assert not {b"\x1b", b"\r", b"\b", b"\a"} & {bytes([byte]) for byte in lines}


def after(person: Any, text: str) -> str:
    """What stands behind the last place of a text."""
    return str(person.text().rpartition(text)[2]).strip()


def test_two_turns_in_lines_and_the_terminal_as_it_was(reads: Sits) -> None:
    person = reads(f"{LISTED}---\ntext: Well.\n")
    person.asks("list them")
    person.sees("s · 1,200 tokens in, 34 out")
    person.asks("and now?")
    person.sees("Well.")
    assert termios.tcgetattr(person.child.child_fd) == person.modes
    person.types(CTRL_D)

    assert person.leaves() == 0
    assert "> list them\n\n# Two\n\n| a | b |\n| - | - |\n| 1 | *2* |\n· 0." in person.text()
    assert person.ends() == ["answered", "answered"]
    assert termios.tcgetattr(person.child.child_fd) == person.modes


@pytest.mark.parametrize("terminal", ["dumb", "unknown", ""])
def test_a_terminal_that_cannot_be_drawn_on_gets_lines_and_that_is_said(
    reads: Sits, terminal: str
) -> None:
    person = reads(ANSWER, terminal=terminal)
    person.asks("hello")
    person.sees("All is well.")

    assert "plain lines, as with --plain" in person.text()


def test_lines_can_be_wanted_at_any_terminal(reads: Sits, monkeypatch: pytest.MonkeyPatch) -> None:
    optional = reads(ANSWER, "--plain", terminal="xterm-256color")
    optional.asks("hello")
    optional.sees("All is well.")
    monkeypatch.setenv("FSM_AGENT_PLAIN", "1")
    set_up = reads(ANSWER, terminal="xterm-256color")
    set_up.asks("hello")
    set_up.sees("All is well.")

    assert "--plain" not in optional.text() + set_up.text()


def test_a_setting_that_is_none_is_refused(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSM_AGENT_PLAIN", "please")
    person = sits_down(ANSWER)

    assert person.leaves() == 2
    assert "FSM_AGENT_PLAIN: 'please' is neither 0 nor 1" in person.text()


def test_a_line_that_ends_in_a_backslash_goes_on(reads: Sits) -> None:
    person = reads(ANSWER)
    person.asks("one\\\rtwo")
    person.sees("All is well.")
    person.asks("!echo a \\\rb")
    person.sees("[tool] shell(echo a")
    person.types(CTRL_D)
    person.leaves()

    assert [line["text"] for line in person.log("user_input")] == ["one\ntwo"]
    assert "  a b\n" in person.text()


def test_what_is_under_way_is_told_once_and_an_interrupted_turn_is_gone_on_with(
    reads: Sits,
) -> None:
    person = reads(f"{SLEEP}---\n{ANSWER}", "--auto-approve")
    person.asks("hello")
    person.sees("· working: Bash(sleep 60)")
    person.types(CTRL_C)
    person.sees("· interrupted ·")
    person.sees("· Enter goes on with the turn that was cut short")
    assert person.text().count("working: Bash(sleep 60)") == 1
    person.until(lambda: after(person, "cut short") == "allow >")
    person.types("\r")
    person.sees("All is well.")

    assert person.ends() == ["interrupted", "answered"]


def test_a_line_waits_comes_back_and_is_put_into_the_turn(reads: Sits) -> None:
    person = reads(f"{PAUSE}---\n{PAUSE}---\n{ANSWER}", "--auto-approve")
    person.asks("hello")
    person.sees("· working: Bash(sleep 1)")
    person.types("then this\r")
    person.sees("· queued: then this")
    person.types("/back\r")
    person.sees("· back at the prompt; Enter hands it in, what you type is added:\n  then this")
    person.types("/back\r")
    person.sees("/back: no line waits")
    person.types("/inject and two\r")
    person.sees("> [inject] and two")
    person.sees("All is well.")
    person.types("now\r")
    person.until(lambda: len(person.log("user_input")) == 3)

    texts = [line["text"] for line in person.log("user_input")]
    assert texts == ["hello", "then this", "then this\nnow"]


def test_injecting_is_for_a_line_and_begins_a_turn_at_rest(reads: Sits) -> None:
    person = reads(ANSWER)
    person.asks("/inject")
    person.sees("/inject: it takes the line")
    person.types("/inject hello\r")
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["hello"]


def test_what_was_typed_before_a_question_is_no_answer_to_it(reads: Sits, workspace: Path) -> None:
    person = reads(f"{PAUSE}{WRITE}---\n{ANSWER}", "--permission", "ask")
    person.asks("hello")
    person.sees("[y/n/c]?")
    person.answers("y")
    person.sees("· working: Bash(sleep 1)")
    person.types("y")  # the line is not handed in yet
    person.sees("[y/n/e]?")
    person.types("perhaps\r")
    person.sees("that is no answer")
    assert not (workspace / "a.txt").exists()
    person.until(lambda: after(person, "that is no answer").endswith("\n[y/n/e]?"))
    person.answers("y")
    person.sees("All is well.")

    assert (workspace / "a.txt").read_text() == "one\n"
    assert [line["text"] for line in person.log("user_input")] == ["hello"]


def test_a_line_that_was_begun_before_a_question_stands_is_kept_for_after_it(reads: Sits) -> None:
    bash = 'call: Bash {"command": "true"}\n'
    person = reads(f"delay: 0.2\n{bash}---\n{ANSWER}---\n{ANSWER}", "--permission", "ask")
    person.asks("hello\rbegun\\")
    person.sees("[y/n/c]?")
    person.answers("y")
    person.sees("· back at the prompt; Enter hands it in, what you type is added:\n  begun\n")
    person.until(lambda: person.text().rstrip().endswith("\n>"))
    person.types("ended\r")
    person.until(lambda: person.ends() == ["answered", "answered"])

    assert [line["text"] for line in person.log("user_input")] == ["hello", "begun\nended"]


def test_a_line_is_read_however_it_comes(reads: Sits) -> None:
    person = reads(ANSWER)
    person.until(lambda: ">" in person.text())
    for byte in "größer ←\r".encode():
        person.child.send(bytes([byte]))
    person.sees("All is well.")

    assert [line["text"] for line in person.log("user_input")] == ["größer ←"]


def test_a_line_longer_than_a_terminal_hands_over_is_not_sent_as_if_it_were_whole(
    reads: Sits,
) -> None:
    person = reads(ANSWER)
    person.until(lambda: ">" in person.text())
    for _ in range(10):
        person.types("x" * 500)
        person.reads(0.01)
    person.types("\r")
    person.sees("only 4,095 bytes of that line came")
    assert person.log("user_input") == []
    person.types("\r")
    person.sees("All is well.")

    assert [len(line["text"]) for line in person.log("user_input")] == [4095]


def test_ctrl_c_drops_what_came_back_and_twice_leaves(reads: Sits) -> None:
    person = reads(f"{SLEEP}---\n{ANSWER}", "--auto-approve")
    person.asks("hello")
    person.sees("· working")
    person.types("more\r")
    person.sees("· queued: more")
    person.types(CTRL_C)
    person.sees("· back at the prompt; Enter hands it in, what you type is added:\n  more")
    person.until(lambda: person.text().rstrip().endswith("allow >"))
    person.types(CTRL_C)
    person.until(lambda: person.text().count("^C\nallow >") == 1)
    person.types(CTRL_C)
    person.sees("· Ctrl-C again leaves")
    person.types(CTRL_C)

    assert person.leaves() == 130
    assert termios.tcgetattr(person.child.child_fd) == person.modes


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_and_closes_the_turn(reads: Sits, number: int, code: int) -> None:
    person = reads(HANGING)
    person.asks("hello")
    person.sees("waiting for the model")
    person.child.kill(number)

    assert person.leaves() == code
    assert person.ends() == ["interrupted"]
    assert termios.tcgetattr(person.child.child_fd) == person.modes


def test_a_terminal_that_is_gone_ends_it_and_closes_the_turn(reads: Sits) -> None:
    person = reads(HANGING)
    person.asks("hello")
    person.sees("waiting for the model")
    person.child.ptyproc.fileobj.close()
    person.child.ptyproc.wait()

    assert person.child.ptyproc.exitstatus == 129
    assert person.ends() == ["interrupted"]


def test_a_stopped_program_asks_for_its_line_again(reads: Sits) -> None:
    person = reads(ANSWER)
    person.until(lambda: ">" in person.text())
    person.child.kill(signal.SIGSTOP)
    person.child.kill(signal.SIGCONT)
    person.until(lambda: person.text().count(">") == 2)
    person.types("hello\r")
    person.sees("All is well.")


def test_the_library_that_draws_is_not_loaded() -> None:
    room = "fsm_agent.interfaces.terminal"
    looks = f"import sys, {room}.opening, {room}.plain; print('prompt_toolkit' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", looks], capture_output=True, check=True)

    assert ended.stdout == b"False\n"
