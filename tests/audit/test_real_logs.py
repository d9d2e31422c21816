"""What the program writes is clean, whatever happened in the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from fsm_agent.audit import Options, audit
from fsm_agent.events import inputs as i
from fsm_agent.testing.stage import Stage, say

NAMES = sorted(
    path.stem for path in (Path(__file__).parents[1] / "runtime" / "__snapshots__").glob("*/*")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_log_of_the_runtime_is_clean(
    name: str, logs: Mapping[str, bytes], write: Callable[[bytes], Path]
) -> None:
    report = audit([write(logs[name])], Options(derive=True))

    assert report.findings == []
    assert report.results[0].fault == ""
    assert report.results[0].lines == logs[name].count(b"\n")
    assert report.exit_code == 0


@pytest.mark.parametrize("summary", ["short", "long " * 900], ids=["of less", "of more"])
async def test_a_context_may_grow_again_behind_a_cut(summary: str, tmp_path: Path) -> None:
    """Longer than the one that was refused, but not the same again."""
    outputs = ("word " * (400 + n) for n in range(3))
    calls = "".join(f'---\ncall: Read {{"output": "{output}"}}\n' for output in outputs)
    script = f"---\ntext: One.\n---\nerror: 400 code=context_length_exceeded too long\n{calls[4:]}"
    stage = Stage(tmp_path, f"{script}---\ntext: Done.\n--- summary\ntext: {summary}\n")
    await stage.play(say("word " * 300), say("and now?"))

    assert sum(isinstance(line.event, i.Rejected) for line in stage.lines) == 1
    assert audit([stage.directory], Options(derive=True)).findings == []
