"""What is remembered, without a terminal: the verb, the prompt, a dream."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.context.memory import SCRATCH, USER, section, with_section
from fsm_agent.interfaces.remembering import addressed, with_item
from fsm_agent.testing.program import Ended, Program

Verb = Callable[..., Ended]
KEEPS = 'call: Remember {"constraints": "never push", "user_memory": "likes tabs"}\n'
DREAM = f"text: Hello.\n---\n{KEEPS}---\ntext: Kept.\n"


def user(program: Program) -> Path:
    return program.home / "config" / "memory.md"


def project(program: Program) -> Path:
    return next(program.home.glob("projects/*/memory.md"))


def told(program: Program) -> dict[str, str]:
    """What the newest session's last prompt says of memory, by file."""
    sections = program.log("prompt")[-1]["sections"]
    return {s["name"]: s["text"] for s in sections if s["tag"] == "memory"}


def test_what_was_added_is_shown_and_cleared(program: Program, verb: Verb) -> None:
    done = verb("memory", "add", "constraints", "never", "push")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode() == (
        f"--- {project(program)}\n+++ {project(program)}\n"
        "@@ -0,0 +1,3 @@\n+## Constraints\n+\n+- never push\n"
    )
    assert verb("memory", "add", "User Memory", "likes tabs").code == 0
    assert verb("memory", "add", "a note").code == 0

    assert (
        verb("memory").out.decode()
        == verb("memory", "show").out.decode()
        == (
            f"{user(program)}\n\n## User Memory\n\n- likes tabs\n\n"
            f"{project(program)}\n\n"
            "## Constraints\n\n- never push\n\n## Scratch Notes\n\n- a note\n"
        )
    )
    assert verb("memory", "clear").code == 0
    assert verb("memory", "clear").err == "nothing changes\n"
    assert project(program).read_text() == "## Constraints\n\n## Scratch Notes\n"
    assert user(program).read_text() == "## User Memory\n\n- likes tabs\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["add", "constraints"], "there is no text to add"),
        (["add", " "], "there is no text to add"),
        (["add", "the token is [secret:SERVICE_TOKEN]"], "[secret:SERVICE_TOKEN] stands for"),
        (["clear", "everything"], "there is no section 'everything'"),
        (["add", "constraints", "x" * 40_000], "is all that is shown"),
    ],
)
def test_what_cannot_be_done_is_said(
    program: Program, verb: Verb, arguments: list[str], why: str
) -> None:
    done = verb("memory", *arguments)

    assert done.code == 2
    assert why in done.err
    assert not list(program.home.glob("**/memory.md"))


def test_a_link_that_leads_to_itself_is_no_memory(program: Program, verb: Verb) -> None:
    user(program).parent.mkdir(parents=True)
    user(program).symlink_to("memory.md")

    assert "(nothing)" in verb("memory").out.decode()
    assert program.play("text: Hello.", "hi").out == b"Hello.\n"
    assert told(program) == {}
    refused = verb("memory", "add", "user", "likes tabs")
    assert refused.code == 2
    assert str(user(program)) in refused.err


def test_a_new_session_begins_with_what_is_remembered(program: Program, verb: Verb) -> None:
    assert program.play("text: Hello.", "hi").code == 0
    assert told(program) == {}

    verb("memory", "add", "project", "make test")
    verb("memory", "add", "user", "likes tabs")
    assert program.play("text: Hello.", "hi").code == 0
    assert told(program) == {
        str(user(program)): "## User Memory\n\n- likes tabs",
        str(project(program)): "## Project Memory\n\n- make test",
    }

    verb("memory", "clear", "project")
    assert program.play("text: Hello.\n---\ntext: Again.", "-c", "hi").code == 0
    assert list(told(program)) == [str(user(program))]


def test_a_dream_keeps_what_the_next_session_knows(program: Program, verb: Verb) -> None:
    assert program.play(DREAM, "hi").code == 0
    assert program.play(DREAM, "-c", "/dream").out == b"Kept.\n"
    first = program.sessions[-1]
    assert len(program.log("prompt")) == 1, "the prompt is refreshed where the next epoch starts"
    assert len([line for line in program.log("seen") if line["what"] == "memory"]) == 2
    assert "never push" in program.log("notices")[-1]["text"]

    assert program.play("text: Hello.", "hi").code == 0
    assert told(program) == {
        str(user(program)): "## User Memory\n\nlikes tabs",
        str(project(program)): "## Constraints\n\nnever push",
    }
    assert verb("replay", str(first), "--verify").code == 0
    assert verb("audit", str(first)).code == 0


@pytest.mark.parametrize("call", ['{"constraints": 7}', '{"constraints": "a', "[]"])
def test_an_answer_that_cannot_be_read_changes_nothing(program: Program, call: str) -> None:
    script = f"text: Hello.\n---\ncall: Remember {call}\n---\ntext: Sorry.\n"
    program.play(script, "hi")
    program.play(script, "-c", "/dream")

    assert not list(program.home.glob("**/memory.md"))


@pytest.mark.parametrize(("mode", "code"), [("read", 0), ("ask", 9)])
def test_a_dream_needs_leave(program: Program, mode: str, code: int) -> None:
    program.play(DREAM, "hi")

    assert program.play(DREAM, "-c", "--permission", mode, "/dream").code == code
    assert not list(program.home.glob("**/memory.md"))


def test_of_nothing_there_is_no_dream(program: Program) -> None:
    done = program.play(DREAM, "/dream")

    assert done.code == 2
    assert "there is nothing to look back on" in done.err
    assert program.sessions == []


def test_secrets_are_neither_shown_nor_written(program: Program, verb: Verb) -> None:
    verb("memory", "add", "facts", "the token is s3cret-s3cret")
    program.environment["DEPLOY_TOKEN"] = "s3cret-s3cret"
    keeps = 'call: Remember {"consolidated_facts": "[secret:DEPLOY_TOKEN]"}\n---\ntext: No.\n'
    assert program.play(keeps, "hi").code == 0

    (text,) = told(program).values()
    assert text.endswith("- the token is [secret:DEPLOY_TOKEN]")
    (denied,) = program.log("permission")
    assert denied["layer"] == "secret"
    assert project(program).read_text().endswith("- the token is s3cret-s3cret\n")


def test_a_long_memory_is_cut_with_a_note(program: Program, verb: Verb) -> None:
    verb("memory", "add", "facts", "a")
    project(program).write_text("## Consolidated Facts\n" + "ä\n" * 40_000)
    assert program.play("text: Hello.", "hi").code == 0

    (section,) = [s for s in program.log("prompt")[-1]["sections"] if s["tag"] == "memory"]
    blob = program.sessions[-1] / "blobs" / section["text"]["blob"]
    assert section["text"]["bytes"] < 33_000
    assert b"(cut: the file is longer than 32768 bytes)" in blob.read_bytes()


@pytest.mark.parametrize(
    ("said", "title", "rest"),
    [
        ("Constraints never push", "Constraints", "never push"),
        ("user memory: likes tabs", USER, "likes tabs"),
        ('"Project Memory" make test', "Project Memory", "make test"),
        ("consolidated_facts x", "Consolidated Facts", "x"),
        ("facts", "Consolidated Facts", ""),
        ("notes a\nb", SCRATCH, "a\nb"),
        ("memory is short", "", "memory is short"),
        ("", "", ""),
    ],
)
def test_what_a_person_says_of_sections(said: str, title: str, rest: str) -> None:
    assert addressed(said) == (title, rest)


@given(st.text(max_size=20), st.text(min_size=1).filter(str.strip))
def test_an_item_comes_after_what_was_there(was: str, new: str) -> None:
    text = with_section("", SCRATCH, was)
    before = section(text, SCRATCH)
    now = section(with_section(text, SCRATCH, with_item(before, new)), SCRATCH)

    assert now.startswith(before)
    assert now[len(before) :].lstrip("\n").startswith("- ")
