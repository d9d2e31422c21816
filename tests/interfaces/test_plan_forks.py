"""Who goes on from another session has its plan, draft and summary."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.testing import ModelServer
from fsm_agent.testing.program import Program

Planner = Callable[..., AbstractContextManager[ModelServer]]

PLAN, DRAFT = "1. Port the parser.", "1. Port the parser. 2. Test it."
CONFIRM, DONE = "call: PlanConfirm {}", "text: Done."


def write(text: str) -> str:
    return f'call: Write {{"path": "DRAFT", "content": "{text}"}}'


@pytest.fixture
def original(program: Program, planner: Planner) -> Path:
    """A session with a summary, a plan in force, and the draft of another in its last turn but one."""
    with planner(DONE, write(PLAN), DONE, CONFIRM, DONE, write(DRAFT), DONE, DONE):
        for number, line in enumerate(("look", "plan it", "go", "and tests", "last")):
            assert program.run(*["-c"][: number > 0], line).code == 0
    return program.sessions[-1]


def seq_of(session: Path, program: Program, line: str) -> int:
    lines = program.log("user_input", session)
    return next(int(given["seq"]) for given in lines if given["text"] == line)


def at(server: ModelServer) -> tuple[str, str]:
    """Where to ask: not where the original did."""
    return "--base-url", f"{server.url}/v1"


def check(program: Program, session: Path, request: dict[str, Any]) -> None:
    """Plan and summary are in the prompt, the draft is one again, and the log holds."""
    system = request["messages"][0]["content"]
    assert f'<current-plan name="{session / "plan.md"}">\n{PLAN}\n</current-plan>' in system
    assert "<context-snapshot>\nTask focus: the plan.\n</context-snapshot>" in system
    assert (session / "plan.draft").read_text() == DRAFT
    assert (session / "plan.md").read_text() == PLAN
    assert [line["state"] for line in program.log("plan", session)] == ["drafting"]
    assert program.run("replay", session.name, "--verify").code == 0
    assert program.run("audit", session.name).code == 0


def test_a_fork_has_plan_draft_and_summary(
    original: Path, program: Program, planner: Planner
) -> None:
    seq = seq_of(original, program, "last")
    with planner(DONE) as server:
        run = program.run("fork", f"{original.name}@{seq}", *at(server))

    assert run.code == 0, run.err
    fork = program.sessions[-1]
    assert fork != original
    check(program, fork, server.requests[0].json())


def test_a_fork_from_before_the_plan_has_none(
    original: Path, program: Program, planner: Planner
) -> None:
    seq = seq_of(original, program, "plan it")
    with planner(DONE) as server:
        assert program.run("fork", f"{original.name}@{seq}", *at(server)).code == 0

    said = server.requests[0].json()["messages"]
    assert "current-plan name" not in said[0]["content"]
    assert [message["content"] for message in said[1:]] == ["look", "Done.", "plan it"]
    assert (program.sessions[-1] / "plan.draft").read_text() == ""


def test_a_fork_from_before_a_turn_that_cut_has_the_whole_conversation(
    original: Path, program: Program, planner: Planner
) -> None:
    seq = seq_of(original, program, "go")
    with planner(DONE) as server:
        program.run("fork", f"{original.name}@{seq}", *at(server))

    system, first, *_, last = server.requests[0].json()["messages"]
    assert (first["content"], last["content"]) == ("look", "go")
    assert "<context-snapshot>" not in system["content"]
    assert (program.sessions[-1] / "plan.draft").read_text() == PLAN


def test_a_draft_of_a_fork_can_be_confirmed(
    original: Path, program: Program, planner: Planner
) -> None:
    seq = seq_of(original, program, "last")
    with planner(CONFIRM, DONE) as server:
        program.run("fork", f"{original.name}@{seq}", *at(server), "--edit", "line=go")

    assert DRAFT in server.requests[-1].json()["messages"][0]["content"]
    assert program.log("plan")[-1]["state"] == "executing"


def test_what_goes_on_from_a_damaged_log_has_them_too(
    original: Path, program: Program, planner: Planner
) -> None:
    log = original / "events.jsonl"
    raw = log.read_bytes()
    at = raw.index(b'"text":"last"')
    log.write_bytes(raw[:at] + b"X" + raw[at + 1 :])
    with planner(DONE) as server:
        run = program.run("-c", "go on")

    assert run.code == 0, run.err
    new = program.sessions[-1]
    assert new != original
    check(program, new, server.requests[0].json())


def test_a_resume_has_them_all(original: Path, program: Program, planner: Planner) -> None:
    with planner(DONE) as server:
        program.run("-c", "go on")

    system = server.requests[0].json()["messages"][0]["content"]
    assert PLAN in system
    assert "Task focus: the plan." in system
    assert (original / "plan.draft").read_text() == DRAFT
