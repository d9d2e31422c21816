"""What is under way is told once, and again when it goes on for long."""

from __future__ import annotations

import pytest

from fsm_agent.interfaces.painting.items import Act, Call, Status
from fsm_agent.interfaces.terminal.telling import Announcer, told

T0 = "2026-11-30T09:00:00.000Z"
IDLE, ASKED = Status(), Status(doing="waiting", since=T0)
PYTEST = Act(Call("Bash", "pytest -q"), "running", T0)
LIST = Act(Call("Glob", "*"), "running", T0)


def working(*acts: Act) -> Status:
    return Status(doing="running", since=T0, acts=acts)


def news(announcer: Announcer, status: Status, now: float, *held: str) -> list[str]:
    return list(announcer.news(status, held, busy=status.doing != "idle", now=now))


def test_what_lasts_is_told_once() -> None:
    announcer = Announcer()

    assert news(announcer, ASKED, 100) == []
    assert news(announcer, ASKED, 100.2) == []
    assert news(announcer, ASKED, 100.4) == ["waiting for the model"]
    assert news(announcer, ASKED, 100.6) == []
    assert news(announcer, Status(doing="answering", since=T0), 101) == []
    assert news(announcer, working(PYTEST), 102) == []
    assert news(announcer, working(PYTEST), 103) == ["working: Bash(pytest -q)"]


def test_what_is_over_soon_is_not_told() -> None:
    announcer = Announcer()
    told_of = [
        *news(announcer, ASKED, 100),
        *news(announcer, working(LIST), 100.2),
        *news(announcer, ASKED, 100.4),
        *news(announcer, IDLE, 100.6),
        *news(announcer, IDLE, 200),
    ]

    assert told_of == []


def test_what_goes_on_is_told_every_ten_seconds_in_which_nothing_else_is_said() -> None:
    announcer = Announcer()
    said = {now: news(announcer, working(PYTEST), now) for now in range(100, 125)}
    announcer.heard(125)
    said |= {now: news(announcer, working(PYTEST), now) for now in range(125, 140)}

    assert {now: texts for now, texts in said.items() if texts} == {
        101: ["working: Bash(pytest -q)"],
        110: ["still working: Bash(pytest -q), 10 s"],
        120: ["still working: Bash(pytest -q), 20 s"],
        135: ["still working: Bash(pytest -q), 35 s"],
    }


def test_a_line_that_waits_is_told_once_even_beside_one_that_is_the_same() -> None:
    announcer = Announcer()
    queued = Status(doing="waiting", since=T0, queued={3: "go on"}, injected=("stop \x1b",))

    assert news(announcer, queued, 100) == ["inject: stop \\x1b", "queued: go on"]
    assert news(announcer, queued, 100.1, "go on") == ["queued: go on"]
    assert news(announcer, queued, 100.2, "go on") == []
    assert news(announcer, ASKED, 100.25) == []
    assert news(announcer, queued, 100.28) == ["inject: stop \\x1b", "queued: go on"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (IDLE, "working"),
        (Status(doing="summing", since=T0), "summing up the conversation"),
        (working(PYTEST, LIST), "working: Bash(pytest -q), Glob(*)"),
        (working(*[LIST] * 5), "working: Glob(*), Glob(*), Glob(*) and 2 more"),
        (working(Act(PYTEST.call, "stopping", T0)), "stopping: Bash(pytest -q)"),
        (working(Act(PYTEST.call, "asking", T0), LIST), "working: Glob(*)"),
        (working(Act(PYTEST.call, "asking", T0)), ""),
    ],
)
def test_the_words(status: Status, words: str) -> None:
    assert told(status, busy=True) == words


def test_nothing_is_said_of_a_session_at_rest() -> None:
    assert told(IDLE, busy=False) == ""


def test_a_pause_has_a_line_of_its_own_and_is_told_only_when_it_is_long() -> None:
    announcer = Announcer()
    pausing = Status(doing="pausing", since=T0)
    said = [text for now in range(100, 112) for text in news(announcer, pausing, now)]

    assert said == ["still waiting to try again, 10 s"]
