"""A wrong command line gets a clear word and a documented code."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from fsm_agent.testing.program import Ended, Program, ended

HELLO = "text: Hello."
NO_SESSION = {
    "an empty prompt": ([""], "there is no prompt"),
    "a blank prompt": (["-p", "  "], "there is no prompt"),
    "no prompt and no terminal": ([], "there is no prompt"),
    "an unknown flag": (["--wat", "go"], "unrecognized arguments: --wat"),
    "a limit of nothing": (["--max-turns", "0", "go"], "--max-turns: must be 1 or more"),
    "a limit that is no number": (["--max-turns", "٣", "go"], "'٣' is not a whole number"),
    "a session that is not there": (["--resume", "nope", "go"], "no session 'nope'"),
    "a session up the tree": (["--resume", "../../etc", "go"], "no session '../../etc'"),
    "a session that is the directory": (["--resume", ".", "go"], "no session '.'"),
    "a session that is the parent": (["--resume", "..", "go"], "no session '..'"),
    "a session without a name": (["--resume", "", "go"], "--resume needs the ID of a session here"),
    "going on with nothing": (["-c", "go"], "no session yet"),
    "no script": (["--script", "nowhere", "go"], "nowhere: the script cannot be read"),
    "a directory as script": (["--script", ".", "go"], "the script cannot be read"),
    "a script in another encoding": (["--script", "latin", "go"], "the script cannot be read"),
    "a script with a wrong word": (["--script", "wrong", "go"], "wrong:2: 'txt' is none of"),
    "scripted without a script": (["--protocol", "scripted", "go"], "--script FILE"),
    "an address that is none": (["--base-url", "localhost:1", "go"], "not an http or https"),
    "a port that is none": (["--base-url", "http://h:99999/v1", "go"], "not an http or https"),
    "half an address": (["--base-url", "http://[::1/v1", "go"], "not an http or https"),
    "a language that is none": (["--language", "no such", "go"], "'no such' is no locale"),
    "a password in the address": (["--base-url", "http://u:p@h/v1", "go"], "must not hold"),
    "a log that is not there": (["log", "nope"], "'nope' is no session"),
    "no log at all": (["log"], "no session yet"),
    "an unknown action": (["states", "wat"], "invalid choice: 'wat'"),
}


@pytest.mark.parametrize("name", NO_SESSION)
def test_a_wrong_command_line_is_exit_2_and_begins_no_session(name: str, program: Program) -> None:
    arguments, words = NO_SESSION[name]
    (program.cwd / "latin").write_bytes(b"text: gr\xfc\xdfe\n")
    (program.cwd / "wrong").write_text("text: one\ntxt: two\n")
    if not {"--script", "--protocol", "--base-url"} & set(arguments):
        program.environment["OPENAI_API_KEY"] = "sk-not-used"

    ended = program.run(*arguments)

    assert (ended.code, ended.out) == (2, b"")
    assert words in ended.err
    assert program.sessions == []


def test_without_a_key_the_three_ways_on_are_said(program: Program) -> None:
    ended = program.run("go")

    assert ended.code == 2
    for way in ("OPENAI_API_KEY", "--base-url", "fsm-agent demo"):
        assert way in ended.err


def test_a_variable_that_is_no_number_is_named(program: Program) -> None:
    program.environment["FSM_AGENT_RETRY_BASE_MS"] = "2s"

    ended = program.play(HELLO, "go")

    assert ended.code == 2
    assert "FSM_AGENT_RETRY_BASE_MS: '2s'" in ended.err


PROMPTS = {
    "not of this locale": ("grüß Gott".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0"}, "grüß Gott"),
    "no utf-8": (b"a\xffb", {}, "a\ufffdb"),
    "a dumb terminal": (b"plain", {"TERM": "dumb"}, "plain"),
    "latin-1 around it": ("→".encode(), {"PYTHONIOENCODING": "latin-1"}, "→"),
}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_in_any_encoding_is_a_prompt(name: str, program: Program) -> None:
    prompt, environment, understood = PROMPTS[name]
    program.environment |= {"PYTHONCOERCECLOCALE": "0"} | environment

    ended = program.play("text: Grüße → ☃", prompt)

    assert (ended.code, ended.out) == (0, "Grüße → ☃\n".encode())
    assert program.log("user_input")[0]["text"] == understood
    assert program.run("sessions").code == 0


def test_a_prompt_of_two_megabytes_is_piped_in_whole(program: Program) -> None:
    said = "wörter ".encode() * 300_000

    ended = program.play(HELLO, "-p", "count", said=said)

    assert (ended.code, ended.out) == (0, b"Hello.\n")
    (line,) = program.log("user_input")
    assert said.decode().rstrip() in line["text"]


def test_a_home_that_is_nowhere_named(program: Program, tmp_path: Path) -> None:
    program.environment |= {"XDG_STATE_HOME": str(tmp_path / "state")}
    for name in ("HOME", "FSM_AGENT_HOME"):
        program.environment.pop(name, None)

    ended = program.play(HELLO, "go")

    assert (ended.code, ended.out) == (0, b"Hello.\n")
    assert list(tmp_path.glob("state/fsm-agent/projects/*/*/events.jsonl"))


def test_a_directory_whose_name_is_no_text(program: Program) -> None:
    odd = program.cwd / "odd\udcff\u2028"
    odd.mkdir()
    (odd / "file\udcfe.txt").write_text("needle\n")
    calls = 'call: Glob {"pattern": "*"}\ncall: Grep {"pattern": "needle"}'

    ended = program.play(f"---\n{calls}\n---\ntext: Done.", "go", cwd=odd)
    again = program.play(f"---\n{calls}\n---\ntext: Done.\n---\ntext: Again.", "-c", "go", cwd=odd)

    assert (ended.code, again.code, again.out) == (0, 0, b"Again.\n")
    assert all("\ufffd" in line["content"] for line in program.log("tool_result"))


def test_a_pipe_that_says_nothing_is_waited_for_with_a_word(program: Program) -> None:
    process = program.start("--script", program.script(HELLO), "go", stdin=subprocess.PIPE)
    assert process.stderr

    assert b"waiting for what is piped in" in process.stderr.readline()
    assert ended(process, b"at last") == Ended(0, b"Hello.\n", "")
    assert "at last" in program.log("user_input")[0]["text"]


def test_ctrl_c_before_anything_began(program: Program) -> None:
    process = program.start("go", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b"x")
    process.stdin.flush()
    while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):
        time.sleep(0.01)  # until it has read that, and waits for more
    process.send_signal(signal.SIGINT)

    assert ended(process) == Ended(130, b"", "")
    assert program.sessions == []
