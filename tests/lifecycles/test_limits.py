"""A context that cannot be reduced is said to be so, and why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Economy
from fsm_agent.testing.acting import prove
from fsm_agent.testing.stage import Stage, say

TOO_LONG = "error: 400 code=context_length_exceeded prompt is too long"
REFUSAL = "HTTP 400 context_length_exceeded: prompt is too long"
SAID = re.compile(
    r"the context cannot be reduced: its fixed part is about \d+ of \d+ tokens "
    r"\(tools \d+, instructions \d+\)"
)


def errors(stage: Stage) -> list[d.Error]:
    return [line.event for line in stage.lines if isinstance(line.event, d.Error)]


def asked(stage: Stage, kind: type) -> int:
    return sum(isinstance(line.event, kind) for line in stage.lines)


async def test_a_first_request_that_is_too_long_is_final(tmp_path: Path) -> None:
    stage = Stage(tmp_path, TOO_LONG, economy=Economy(automatic=True, window=8000))
    code = await stage.play(say("hi"))

    (error,) = errors(stage)
    assert code == 1
    assert SAID.match(error.message)
    assert error.message.endswith(f" The server: {REFUSAL}")
    assert error.hint is not None
    assert "fewer tools" in error.hint
    assert (asked(stage, d.SendRequest), asked(stage, d.Summarise)) == (1, 0)
    prove(stage)


@pytest.mark.parametrize("before", [1, 5])
async def test_one_that_stays_too_long_is_cut_once_and_is_final(
    before: int, tmp_path: Path
) -> None:
    steps = ["text: Fine."] * before
    script = "\n---\n".join([*steps, TOO_LONG])
    stage = Stage(tmp_path, f"{script}\n--- summary\ntext: Task focus: little.")
    code = await stage.play(*(say(f"line {n}") for n in range(before)), say("more"))

    (error,) = errors(stage)
    assert code == 1
    assert SAID.match(error.message)
    assert (asked(stage, d.SendRequest), asked(stage, d.Summarise)) == (before + 2, 1)
    prove(stage)


async def test_a_summary_that_is_too_long_itself_says_what_the_server_says(tmp_path: Path) -> None:
    steps = "text: Fine.\n---\ntext: Fine."
    stage = Stage(tmp_path, f"{steps}\n--- summary\n{TOO_LONG}")
    await stage.play(say("one"), say("two"), [i.CompactCommand()])

    (error,) = errors(stage)
    assert (error.instance, error.message) == ("compaction", REFUSAL)
    prove(stage)


async def test_a_person_hears_that_there_is_nothing_to_cut(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "text: Fine.")
    await stage.play([i.CompactCommand()], say("hi"), [i.CompactCommand()])

    refusals = [line.event for line in stage.lines if isinstance(line.event, d.Refusal)]
    assert [refusal.what for refusal in refusals] == ["compact", "compact"]
    assert all(SAID.search(refusal.why) for refusal in refusals)
    prove(stage)
