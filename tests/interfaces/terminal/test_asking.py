"""A one-shot run at a terminal asks, and takes only a meant yes."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest

SCRIPT = """\
---
text: Let me make it.
call: Bash {"command": "echo hi > made.txt"}
---
text: Done.
"""


@pytest.mark.parametrize(
    ("typed", "made", "said", "code"),
    [
        ("y\n", True, "Done.", 0),
        ("n too risky\n", False, "denied: too risky", 0),
        ("ys\nq\nn\n", False, "that is no answer", 0),
        ("\x04", False, "denied: the person said no", 0),
        ("\x03", False, "exit 130", 130),
    ],
)
@pytest.mark.usefixtures("home")
def test_an_answer(workspace: Path, typed: str, made: bool, said: str, code: int) -> None:
    script = workspace.parent / "model.script"
    script.write_text(SCRIPT)
    child = pexpect.spawn(
        sys.executable,
        ["-m", "fsm_agent", "--script", str(script), "make", "it"],
        cwd=str(workspace),
        encoding="utf-8",
        timeout=20,
        dimensions=(24, 100),
    )
    child.expect(r"\[y\]es .* \? ")
    child.send(typed)
    child.expect(pexpect.EOF)
    child.close()

    assert said in child.before
    assert (workspace / "made.txt").exists() is made
    assert child.exitstatus == code
