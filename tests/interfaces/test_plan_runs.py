"""A plan made by one run is carried out by another: that text, or nothing."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pytest

from fsm_agent.testing import ModelServer
from fsm_agent.testing.program import Program

Planner = Callable[..., AbstractContextManager[ModelServer]]

PLAN = "1. Write the note.\n2. Say so.\n"
HASH = hashlib.sha256(PLAN.encode()).hexdigest()
WRITE = f"call: Write {msgspec.json.encode({'path': 'DRAFT', 'content': PLAN}).decode()}"
ACT = 'call: Write {"path": "note.txt", "content": "noted"}'
READY, DONE = "text: The plan is ready.", "text: It is noted."
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "plan-then-execute.md"


def test_a_run_that_only_plans_answers_with_the_draft(program: Program, planner: Planner) -> None:
    with planner(f"{ACT}\n{WRITE}", READY):
        run = program.run("--plan-only", "plan a note")

    assert (run.code, run.out) == (9, PLAN.encode())
    assert f"plan ready: sha256 {HASH}\n" in run.err
    assert "The plan is ready." in run.err
    assert not (program.cwd / "note.txt").exists()
    assert [line["code"] for line in program.log("session_end")] == [9]


def test_its_json_has_the_draft_too(program: Program, planner: Planner) -> None:
    with planner(WRITE, READY):
        run = program.run("--plan-only", "--output-format", "json", "plan a note")

    result = msgspec.json.decode(run.out)
    assert (run.code, result["exit_code"]) == (9, 9)
    assert (result["plan"], result["plan_digest"]) == (PLAN, HASH)
    assert result["text"] == "The plan is ready."


@pytest.mark.parametrize("draft", [None, " \\n"], ids=["none", "blank"])
def test_no_draft_is_a_failure(draft: str | None, program: Program, planner: Planner) -> None:
    write = [] if draft is None else [f'call: Write {{"path": "DRAFT", "content": "{draft}"}}']
    with planner(*write, "text: Well."):
        run = program.run("--plan-only", "plan a note")

    assert (run.code, run.out) == (1, b"")
    assert "no plan was drafted" in run.err


def test_a_turn_that_fails_is_no_plan(program: Program) -> None:
    run = program.play("error: 401 no such key", "--plan-only", "plan a note")

    assert (run.code, run.out) == (1, b"")


def test_what_was_agreed_to_is_carried_out(program: Program, planner: Planner) -> None:
    file = program.home.with_name("agreed.md")
    file.write_text(PLAN)

    with planner(ACT, DONE) as server:
        run = program.run("--execute-plan", str(file), "--plan-hash", HASH)

    assert (run.code, run.out) == (0, b"It is noted.\n")
    assert (program.cwd / "note.txt").read_text() == "noted"
    asked = server.requests[0].json()["messages"]
    assert "<current-plan name=" in asked[0]["content"]
    assert PLAN.strip() in asked[0]["content"]
    assert asked[-1]["content"].startswith("Carry out the plan")
    (command,) = program.log("plan_command")
    assert (command["verb"], command["digest"]) == ("CONFIRM", HASH)
    assert [(line["state"], line.get("plan")) for line in program.log("plan")] == [
        ("drafting", None),
        ("executing", HASH),
    ]
    assert (program.sessions[-1] / "plan.md").read_text() == PLAN
    assert (program.sessions[-1] / "plan.draft").read_text() == ""
    assert program.run("replay", "--verify").code == 0
    painted = program.run("replay").out.decode()
    assert f"· plan: none → drafting, sha256 {HASH[:8]}…\n" in painted
    assert f"· plan: drafting → confirmed, sha256 {HASH[:8]}…\n" in painted


def test_it_is_carried_out_in_the_session_that_made_it(program: Program, planner: Planner) -> None:
    file = program.home.with_name("agreed.md")
    with planner(WRITE, READY, ACT, DONE, DONE) as server:
        file.write_bytes(program.run("--plan-only", "plan a note").out)
        first = program.run("-c", "--execute-plan", str(file), "--plan-hash", HASH, "go, all of it")
        again = program.run("-c", "--execute-plan", str(file), "--plan-hash", HASH)

    assert (first.code, again.code) == (0, 0)
    assert len(program.sessions) == 1
    assert server.requests[2].json()["messages"][-1]["content"] == "go, all of it"
    assert [line["state"] for line in program.log("plan")] == ["drafting", "executing"]


def test_another_draft_in_the_session_gives_way_to_what_was_agreed_to(
    program: Program, planner: Planner
) -> None:
    file = program.home.with_name("agreed.md")
    file.write_text("Something else.")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    with planner(WRITE, READY, DONE) as server:
        program.run("--plan-only", "plan a note")
        run = program.run("-c", "--execute-plan", str(file), "--plan-hash", digest.upper())

    assert run.code == 0
    assert "Something else." in server.requests[-1].json()["messages"][0]["content"]
    assert program.log("plan")[-1]["plan"] == digest


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (PLAN.encode() + b"3. More.", "is not the plan that was agreed to"),
        (b"", "is not the plan that was agreed to"),
        (None, "No such file"),
    ],
)
def test_another_text_is_not_carried_out(raw: bytes | None, said: str, program: Program) -> None:
    file = program.home.with_name("agreed.md")
    if raw is not None:
        file.write_bytes(raw)

    run = program.play(ACT, "--execute-plan", str(file), "--plan-hash", HASH)

    assert run.code == 2
    assert said in run.err
    assert not program.sessions


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"one\r\ntwo", "plain line ends"),
        (b"\xef\xbb\xbfone", "no BOM"),
        (b"\xff\xfe", "UTF-8"),
        (b" \n", "nothing in it"),
        (b"x" * (256 * 1024 + 1), "at most 262144 bytes"),
    ],
)
def test_what_cannot_be_a_plan(raw: bytes, said: str, program: Program) -> None:
    file = program.home.with_name("agreed.md")
    file.write_bytes(raw)

    digest = hashlib.sha256(raw).hexdigest()
    run = program.play(ACT, "--execute-plan", str(file), "--plan-hash", digest)

    assert run.code == 2
    assert said in run.err


@pytest.mark.parametrize("kind", ["pipe", "device", "directory"])
def test_what_may_never_end_is_no_plan(kind: str, program: Program) -> None:
    file = program.home.with_name("agreed.md")
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file = Path("/dev/zero")
        case _:
            file.mkdir()

    run = program.play(ACT, "--execute-plan", str(file), "--plan-hash", HASH)

    assert run.code == 2
    assert f"{file}: it is not a regular file" in run.err


def test_a_plan_that_names_a_secret_is_not_what_was_agreed_to(program: Program) -> None:
    file = program.home.with_name("agreed.md")
    file.write_text("Use the token abcdefgh-12345678.")
    program.environment["SERVICE_TOKEN"] = "abcdefgh-12345678"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()

    run = program.play(ACT, "--execute-plan", str(file), "--plan-hash", digest)

    assert run.code == 9
    assert "nobody has answered the draft as it is now" in run.err
    assert program.log("send_request") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--execute-plan", "f"], "go together"),
        (["--plan-hash", HASH], "go together"),
        (["--plan-only", "--execute-plan", "f"], "--plan-only changes nothing"),
        (["--plan-only", "--permission", "allow"], "--plan-only changes nothing"),
        (["--plan-only", "--auto-approve"], "--plan-only changes nothing"),
        (["--mode", "plan", "--execute-plan", "f", "--plan-hash", HASH], "in this mode"),
    ],
)
def test_what_does_not_fit_together(arguments: list[str], said: str, program: Program) -> None:
    run = program.play(ACT, *arguments, "go")

    assert run.code == 2
    assert said in run.err


def test_the_how_to_does_what_it_says(program: Program, planner: Planner) -> None:
    (shell,) = re.findall(r"```sh\n(.*?)```", HOW_TO.read_text("utf-8"), re.DOTALL)
    path = f"{Path(sys.executable).parent}:{program.environment['PATH']}"
    with planner(WRITE, READY, ACT, DONE):
        done = subprocess.run(
            [shutil.which("sh") or "sh", "-euc", shell],
            cwd=program.cwd,
            env={**program.environment, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert (program.cwd / "plan.md").read_text() == PLAN
    assert (program.cwd / "note.txt").read_text() == "noted"
