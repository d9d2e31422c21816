"""Cuts of the context and the plan, as debugger and exports tell them."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events.values import Blob
from fsm_agent.interfaces.debugging.console import Debugger
from fsm_agent.interfaces.debugging.stepping import Stepper
from fsm_agent.interfaces.exporting.transcribing import transcribe
from fsm_agent.interfaces.exporting.transcript import Answer, News, Transcript, Turn
from fsm_agent.log.reading import read

LOGS = Path(__file__).parents[1] / "runtime" / "__snapshots__"
PAYS = LOGS / "test_cuts" / "test_a_cut_that_pays.jsonl"
PLANNED = LOGS / "test_plans" / "test_a_plan_is_drafted_confirmed_and_begun.jsonl"


def no_blobs(blob: Blob) -> str:
    raise AssertionError(blob)


def no_bytes(blob: Blob) -> bytes:
    raise AssertionError(blob)


def obeyed(capsys: pytest.CaptureFixture[str], log: Path, *commands: str) -> str:
    debugger = Debugger(Stepper(read(log), no_blobs))
    for command in commands:
        assert debugger.obey(command)
    return capsys.readouterr().out


def seq_of(log: Path, part: str) -> int:
    """The first line that holds this text."""
    return next(n for n, line in enumerate(log.read_text().splitlines()) if part in line)


def test_what_a_cut_would_save_is_told_at_each_point(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    asked = seq_of(PAYS, '"type":"summarise"')

    assert obeyed(capsys, PAYS, f"g {asked - 1}", "p economy") == snapshot


def test_a_draft_and_the_plan_that_comes_of_it_are_shown(
    capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    drafted = seq_of(PLANNED, '"what":"draft"')
    locked = seq_of(PLANNED, '"state":"executing"')

    assert obeyed(capsys, PLANNED, f"g {drafted}", "p plan", f"g {locked}", "p plan") == snapshot


def test_a_plan_leads_back_to_the_words_that_asked_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    locked = seq_of(PLANNED, '"state":"executing"')
    said = obeyed(capsys, PLANNED, f"why {locked}").splitlines()
    kinds = [line.split()[3] for line in said]

    assert kinds[:5] == ["plan", "transition", "transition", "summarised", "summarise"]
    assert "tool_call" in kinds
    assert said[-1].endswith("text=go")


def test_a_cut_in_between_shows_only_what_went(capsys: pytest.CaptureFixture[str]) -> None:
    update = seq_of(PLANNED, '"type":"context_update"')
    said = obeyed(capsys, PLANNED, f"diff {update - 1} {update}").splitlines()

    assert "cuts: 0 → 1" in said
    assert [line for line in said if line[:2] == "+ "] == []
    assert [line for line in said if line[:3] in ("- 1", "- 4", "- p")] == ["- 1", "- 4"]


def news(told: Transcript) -> list[str]:
    parts = [p for part in told.parts for p in (part.parts if isinstance(part, Turn) else [part])]
    return [part.text for part in parts if isinstance(part, News)]


def test_exports_tell_of_cuts_and_of_the_plan() -> None:
    told = transcribe(read(PLANNED), no_bytes)

    assert "the plan is in 'drafting' 260a0eff149e" in news(told)
    assert "the context was cut from 534 to 157 tokens: plan_confirm" in news(told)


def test_the_usage_of_a_summary_is_no_answer_s() -> None:
    told = transcribe(read(PAYS), no_bytes)
    parts = [part for turn in told.parts if isinstance(turn, Turn) for part in turn.parts]
    used = [part.usage for part in parts if isinstance(part, Answer) and part.usage]

    assert {usage.prompt for usage in used} == {900}
    assert told.usage.prompt > sum(usage.prompt for usage in used)
