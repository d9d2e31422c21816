"""The installed command answers from any folder.

`FSM_AGENT` names another command than the one beside this Python: CI checks the wheel with it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsm_agent.version import __version__

COMMAND = os.environ.get("FSM_AGENT", str(Path(sys.executable).with_name("fsm-agent")))


def fsm_agent(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


def test_it_says_its_version(workspace: Path) -> None:
    ended = fsm_agent("--version", cwd=workspace)

    assert (ended.returncode, ended.stdout) == (0, f"fsm-agent {__version__}\n")


def test_it_helps(workspace: Path) -> None:
    ended = fsm_agent("--help", cwd=workspace)

    assert ended.returncode == 0
    assert ended.stdout.startswith("usage: fsm-agent")


def test_it_prints_the_schema_of_its_log(workspace: Path) -> None:
    ended = fsm_agent("schema", cwd=workspace)

    assert ended.returncode == 0
    assert "SessionStart" in json.loads(ended.stdout)["$defs"]


@pytest.mark.usefixtures("home")
def test_an_unknown_flag_is_a_usage_error(workspace: Path) -> None:
    ended = fsm_agent("--no-such-flag", cwd=workspace)

    assert ended.returncode == 2
    assert "--no-such-flag" in ended.stderr
