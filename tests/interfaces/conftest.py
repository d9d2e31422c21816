"""The program in a workspace of its own, as a process or in this one."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.events.values import Block
from fsm_agent.interfaces.dispatch import dispatch
from fsm_agent.providers.script import parse
from fsm_agent.testing import ModelServer, Received, Reply, openai
from fsm_agent.testing.program import Ended, Program

DRAFT = re.compile(r"the draft (\S+), which you edit; the locked plan (\S+), which")
"""Where draft and plan lie, as the system prompt says it."""
SUMMARY = "text: Task focus: the plan."


@pytest.fixture
def program(workspace: Path, home: Path) -> Program:
    """The program, not started yet."""
    return Program(workspace, home)


@pytest.fixture
def verb(
    program: Program, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Ended]:
    """Run a verb that only reads, in this process: it takes a tenth of the time."""
    monkeypatch.chdir(program.cwd)

    def run(*arguments: str, said: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said)))
        code = dispatch(arguments)
        out, err = capsysbinary.readouterr()
        assert b"our own fault" not in err, err
        return Ended(code, out, err.decode())

    return run


@pytest.fixture
def planner(program: Program) -> Callable[..., AbstractContextManager[ModelServer]]:
    """A server whose model says these steps of a script, and knows DRAFT and PLAN.

    The program asks it for as long as the context lasts; summaries are asked for beside the steps.
    """

    @contextlib.contextmanager
    def serve(*steps: str) -> Iterator[ModelServer]:
        left = iter(steps)

        def reply(request: Received) -> Reply:
            said = request.json()["messages"]
            summary = INSTRUCTION in str(said[-1]["content"])
            return _said(SUMMARY if summary else next(left), said[0]["content"])

        with ModelServer(*[reply] * 3 * len(steps)) as server:
            asked = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-0"}
            program.environment |= {**asked, "FSM_AGENT_RETRY_BASE_MS": "1"}
            yield server
        assert next(left, None) is None

    return serve


def _said(step: str, system: str) -> Reply:
    found = DRAFT.search(system)
    draft, plan = found.groups() if found else ("", "")
    (parsed,) = parse(step.replace("DRAFT", draft).replace("PLAN", plan))
    items = parsed.attempts[0].items
    return Reply(openai([item for item in items if isinstance(item, Block)]))
