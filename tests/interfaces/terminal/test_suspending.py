"""Ctrl-Z gives the terminal to the shell, and `fg` takes it back."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect

CTRL_Z = "\x1a"


def test_the_job_is_stopped_and_goes_on_where_it_was(workspace: Path, home: Path) -> None:
    script = home.parent / "model.script"
    script.write_text("text: All is well.\n")
    shell = pexpect.spawn(
        *("bash", ["--norc", "--noprofile", "-i"]),
        cwd=str(workspace),
        env={**os.environ, "FSM_AGENT_HOME": str(home), "TERM": "xterm-256color", "PS1": "@ "},
        timeout=10,
    )
    shell.sendline(f"{sys.executable} -m fsm_agent --script {script}")
    shell.expect("/help")
    shell.expect_exact("\x1b[6n")
    shell.send("\x1b[3;1Rhalf")
    shell.expect("half")
    shell.send(CTRL_Z)
    shell.expect("Stopped")
    shell.sendline("stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig")
    shell.expect(r"[\r\n]3\r")
    shell.sendline("fg")
    shell.expect("half")
    shell.send(" a line\r")
    shell.expect("All is well.")
    shell.sendline("quit")
    shell.expect("@ ")
    shell.close(force=True)

    (log,) = home.glob("projects/*/*/events.jsonl")
    assert b'"text":"half a line"' in log.read_bytes()
