"""Killed behind any batch of any session, it goes on to its end.

`FSM_AGENT_CUT_STEP` says how many bytes lie between two cuts of a batch, 7 if it is not set.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import pytest

from fsm_agent.audit import Options, audit
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Batch, type_of
from fsm_agent.events.values import Blob
from fsm_agent.lifecycles.replay import fold
from fsm_agent.log.reading import read
from fsm_agent.testing.acting import prove
from fsm_agent.testing.stage import Stage, say

CUT_STEP = int(os.environ.get("FSM_AGENT_CUT_STEP", "7"))
HERE = Path(__file__).parent
LOGS = sorted(HERE.glob("__snapshots__/*/*.jsonl"))
GO_ON = "\n".join(["---\ntext: Recovered."] * 20)
LOOKED_AT = {"one answer", "an_interrupt_while_two_tools_run", "three_parallel_tools"}
"""Logs of which the batch in their middle is cut, by a part of their names."""
LONGER = {
    "a_cut_that_pays": "context_update",
    "a_plan_is_drafted": "plan",
    "a_crash_while_confirming[the person]": "crashed",
}
"""Logs of which the last batch with such a line is cut, in fewer places."""
AUDITED = 4 if CUT_STEP > 1 else 1
"""So many batches apart, what was recovered is audited, too."""


def batches_of(log: Path) -> list[Batch]:
    return list(read(log))


def lay_down(home: Path, raw: bytes) -> Stage:
    """A stage whose session has this log, from a process that is gone."""
    place = home / "projects" / "-project" / "20251130-091244-0000"
    place.mkdir(parents=True)
    (place / "events.jsonl").write_bytes(raw)
    return Stage(home, GO_ON)


async def recover(home: Path, raw: bytes) -> Stage:
    """Resume, go on if something was cut short, say one more line, leave."""
    stage = lay_down(home, raw)
    code = await stage.resume([i.Continue()], say("and now?"))
    assert code == 0
    prove(stage)
    return stage


def counted(log: Path) -> tuple[Counter[str], Counter[str], set[str]]:
    """How often each call was run and answered, and all calls there were."""
    events = [line.event for batch in read(log) for line in batch.lines]
    run = Counter(e.instance for e in events if isinstance(e, d.RunTool))
    answered = Counter(e.instance for e in events if isinstance(e, d.ToolResult))
    return run, answered, {name for e in events if isinstance(e, d.Blocks) for name in e.calls}


def summed_up(log: Path) -> Counter[int]:
    """How often each request for a summary has led to a cut."""
    events = [line.event for batch in read(log) for line in batch.lines]
    return Counter(e.of for e in events if isinstance(e, d.ContextUpdate) and e.of is not None)


def plan_of(batches: Iterable[Batch]) -> tuple[str, str]:
    """Draft and plan after these batches."""
    world = fold(batches, no_blob)
    return world.text(world.plans.draft), world.text(world.plans.plan)


def no_blob(blob: Blob) -> str:
    raise AssertionError(blob)


def resuming(batch: Batch) -> bool:
    return isinstance(batch.lines[0].event, i.SessionResume | i.Crashed)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem.removeprefix("test_"))
async def test_killed_behind_any_batch(log: Path, tmp_path: Path) -> None:
    whole, end, batches = b"", 0, batches_of(log)
    for number, batch in enumerate(batches):
        whole += batch.raw
        stage = await recover(tmp_path / str(number), whole)

        recovered = stage.directory / "events.jsonl"
        assert recovered.read_bytes().startswith(whole)
        run, answered, calls = counted(recovered)
        assert set(run.values()) <= {1}
        assert answered == Counter(calls)
        assert stage.tools["Bash"].effects == []  # nothing is run again by itself
        assert set(summed_up(recovered).values()) <= {1}
        resumed = list(takewhile(resuming, batches_of(recovered)[number + 1 :]))
        before = batches[: number + 1]
        assert plan_of([*before, *resumed]) == plan_of(before)
        if number % AUDITED == 0:
            assert audit([recovered], Options(derive=True, severity="warning")).exit_code == 0
        end = number
    assert end > 2


@pytest.mark.parametrize("part", sorted(LOOKED_AT))
async def test_cut_at_any_byte_of_a_batch(part: str, tmp_path: Path) -> None:
    (log,) = (log for log in LOGS if part in log.stem)
    batches = batches_of(log)
    last = batches[len(batches) // 2]
    before = b"".join(batch.raw for batch in batches[: len(batches) // 2])
    whole = before + last.raw
    for cut in range(len(before) + 1, len(whole), CUT_STEP):
        stage = await recover(tmp_path / str(cut), whole[:cut])

        (torn,) = stage.directory.glob("events.torn-*")
        assert torn.read_bytes() == whole[len(before) : cut]
        assert (stage.directory / "events.jsonl").read_bytes().startswith(before)


@pytest.mark.parametrize("part", LONGER)
async def test_cut_within_a_batch_about_a_cut_or_the_plan(part: str, tmp_path: Path) -> None:
    (log,) = (log for log in LOGS if part in log.stem)
    batches = batches_of(log)
    types = [{type_of(line.event) for line in batch.lines} for batch in batches]
    place = max(n for n, of in enumerate(types) if LONGER[part] in of)
    before = b"".join(batch.raw for batch in batches[:place])
    end = len(before) + len(batches[place].raw)
    for cut in range(len(before) + 1, end, 29 * CUT_STEP):
        stage = await recover(tmp_path / str(cut), log.read_bytes()[:cut])

        assert (stage.directory / "events.jsonl").read_bytes().startswith(before)
        assert set(summed_up(stage.directory / "events.jsonl").values()) <= {1}


async def test_a_second_resume_adds_no_second_recovery(tmp_path: Path) -> None:
    (log,) = (log for log in LOGS if "while_two_tools_run" in log.stem)
    batches = batches_of(log)
    running = next(
        n for n, b in enumerate(batches) if any(isinstance(x.event, d.RunTool) for x in b.lines)
    )
    stage = lay_down(tmp_path, b"".join(b.raw for b in batches[: running + 1]))
    await stage.resume()
    first = (stage.directory / "events.jsonl").read_bytes()

    await stage.resume()

    again = (stage.directory / "events.jsonl").read_bytes()
    assert again.startswith(first)
    assert again.count(b'"type":"crashed"') == 1
    assert again.count(b'"type":"tool_result"') == first.count(b'"type":"tool_result"')
    prove(stage)
