"""`replay` paints a session as the terminal showed it, whatever the log."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import pexpect
import pytest

from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events.lines import Line, encode, seal
from fsm_agent.interfaces.repainting import LONGEST_S
from fsm_agent.interfaces.replaying import main
from fsm_agent.testing.program import Ended, Program
from fsm_agent.testing.stage import Stage, say

GOOD = Path(__file__).parents[1] / "replays" / "1" / "good"
CLAUDE = b'{"type":"user","sessionId":"a","message":{"role":"user","content":"hi"}}\n'


Verb = Callable[..., Ended]


def replay(*arguments: object) -> int:
    return main(["replay", *map(str, arguments)])


@pytest.mark.parametrize("log", sorted(GOOD.glob("*.jsonl")), ids=lambda log: log.stem)
def test_a_log_is_painted_in_plain_text(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(log) == 0

    said = capsys.readouterr()
    assert "\n> go\n" in said.out
    assert "\x1b" not in said.out
    assert all(len(line) <= 80 for line in said.out.split("\n"))
    assert said.err == ""


async def test_what_a_log_says_does_not_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path, "---\ntext: \x1b]0;title\x07 \u202eback\n")
    await stage.play(say("\x1b[2J go"))

    assert replay(stage.directory) == 0
    said = capsys.readouterr().out
    assert "> \\x1b[2J go" in said
    assert "\\x1b]0;title\\x07 \\u202eback" in said
    assert "\x1b" not in said


async def test_plain_lines_are_without_colours_and_as_they_were_written(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "---\ntext: Some *words*.\n")
    await stage.play(say("go"))
    words = [sys.executable, "-m", "fsm_agent", "replay", str(stage.directory)]
    env = {**os.environ, "TERM": "xterm"}
    painted = pexpect.run(shlex.join(words), env=env)
    plain = pexpect.run(shlex.join([*words, "--plain"]), env=env)

    assert b"\x1b" in painted
    assert b"*" not in painted
    assert b"\x1b" not in plain
    assert b"\r\n> go\r\n\r\nSome *words*.\r\n" in plain


async def test_the_last_turns_are_painted_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path, "---\ntext: First.\n---\ntext: Second.\n---\ntext: Third.\n")
    await stage.play(say("one"), say("two"), say("three"))

    assert replay("--turns", 2, stage.directory) == 0
    said = capsys.readouterr().out
    assert [word for word in ("one", "two", "three") if f"\n> {word}\n" in said] == ["two", "three"]


async def test_speed_is_that_of_the_log_s_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, "---\ntext: First.\n---\ntext: Second.\n")
    await stage.play(say("one"), say("two"))
    times = [datetime.fromisoformat(line.time) for line in stage.lines if told_at(line)]
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    assert replay("--speed", 0.5, stage.directory) == 0
    assert sum(pauses) == pytest.approx((times[-1] - times[0]).total_seconds() / 0.5)
    assert "Second." in capsys.readouterr().out

    pauses.clear()
    assert replay("--speed", 0.000001, "--turns", 1, stage.directory) == 0
    assert sum(pauses) == LONGEST_S  # of one turn, and no pause is longer


def told_at(line: Line) -> bool:
    """Whether this line shows something: what was said, what was answered, the turn's end."""
    return isinstance(line.event, d.UserLine | d.Blocks) or (
        isinstance(line.event, d.Transition) and line.event.target == "answered"
    )


def test_a_reader_may_leave(program: Program, tmp_path: Path) -> None:
    shutil.copy(GOOD / "one-tool.jsonl", tmp_path / "events.jsonl")
    with program.start("replay", str(tmp_path)) as run:
        assert run.stdout
        run.stdout.close()
        assert run.stderr
        assert run.stderr.read() == b""
        assert run.wait() == 0


def test_a_session_s_own_terminal_shows_the_same(program: Program, verb: Verb) -> None:
    program.play("---\nthinking: Hm.\ntext: Hello.\n", "go")

    said = verb("replay").out.decode()

    assert said.split("\n")[:5] == ["", "> go", "Hm.", "", "Hello."]


BAD = {
    "empty": (b"", 5, "the log is empty"),
    "binary": (bytes(range(256)) * 9, 2, "no log of fsm-agent"),
    "another program's": (CLAUDE * 3, 2, "no log of fsm-agent"),
    "nul": (bytes(4096), 2, "no log of fsm-agent"),
}


@pytest.mark.parametrize("option", [(), ("--step",), ("--verify",)])
@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_log_is_said(
    option: Sequence[str], kind: str, tmp_path: Path, verb: Verb
) -> None:
    raw, code, message = BAD[kind]
    path = tmp_path / "events.jsonl"
    path.write_bytes(raw)

    run = verb("replay", *option, str(path))

    assert (run.code, message in run.err) == (code, True), run.err
    assert path.read_bytes() == raw


@pytest.mark.parametrize("name", ["nowhere", "", "a/b", "\0"])
def test_a_session_that_is_not_there_is_said(name: str, home: Path) -> None:
    with pytest.raises(UsageError, match="is no session's id, directory or log"):
        replay(name)


def test_damage_is_said_behind_what_is_proved(tmp_path: Path, verb: Verb) -> None:
    path = tmp_path / "events.jsonl"
    raw = (GOOD / "one-tool.jsonl").read_bytes()

    path.write_bytes(raw[:-9])
    run = verb("replay", str(path))
    assert (run.code, b"> go" in run.out, "a torn tail" in run.err) == (5, True, True)

    path.write_bytes(raw.replace(b'"text":"Done."', b'"text":"Gone."'))
    run = verb("replay", str(path))
    assert run.code == 3
    assert b"[tool] Read(a.py)" in run.out
    assert f"{path}:33: " in run.err


def test_a_sealed_line_that_speaks_of_nothing_is_damage(tmp_path: Path, verb: Verb) -> None:
    path = tmp_path / "events.jsonl"
    raw = (GOOD / "one-tool.jsonl").read_bytes()
    first = raw[: raw.index(b"\n", raw.index(b'"seal":')) + 1]
    previous = bytes.fromhex(first[-68:-4].decode())
    lost = Line(4, "2026-01-01T00:00:00.000Z", "derived", d.UserLine(instance="turn-1", of=99))
    path.write_bytes(first + seal([encode(lost)], previous, "0" * 16)[0])

    run = verb("replay", str(path))
    assert (run.code, "line 5: " in run.err) == (3, True), run.err
    run = verb("replay", "--step", str(path), said=b"g 4\n")
    assert (run.code, b"not taken in" in run.out) == (0, True), run.err


def test_an_unreadable_log_is_an_error_of_usage(verb: Verb, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.mkdir()

    assert verb("replay", str(tmp_path)).code == 2
    path.rmdir()
    path.symlink_to(tmp_path / "nowhere")
    assert verb("replay", str(path)).code == 2


@pytest.mark.parametrize(
    "options",
    [["--verify", "--step"], ["--continue"], ["--turns", "0"], ["--speed", "nan"], ["--speed=-1"]],
)
def test_options_that_fit_nowhere_are_refused(options: list[str], verb: Verb) -> None:
    assert verb("replay", *options, str(GOOD / "retry.jsonl")).code == 2


@pytest.mark.parametrize("path", ["events.jsonl", "."])
def test_an_empty_log_proves_nothing(path: str, tmp_path: Path, verb: Verb) -> None:
    (tmp_path / "events.jsonl").touch()

    run = verb("replay", "--verify", str(tmp_path / path))

    assert (run.code, run.out) == (5, b"")
    assert "there is nothing to verify" in run.err


def test_a_number_that_is_too_large_is_refused(verb: Verb) -> None:
    for number in ("9" * 20, "9" * 5000):
        run = verb("replay", "--turns", number, str(GOOD / "retry.jsonl"))
        assert (run.code, "digits is too large" in run.err) == (2, True), run.err


def test_a_name_does_not_steer_the_terminal(verb: Verb) -> None:
    run = verb("replay", "\x1b[2Jnowhere")

    assert (run.code, "\\x1b[2Jnowhere" in run.err, "\x1b" in run.err) == (2, True, False)
