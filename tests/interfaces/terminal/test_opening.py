"""Where there is a prompt, and where there is none."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pexpect
import pytest

NO_TERMINAL = "the prompt needs a terminal for what it says, too; give a prompt: -p"


@pytest.mark.parametrize(
    ("line", "said", "code"),
    [
        ("{} >out.txt", NO_TERMINAL, 2),
        ("{} 2>errors.txt", "session", 0),
        ("PYTHONIOENCODING=utf-16 {}", "", 2),
    ],
)
def test_the_prompt_needs_a_terminal_that_shows_what_it_says(
    workspace: Path, home: Path, line: str, said: str, code: int
) -> None:
    script = home.parent / "model.script"
    script.write_text("text: All is well.")
    words = [sys.executable, "-m", "fsm_agent", "--plain", "--script", str(script)]
    command = shlex.join(["sh", "-c", line.format(shlex.join(words))])
    shown, ended = pexpect.run(
        command, cwd=str(workspace), events={"/help": "/quit\r"}, withexitstatus=True
    )

    assert said.encode() in shown
    assert ended == code
