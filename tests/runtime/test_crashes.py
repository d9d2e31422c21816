"""A session that died in any state is taken up with nothing done twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.testing.acting import Crash, Person, is_line, prove
from fsm_agent.testing.stage import Stage, say

Inputs = Iterator[Sequence[i.Event]]
STOP = [i.Interrupt()]
ONE_TOOL = '---\ncall: Read {"path": "a.py"}\nusage: 100 10\n---\ntext: Done.\nusage: 150 5'
TWO_RUN = '---\ncall: Bash {"command": "a", "cue": "a"}\ncall: Bash {"command": "b", "cue": "b"}'

CRASHES = {
    "in call": ("text: Hello.", "send_request", ""),
    "in wait": ("error: 503 busy\ntext: Hello.", "sleep", ""),
    "in stream": ("text: Hello.", "read_answer", ""),
    "while stopping an answer": ("text: Hello, \nhang", "stop_answer", ""),
    "while a tool runs": (TWO_RUN, "run_tool", "tool-1.1"),
    "between two tools": (TWO_RUN, "tool_result", "tool-1.1"),
    "while stopping a tool": (TWO_RUN, "stop_tool", "tool-1.1"),
    "after the results": (ONE_TOOL, "stop", "turn-1"),
}


@pytest.mark.parametrize("name", CRASHES)
async def test_a_crash_then_a_resume(name: str, tmp_path: Path, lines: SnapshotAssertion) -> None:
    script, kind, instance = CRASHES[name]
    stage = Stage(tmp_path, script, retry_base_ms=60_000)

    def react(line: Line) -> Inputs:
        if is_line(line, kind, instance):
            raise Crash
        if is_line(line, "run_tool", "tool-1.2"):
            stage.tools["Bash"].end("a")
        if "stopping" in name and is_line(line, "read_answer" if "answer" in name else "run_tool"):
            yield STOP

    with pytest.raises(Crash):
        await stage.play(say("go"), react=react)
    await stage.resume()
    assert stage.log == lines
    prove(stage)


async def test_a_crash_while_asking_then_a_resume(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, TWO_RUN, asker=Person(), permission="ask", person=True)

    def react(line: Line) -> None:
        if is_line(line, "ask_user", "tool-1.2"):
            raise Crash

    with pytest.raises(Crash):
        await stage.play(say("go"), react=react)
    await stage.resume()
    assert stage.log == lines
    prove(stage)
