"""Logs that forks name may be gone, damaged, or name each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.context.prompt import Surroundings
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.items import Noted, Said, UserSaid
from fsm_agent.interfaces.terminal.origins import told_before
from fsm_agent.runtime.clock import SystemClock
from fsm_agent.runtime.places import all_sessions
from fsm_agent.runtime.salvage import Legacy
from fsm_agent.runtime.session import Session
from fsm_agent.testing.program import Program


def fork(source: str, at: int | None = None) -> i.SessionFork:
    if at is None:
        return i.SessionFork(source=source, reason="damage", messages="")
    return i.SessionFork(source=source, reason="fork", messages="", at=at)


@pytest.fixture
def origin(program: Program) -> Path:
    assert program.play("text: One.", "line 1").code == 0
    return next(all_sessions(program.home))


def test_what_was_said_up_to_there(program: Program, origin: Path) -> None:
    whole = [item for _, item in told_before(fork(origin.name, 9999), program.home)]

    assert whole[:2] == [UserSaid("line 1"), Said("One.")]
    assert list(told_before(fork(origin.name, 3), program.home)) == []


@pytest.mark.parametrize("name", ["20261130-000000-0000", "../..", "", "a\nb"])
def test_of_a_session_that_is_not_there_nothing(program: Program, name: str) -> None:
    assert list(told_before(fork(name, 9999), program.home)) == []


def test_of_a_damaged_log_what_proves_out(program: Program, origin: Path) -> None:
    log = origin / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"One.", b"Two."))

    told = [item for _, item in told_before(fork(origin.name), program.home)]
    assert UserSaid("line 1") in told
    assert Said("Two.") not in told


def test_a_log_that_names_itself_comes_to_an_end(program: Program) -> None:
    session = Session.create(program.home, program.cwd, SystemClock())
    session.inherit(fork(session.name, 9999), Legacy())
    settings = i.Settings(protocol="scripted", model="m")
    list(session.begin(settings, (), Surroundings("en", str(program.cwd), "/", "linux", "sh")))
    session.close()

    told = [item for _, item in told_before(fork(session.name, 9999), program.home)]
    assert {type(item) for item in told} == {Noted}
