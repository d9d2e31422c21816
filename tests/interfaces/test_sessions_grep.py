"""`sessions grep` finds a text in all logs, whatever state they are in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsm_agent.interfaces.searching import search
from fsm_agent.testing.program import Ended, Program

TALK = """\
---
text: The "quoted" word, and naïve text.\x1b[2J
call: Bash {"command": "echo needle in hay"}
---
text: Found.
"""


Finds = Callable[..., list[str]]


@pytest.fixture
def talked(program: Program) -> Program:
    """A session in which there is something to find."""
    assert program.play(TALK, "first question").code == 0
    return program


@pytest.fixture
def finds(talked: Program, verb: Callable[..., Ended]) -> Finds:
    """What is found there, line by line."""
    assert talked.sessions

    def find(*arguments: str) -> list[str]:
        run = verb("sessions", "grep", *arguments)
        assert (run.code, run.err) == (0, "" if run.out else "nothing was found\n")
        return run.out.decode().splitlines()

    return find


def test_it_names_session_line_type_and_place(talked: Program, finds: Finds) -> None:
    session = talked.sessions[-1].name
    (call,) = talked.log("tool_call")
    (result,) = talked.log("tool_result")

    said = finds("needle")

    assert f"{session} {call['seq']} tool_call: echo needle in hay" in said
    assert any(line.startswith(f"{session} {result['seq']} tool_result: ") for line in said)


def test_it_finds_texts_as_they_were_said_and_nothing_else(finds: Finds) -> None:
    for text in ('"quoted"', "naïve", "first question"):
        assert any(text in line for line in finds(text))
    for text in ("nothing like it", "derived", "seal", "transition"):  # the log's own words
        assert finds(text) == []


def test_what_is_found_does_not_steer_the_terminal(finds: Finds) -> None:
    assert any("\\x1b[2J" in line for line in finds("naïve"))


def test_it_looks_into_other_directories_when_told(
    finds: Finds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = finds("needle")
    monkeypatch.chdir(tmp_path)

    assert finds("needle") == []
    assert finds("needle", "--all") == here


def test_damaged_logs_are_looked_into_as_far_as_they_can_be_read(
    talked: Program, finds: Finds
) -> None:
    log = talked.sessions[-1] / "events.jsonl"
    whole = finds("needle")

    before = b'\x00\xffneedle\n{"seq":"needle"}\n["needle"]\n'
    log.write_bytes(before + log.read_bytes() + b'"needle')

    assert finds("needle") == whole


def test_a_long_text_is_cut_around_what_was_found(tmp_path: Path) -> None:
    log = tmp_path / "session" / "events.jsonl"
    log.parent.mkdir()
    text = f"{'a' * 500}needle{'b' * 500}"
    log.write_text(f'{{"seq":7,"time":"","kind":"input","type":"text","text":"{text}"}}\n')

    (one,) = search(log, "needle")

    assert (one.session, one.seq, one.type) == ("session", 7, "text")
    assert one.excerpt == f"…{'a' * 40}needle{'b' * 40}…"


def test_without_it_sessions_are_listed(talked: Program, verb: Callable[..., Ended]) -> None:
    assert talked.sessions
    assert b"first question" in verb("sessions").out


def test_nothing_is_looked_for_without_a_text(talked: Program, verb: Callable[..., Ended]) -> None:
    run = verb("sessions", "grep", "")

    assert (run.code, "no text to look for" in run.err) == (2, True)
    assert talked.sessions
