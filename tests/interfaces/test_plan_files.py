"""Draft and plan as real files: who may write them, who is believed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.testing import ModelServer
from fsm_agent.testing.program import Ended, Program

Planner = Callable[..., AbstractContextManager[ModelServer]]

TEXT = "1. Port the parser."
WRITE = f'call: Write {{"path": "DRAFT", "content": "{TEXT}"}}'
CONFIRM, CLEAR = "call: PlanConfirm {}", "call: PlanClear {}"
READY, DONE = "text: Shall I?", "text: Done."


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def files(program: Program) -> tuple[Path, Path]:
    """Draft and plan of the newest session."""
    return program.sessions[-1] / "plan.draft", program.sessions[-1] / "plan.md"


def states(program: Program) -> list[str]:
    """What the plan came to rest in, each time it said so."""
    return [line["state"] for line in program.log("plan")]


def results(program: Program) -> list[dict[str, Any]]:
    return program.log("tool_result")


@pytest.fixture(autouse=True)
def _proved(verb: Callable[..., Ended]) -> Iterator[None]:
    """In the end each log is what its inputs lead to, and breaks no rule."""
    yield
    assert (verb("replay", "--verify").code, verb("audit").code) == (0, 0)


def planned(program: Program) -> Ended:
    """A first turn; there is no draft yet."""
    return program.run("plan it")


def test_the_draft_is_written_outside_the_workspace_and_no_file_beside_it(
    program: Program, planner: Planner
) -> None:
    beside = [
        'call: Write {"path": "DRAFT.md", "content": "x"}',
        'call: Write {"path": "PLAN", "content": "x"}',
        'call: Read {"path": "PLAN"}',
    ]
    with planner("\n".join([WRITE, *beside]), READY):
        assert program.run("--permission", "ask", "plan it").code == 0

    draft, plan = files(program)
    assert (draft.read_text(), plan.read_text()) == (TEXT, "")
    assert [line["ok"] for line in map(with_ok, results(program))] == [True, False, False, True]
    assert states(program) == ["drafting"]
    assert program.log("seen")[0]["by"] == "tool"


def with_ok(line: dict[str, Any]) -> dict[str, Any]:
    return {"ok": True, **line}


def test_a_command_that_writes_the_draft_is_seen_too(program: Program, planner: Planner) -> None:
    with planner(f'call: Bash {{"command": "printf \'{TEXT}\' > DRAFT"}}', READY):
        program.run("plan it")
    with planner(CONFIRM, DONE):
        run = program.run("-c", "go")

    assert "context cut: " in run.err
    assert states(program) == ["drafting", "executing"]
    draft, plan = files(program)
    assert (draft.read_text(), plan.read_text()) == ("", TEXT)


def test_a_draft_from_an_editor_is_the_person_s_word_and_its_last_text_counts(
    program: Program, planner: Planner
) -> None:
    with planner(WRITE, READY):
        program.run("plan it")
    files(program)[0].write_text("\ufeff1. Only the tests.\r\n")
    with planner(CONFIRM, DONE) as server:
        program.run("-c", "go")

    assert files(program)[1].read_text() == "1. Only the tests.\n"
    assert states(program) == ["drafting", "drafting", "executing"]
    assert [line.get("by", "person") for line in program.log("seen")] == ["tool", "person"]
    assert "Only the tests" in server.requests[-1].json()["messages"][0]["content"]


def test_a_draft_that_was_given_up_can_be_written_again(program: Program, planner: Planner) -> None:
    with planner(WRITE, READY, "call: PlanCancel {}", DONE, WRITE, READY):
        program.run("plan it")
        program.run("-c", "no")
        program.run("-c", "after all")

    assert files(program)[0].read_text() == TEXT
    assert states(program) == ["drafting", "none", "drafting"]


def test_a_plan_from_an_editor_is_taken_over(program: Program, planner: Planner) -> None:
    with planner(WRITE, READY, CONFIRM, DONE):
        program.run("plan it")
        program.run("-c", "go")
    files(program)[1].write_text("1. Less.")
    with planner(DONE, CLEAR, DONE) as server:
        program.run("-c", "well?")
        program.run("-c", "that is all")

    first = server.requests[0].json()["messages"]
    assert "The person has changed the plan; it is now:\n1. Less." in str(first[-2]["content"])
    assert states(program)[-1] == "none"
    assert files(program)[1].read_text() == ""


def test_a_plan_that_a_tool_has_changed_is_put_back_and_the_model_is_told(
    program: Program, planner: Planner
) -> None:
    with planner(WRITE, READY, CONFIRM, DONE):
        program.run("plan it")
        program.run("-c", "go")
    with planner('call: Bash {"command": "echo other > PLAN"}', DONE) as server:
        program.run("-c", "and?")

    assert files(program)[1].read_text() == TEXT
    told = server.requests[-1].json()["messages"]
    assert "is locked; what was written to it was put back" in str(told[-1]["content"])


@pytest.mark.parametrize("moved", ["neither file", "the plan alone"])
def test_killed_before_the_files_were_moved(moved: str, program: Program, planner: Planner) -> None:
    with planner(WRITE, READY, CONFIRM, DONE):
        program.run("plan it")
        program.run("-c", "go")
    draft, plan = files(program)
    draft.write_text(TEXT)
    if moved == "neither file":
        plan.write_text("")
    with planner(DONE) as server:
        program.run("-c", "go on")

    assert (draft.read_text(), plan.read_text()) == ("", TEXT)
    assert states(program) == ["drafting", "executing"]
    assert server.requests[0].json()["messages"][0]["content"].count(TEXT) == 1


def test_killed_while_the_summary_is_written(program: Program) -> None:
    looks = 'call: Read {"path": "a.txt"}\n---\ntext: Looked.\n---\n'
    steps = f"{looks}{looks}{CONFIRM}\n--- after\n{CONFIRM}\n---\n{DONE}\n--- summary\ntext: Task"
    assert program.play(steps, "look").code == 0
    assert program.play(steps, "-c", "look again").code == 0
    draft, plan = files(program)
    draft.write_text(TEXT)
    with program.start("--script", program.script(f"{steps}\nhang"), "-c", "go") as process:
        while not program.log("summarise"):
            assert process.poll() is None
        process.kill()
    assert (draft.read_text(), plan.read_text()) == (TEXT, "")

    assert program.play(f"{steps} focus: the port.", "-c", "go").code == 0

    assert states(program) == ["drafting", "executing"]
    assert (draft.read_text(), plan.read_text()) == ("", TEXT)
    assert len(program.log("context_update")) == 1


def test_a_long_plan_stands_in_blobs(program: Program, planner: Planner) -> None:
    long = "1. Port it all.\n" * 1000
    with planner("text: What?", CONFIRM, DONE) as server:
        planned(program)
        files(program)[0].write_text(long)
        program.run("-c", "go")

    (seen,) = program.log("seen")
    assert seen["text"] == {"blob": sha256(long), "bytes": len(long)}
    assert long.strip() in server.requests[-1].json()["messages"][0]["content"]
    assert files(program)[1].read_text() == long
    assert max(map(len, map(msgspec.json.encode, program.log()))) < 10_000


def test_a_secret_in_the_draft_stands_in_no_log_and_the_draft_is_gone_all_the_same(
    program: Program, planner: Planner
) -> None:
    program.environment["SERVICE_TOKEN"] = "abcdefgh-12345678"
    with planner("text: What?", CONFIRM, DONE, DONE):
        planned(program)
        files(program)[0].write_text("Use abcdefgh-12345678.")
        program.run("-c", "go")
        program.run("-c", "go on")

    assert states(program) == ["drafting", "executing"]
    draft, plan = files(program)
    assert (draft.read_text(), plan.read_text()) == ("", "Use [secret:SERVICE_TOKEN].")
    kept = [path for path in program.sessions[-1].rglob("*") if path.is_file()]
    assert not any(b"abcdefgh-12345678" in path.read_bytes() for path in kept)


def test_a_draft_that_was_removed_is_no_draft(program: Program, planner: Planner) -> None:
    with planner(WRITE, READY, CONFIRM, DONE):
        program.run("plan it")
        files(program)[0].unlink()
        program.run("-c", "go")

    assert states(program) == ["drafting", "none"]
    assert "there is no draft" in results(program)[-1]["content"]
    assert files(program)[0].read_text() == ""


def a_directory(draft: Path) -> None:
    draft.unlink()
    draft.mkdir()


def a_pipe(draft: Path) -> None:
    draft.unlink()
    os.mkfifo(draft)


def too_long(draft: Path) -> None:
    draft.write_text("1. More.\n" * 250_000)


def a_link_to_nowhere(draft: Path) -> None:
    draft.unlink()
    draft.symlink_to("nowhere")


@pytest.mark.parametrize("made", [a_directory, a_pipe, too_long, a_link_to_nowhere])
def test_what_is_no_draft_is_not_confirmed(
    made: Callable[[Path], None], program: Program, planner: Planner
) -> None:
    with planner("text: What?", CONFIRM, DONE):
        planned(program)
        made(files(program)[0])
        assert program.run("-c", "go").code == 0

    assert states(program) == []
    assert "there is no draft (of 256 KB at most)" in results(program)[-1]["content"]


def test_bytes_that_are_no_text_are_shown_as_such(program: Program, planner: Planner) -> None:
    with planner("text: What?", CONFIRM, DONE):
        planned(program)
        files(program)[0].write_bytes(b"1. \xff\x00.")
        program.run("-c", "go")

    assert files(program)[1].read_text() == "1. \ufffd\x00."
    assert states(program) == ["drafting", "executing"]
