"""A whole session by keystrokes: what was seen, and each line of its log."""

from __future__ import annotations

import os
import re
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from fsm_agent.log.reading import read
from fsm_agent.testing.normalising import normalised
from fsm_agent.testing.program import Program
from tests.interfaces.terminal.sitting import Sits

SCRIPT = """\
--- a change, and a command that waits for its gate
text: I'll write it down, then wait.
call: Write {"path": "a.txt", "content": "one\\ntwo\\n"}
call: Bash {"command": "cat gate"}
usage: 1200 40

--- heard what was put in
text: The gate is open, and *you* were heard.
usage: 1300 20

--- the line that waited
text: Here is what waited.
usage: 1400 10

--- cut short
text: This goes on
hang
"""


def test_a_session_from_the_first_key_to_the_last(
    sits_down: Sits, workspace: Path, program: Program, snapshot: SnapshotAssertion
) -> None:
    os.mkfifo(workspace / "gate")
    person = sits_down(SCRIPT, "--price", "3,15", "--context-window", "200000")
    person.asks("write it down")
    person.sees("[y/n/e]?")
    person.answers("y")
    person.sees("[y/n/c]?")
    person.answers("y")
    person.sees("[allowed] Bash(cat gate)")
    person.types("and then?\r")
    person.sees("queued: and then?")
    person.types("hurry up\x0f")
    person.sees("inject: hurry up")
    (workspace / "gate").write_text("open\n")
    person.sees("Here is what waited.")
    person.asks("/mode edits")
    person.sees("edits >")
    person.asks("go on for ever")
    person.sees("This goes on")
    person.types("\x1b")
    person.sees("Enter goes on")
    person.types("/undo 1\r")
    person.sees("removed: a.txt")
    person.types("\x04")

    assert person.leaves() == 0
    assert not (workspace / "a.txt").exists()
    assert (workspace / "gate").exists()
    (log,) = person.home.glob("projects/*/*/events.jsonl")
    lines = normalised(line for batch in read(log) for line in batch.lines)
    assert [line.replace(str(log.parent), "SESSION") for line in lines] == snapshot
    assert program.run("replay", str(log), "--verify").code == 0
    assert program.run("audit", str(log)).code == 0
    painted = program.run("replay", str(log), "--plain").out.decode()
    assert re.sub(r"[0-9.]+ s\b", "N s", painted).splitlines() == snapshot
