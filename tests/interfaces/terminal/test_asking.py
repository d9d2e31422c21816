"""A one-shot run at a terminal asks, and takes only a meant yes."""

from __future__ import annotations

import os
import shlex
import sys
import time
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
    time.sleep(0.05)  # what is typed before the question stands there is no answer
    child.send(typed)
    child.expect(pexpect.EOF)
    child.close()

    assert said in child.before
    assert (workspace / "made.txt").exists() is made
    assert child.exitstatus == code


SHELL = "{python} -m fsm_agent --script {script} 'make it' {files}"


@pytest.mark.parametrize("files", ["</dev/null", "2>err.txt", "</dev/null >out.txt 2>err.txt"])
@pytest.mark.usefixtures("home")
def test_it_asks_wherever_the_standard_files_lead(workspace: Path, files: str) -> None:
    script = workspace.parent / "model.script"
    script.write_text(SCRIPT)
    command = SHELL.format(python=sys.executable, script=script, files=files)
    child = pexpect.spawn("sh", ["-c", command], cwd=str(workspace), encoding="utf-8", timeout=20)
    child.expect(r"\[y\]es .* \? ")
    time.sleep(0.05)
    child.send("y\n")
    child.expect(pexpect.EOF)
    child.close()

    assert (workspace / "made.txt").exists()
    assert child.exitstatus == 0


@pytest.mark.usefixtures("home")
def test_what_was_typed_before_is_no_answer(workspace: Path) -> None:
    script = workspace.parent / "model.script"
    script.write_text(SCRIPT.replace("text: Let me", "delay: 1.5\ntext: Let me"))
    child = pexpect.spawn(
        sys.executable,
        ["-m", "fsm_agent", "--script", str(script), "make", "it"],
        cwd=str(workspace),
        encoding="utf-8",
        timeout=20,
    )
    time.sleep(1)
    child.send("y\n")
    child.expect(r"\[y\]es .* \? ")
    with pytest.raises(pexpect.TIMEOUT):
        child.expect(pexpect.EOF, timeout=0.5)
    assert not (workspace / "made.txt").exists()
    child.send("n\n")
    child.expect(pexpect.EOF)


@pytest.mark.parametrize("options", [(), ("--plain",)])
@pytest.mark.usefixtures("home")
def test_a_question_has_colours_where_they_are_wanted(
    workspace: Path, options: tuple[str, ...]
) -> None:
    script = workspace.parent / "model.script"
    script.write_text(SCRIPT)
    words = [sys.executable, "-m", "fsm_agent", "--script", str(script), *options, "make", "it"]
    env = {**os.environ, "TERM": "xterm"}
    said = pexpect.run(shlex.join(words), cwd=str(workspace), env=env, events={"es .* \\? ": "n\n"})

    assert b"May this run?" in said
    assert (b"\x1b" in said) is not bool(options)
