"""One function says whether a call runs, is asked about, or is blocked."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events.inputs import Approved, Scope, Settings, ToolCall
from fsm_agent.policy.barriers import must_wait
from fsm_agent.policy.grants import Grants
from fsm_agent.policy.judging import judge
from fsm_agent.policy.paths import is_control, is_inside, normal

CWD = "/w/proj"
KNOWN = ["Read", "Write", "Edit", "Bash", "Grep", "Remember"]
MODES = ["ask", "edits", "allow", "read"]


def call(name: str, malformed: str | None = None, **arguments: Any) -> ToolCall:
    at = {"instance": "tool-1.1", "activity": 3}
    return ToolCall(**at, n=0, name=name, id="c", input=arguments, malformed=malformed)  # type: ignore[arg-type] # both fit


def decide(one: ToolCall, mode: str, grants: Grants | None = None, *, person: bool = True) -> str:
    settings = Settings(protocol="openai", model="m", permission=mode, person=person)  # type: ignore[arg-type] # one of MODES
    verdict = judge(one, settings, grants or Grants(), CWD, KNOWN)
    return f"{verdict.action} {verdict.layer}"


def granted(scope: Scope, one: ToolCall) -> Grants:
    answer = Approved(instance=one.instance, activity=5, scope=scope)
    return Grants().with_answer(answer, one, CWD)


@pytest.mark.parametrize(
    ("mode", "read", "edit", "bash"),
    [
        ("ask", "run tool", "ask person", "ask person"),
        ("edits", "run tool", "run mode", "ask person"),
        ("allow", "run tool", "run mode", "run mode"),
        ("read", "run tool", "block mode", "block mode"),
    ],
)
def test_each_mode(mode: str, read: str, edit: str, bash: str) -> None:
    assert decide(call("Read", path="a"), mode) == read
    assert decide(call("Edit", path="a"), mode) == edit
    assert decide(call("Bash", command="x"), mode) == bash


@pytest.mark.parametrize(
    ("mode", "verdict"),
    [
        ("ask", "ask person"),
        ("edits", "run mode"),
        ("allow", "run mode"),
        ("read", "block mode"),
        ("plan", "block mode"),
    ],
)
def test_memory_is_changed_as_files_are(mode: str, verdict: str) -> None:
    keeps = call("Remember", constraints="never push")

    assert decide(keeps, mode) == verdict
    assert decide(keeps, "ask", Grants(edits=True)) == "ask person"
    assert decide(call("Remember", user_memory="[secret:TOKEN]"), mode) == "block secret"


@pytest.mark.parametrize("mode", MODES)
def test_blocks_that_no_mode_and_no_grant_lifts(mode: str) -> None:
    everything = Grants(edits=True, commands=("x",))

    assert decide(call("Fetch"), mode, everything) == "block tool"
    assert decide(call("Bash", malformed="{"), mode, everything) == "block arguments"
    assert decide(call("Read", path="../x"), mode, everything) == "block workspace"
    assert decide(call("Write", path="/w/proj2/x"), mode, everything) == "block workspace"
    assert decide(call("Edit", path=".git/hooks/pre-commit"), mode, everything) == "block control"
    assert decide(call("Write", path="sub/.GIT/config"), mode, everything) == "block control"


def test_without_a_person_a_question_is_a_block() -> None:
    assert decide(call("Bash", command="x"), "ask", person=False) == "block nobody"


def test_a_command_is_granted_word_for_word() -> None:
    grants = granted("command", call("Bash", command="make test"))

    assert decide(call("Bash", command="make test"), "ask", grants) == "run grant"
    assert decide(call("Bash", command="make test; rm x"), "ask", grants) == "ask person"
    assert decide(call("Edit", path="a"), "ask", grants) == "ask person"


def test_edits_are_granted_and_commands_are_not() -> None:
    grants = granted("edits", call("Edit", path="a"))

    assert decide(call("Write", path="b"), "ask", grants) == "run grant"
    assert decide(call("Bash", command="make"), "ask", grants) == "ask person"
    assert grants.cleared() == Grants()


def test_a_yes_for_once_grants_nothing() -> None:
    assert granted("once", call("Bash", command="x")) == Grants()


@given(st.lists(st.sampled_from(["a", "..", ".", "b.c", ""]), max_size=8).map("/".join))
def test_a_path_is_inside_or_leaves_by_its_dots(path: str) -> None:
    where = "/" + os.path.normpath(PurePosixPath(CWD, path)).lstrip("/")

    assert "/" + "/".join(normal(path, CWD)) == where
    assert is_inside(path, CWD) == f"{where}/".startswith(f"{CWD}/")


def test_a_name_that_only_looks_like_a_control_directory_is_none() -> None:
    assert not is_control("src/git/config", CWD)
    assert not is_control(".github/workflows/ci.yml", CWD)
    assert not is_control(".fsm-agent/task.md", CWD)
    assert is_control("a/.fsm-agent/task.md", CWD)
    assert is_control("a/.mcp.json", CWD)


def test_a_workspace_below_a_control_directory_can_be_written() -> None:
    tree = "/w/proj/.claude/worktrees/x"

    assert not is_control("src/a.py", tree)
    assert not is_control(f"{tree}/a.py", tree)
    assert is_control(".claude/settings.json", tree)
    assert is_control("../../settings.json", tree)


READ, EDIT, WRITE = call("Read", path="a"), call("Edit", path="a"), call("Write", path="b")
BASH, LIST = call("Bash", command="x"), call("TodoWrite", todos=[])


@pytest.mark.parametrize(
    ("one", "before", "waits"),
    [
        (READ, [READ], False),
        (BASH, [BASH, READ], False),
        (READ, [EDIT], True),
        (EDIT, [READ], True),
        (EDIT, [WRITE], True),
        (call("Read", path="./b"), [WRITE], True),
        (WRITE, [BASH], True),
        (BASH, [WRITE], True),
        (LIST, [LIST], True),
        (LIST, [EDIT], True),
        (call("Compress", first_turn=1, last_turn=2, summary="x"), [LIST], True),
        (READ, [], False),
    ],
)
def test_what_a_call_waits_for(one: ToolCall, before: list[ToolCall], waits: bool) -> None:
    assert must_wait(one, before) is waits
