"""The program in a workspace of its own, as a process or in this one."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fsm_agent.interfaces.dispatch import dispatch
from fsm_agent.testing.program import Ended, Program


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
