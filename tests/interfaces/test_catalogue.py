"""Sessions to choose from: what is known of them, which hold a text."""

from __future__ import annotations

import os
import shutil

import pytest

from fsm_agent.interfaces.amounts import age
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.listing import glance
from fsm_agent.testing.program import Program


@pytest.fixture
def talked(program: Program) -> Program:
    """Two sessions here, one elsewhere."""
    elsewhere = program.cwd.with_name("elsewhere")
    elsewhere.mkdir()
    program.play("text: Grün, said the model.", "which colour \x1b[31m")
    program.play("text: None.", "nothing to see")
    program.play("text: Far away.", "which place", cwd=elsewhere)
    for second, session in enumerate(program.sessions):
        os.utime(session / "events.jsonl", (second, second))
    return program


def names(program: Program, text: str, *, everywhere: bool = False) -> list[str]:
    found = Catalogue(program.home, program.cwd).looked_into(text, everywhere=everywhere)
    first = {session: glance(session).first.split()[0] for session in program.sessions}
    return [first[directory] for directory, excerpt in found if excerpt is not None]


def test_both_ends_of_a_log_are_seen_and_nothing_in_them_steers_a_terminal(
    talked: Program,
) -> None:
    seen = [glance(session) for session in talked.sessions]

    told = {(one.first, one.last, one.turns, one.changed) for one in seen}
    assert (r"which colour \x1b[31m", "Grün, said the model.", 1, 0.0) in told
    assert {one.cwd for one in seen} == {str(talked.cwd), str(talked.cwd.with_name("elsewhere"))}


def test_sessions_of_this_directory_come_unless_all_are_wanted(talked: Program) -> None:
    assert names(talked, "") == ["nothing", "which"]
    assert names(talked, "", everywhere=True) == ["which", "nothing", "which"]


def test_a_text_is_found_in_what_was_said_in_big_and_small_letters(talked: Program) -> None:
    assert names(talked, "GRÜN, SAID") == ["which"]
    assert names(talked, "which", everywhere=True) == ["which", "which"]
    assert names(talked, str(talked.cwd)) == []  # each session begins with it
    assert names(talked, "purple", everywhere=True) == []


def test_a_session_is_found_by_its_name_without_an_excerpt(talked: Program) -> None:
    session = talked.sessions[0]
    found = Catalogue(talked.home, talked.cwd).looked_into(session.name, everywhere=True)

    assert [place for place, excerpt in found if excerpt == ""] == [session]


def test_a_log_that_is_damaged_cut_off_or_gone_is_seen_all_the_same(talked: Program) -> None:
    damaged, torn, gone = talked.sessions
    (damaged / "events.jsonl").write_bytes(b"\xff\x00not a log\n" * 3)
    (torn / "events.jsonl").write_bytes((torn / "events.jsonl").read_bytes()[:-30])
    shutil.rmtree(gone)

    assert glance(damaged).first == "(empty)"
    assert glance(torn).first
    assert glance(gone).first == "(cannot be read: No such file or directory)"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3 * 60 + 1, "3 min ago"),
        (3600, "1 hour ago"),
        (2 * 86400, "2 days ago"),
        (15 * 86400, "2 weeks ago"),
        (800 * 86400, "114 weeks ago"),
    ],
)
def test_an_age_is_said_in_its_largest_unit(seconds: float, words: str) -> None:
    assert age(seconds) == words
