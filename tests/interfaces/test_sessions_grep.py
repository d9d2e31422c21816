"""`sessions grep` finds a text in all logs, whatever state they are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.interfaces.searching import search
from fsm_agent.interfaces.verbs import main
from fsm_agent.testing.program import Program

TALK = """\
---
text: The "quoted" word, and naïve text.\x1b[2J
call: Bash {"command": "echo needle in hay"}
---
text: Found.
"""


@pytest.fixture
def talked(program: Program) -> Program:
    assert program.play(TALK, "first question").code == 0
    return program


def found(program: Program, text: str, *options: str, cwd: Path | None = None) -> list[str]:
    run = program.run("sessions", "grep", text, *options, cwd=cwd or program.cwd)
    assert run.code == 0
    return run.out.decode().splitlines()


def test_it_names_session_line_type_and_place(talked: Program) -> None:
    session = talked.sessions[-1].name
    (call,) = talked.log("tool_call")
    (result,) = talked.log("tool_result")

    said = found(talked, "needle")

    assert f"{session} {call['seq']} tool_call: echo needle in hay" in said
    assert any(line.startswith(f"{session} {result['seq']} tool_result: ") for line in said)


@pytest.mark.parametrize("text", ['"quoted"', "naïve", "first question"])
def test_it_finds_texts_as_they_were_said(text: str, talked: Program) -> None:
    assert any(text in line for line in found(talked, text))


@pytest.mark.parametrize("text", ["nothing like it", "derived", "seal", "transition"])
def test_it_does_not_look_into_the_log_s_own_words(text: str, talked: Program) -> None:
    run = talked.run("sessions", "grep", text)

    assert (run.code, run.out, run.err) == (0, b"", "nothing was found\n")


def test_what_is_found_does_not_steer_the_terminal(talked: Program) -> None:
    assert any("\\x1b[2J" in line for line in found(talked, "naïve"))


def test_it_looks_into_other_directories_when_told(talked: Program) -> None:
    other = talked.cwd / "other"
    other.mkdir()

    assert found(talked, "needle", cwd=other) == []
    assert found(talked, "needle", "--all", cwd=other) == found(talked, "needle")


def test_damaged_logs_are_looked_into_as_far_as_they_can_be_read(talked: Program) -> None:
    log = talked.sessions[-1] / "events.jsonl"
    whole = found(talked, "needle")

    log.write_bytes(
        b'\x00\xffneedle\n{"seq":"needle"}\n["needle"]\n' + log.read_bytes() + b'"needle'
    )

    assert found(talked, "needle") == whole


def test_a_long_text_is_cut_around_what_was_found(tmp_path: Path) -> None:
    log = tmp_path / "session" / "events.jsonl"
    log.parent.mkdir()
    text = f"{'a' * 500}needle{'b' * 500}"
    log.write_text(f'{{"seq":7,"time":"","kind":"input","type":"text","text":"{text}"}}\n')

    (one,) = search([log], "needle")

    assert (one.session, one.seq, one.type) == ("session", 7, "text")
    assert one.excerpt == f"…{'a' * 40}needle{'b' * 40}…"


def test_plain_sessions_still_lists(talked: Program) -> None:
    assert main(["sessions"]) == 0
    assert b"first question" in talked.run("sessions").out
