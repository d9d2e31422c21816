"""Each rule finds what it is there for, and says where and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.audit import Finding, Options, Report, audit
from fsm_agent.audit.catalogue import RULES
from fsm_agent.testing.stage import Stage, say

Line: TypeAlias = dict[str, Any]
Batches: TypeAlias = list[list[Line]]
Change: TypeAlias = Callable[[Batches], None]

PLAIN = "test_a_turn_without_a_person_in_between"
ONE_TOOL = f"{PLAIN}[one tool]"
RETRIED = f"{PLAIN}[429, then success]"
INTERRUPTED = "test_an_interrupt_while_two_tools_run"
DENIED = "test_denied_by_a_person_with_a_word"
QUEUED = "test_a_queued_line_is_the_next_turn"
CRASHED = "test_a_crash_then_a_resume[while a tool runs]"
CUT = "test_a_cut_by_hand"
PLANNED = "test_a_plan_is_drafted_confirmed_and_begun"
UNANSWERED = "test_nobody_has_answered_the_draft"
CANCELLED = "test_a_cancelled_draft[the person]"
PLAN_MODE = "test_only_the_draft_is_written"


def line(batches: Batches, type_: str, number: int = 0, **fields: object) -> Line:
    """The line of this type and these fields, counted from 0 (or from the end)."""
    found = [
        each
        for batch in batches
        for each in batch
        if each["type"] == type_ and all(each.get(k) == v for k, v in fields.items())
    ]
    return found[number]


def put(type_: str, key: str, value: object, number: int = 0, **fields: object) -> Change:
    """A change of one field."""

    def change(batches: Batches) -> None:
        line(batches, type_, number, **fields)[key] = value

    return change


def drop(type_: str, number: int = 0, **fields: object) -> Change:
    """A change that leaves one line out."""

    def change(batches: Batches) -> None:
        gone = line(batches, type_, number, **fields)
        for batch in batches:
            if any(each is gone for each in batch):
                batch[:] = [each for each in batch if each is not gone]

    return change


def drop_batch_of(type_: str) -> Change:
    """A change that leaves a whole batch out."""

    def change(batches: Batches) -> None:
        batches[:] = [batch for batch in batches if batch[0]["type"] != type_]

    return change


def run_at_the_end(name: str) -> Change:
    """A change that runs a call once more, behind everything else."""

    def change(batches: Batches) -> None:
        last = batches[-1][-1]
        place = {key: last[key] for key in ("seq", "time", "kind")}
        run = {**place, "type": "run_tool", "cause": last["seq"], "instance": name, "name": "Bash"}
        batches[-1].append(run)

    return change


def run_where_denied(batches: Batches) -> None:
    """A change that runs the call just behind the no."""
    denied = line(batches, "permission", decision="deny")
    batch = next(batch for batch in batches if any(each is denied for each in batch))
    run = {k: v for k, v in denied.items() if k in ("seq", "time", "kind", "instance", "name")}
    batch.insert(batch.index(denied) + 1, {**run, "type": "run_tool", "cause": denied["cause"]})


def again(type_: str) -> Change:
    """A change that repeats a batch at once."""

    def change(batches: Batches) -> None:
        index = next(k for k, batch in enumerate(batches) if batch[0]["type"] == type_)
        batches.insert(index + 1, [dict(each) for each in batches[index]])

    return change


BLOB = {"blob": "0" * 64, "bytes": 5}
BROKEN: dict[str, tuple[str, Change]] = {
    "FSA006": (ONE_TOOL, put("transition", "time", "2025-01-01T00:00:00.000Z", 3)),
    "FSA007": (ONE_TOOL, put("transition", "cause", 4, row="T10")),
    "FSA008": (ONE_TOOL, put("finished", "output", "long " * 1000)),
    "FSA009": (ONE_TOOL, put("finished", "output", BLOB)),
    "FSA010": (ONE_TOOL, put("transition", "to", "persist", row="T20")),
    "FSA011": (ONE_TOOL, drop("transition", row="K01")),
    "FSA012": (ONE_TOOL, put("blocks", "calls", ["tool-1.7"])),
    "FSA013": (ONE_TOOL, drop("user_line")),
    "FSA014": (ONE_TOOL, drop("transition", row="S05")),
    "FSA015": (ONE_TOOL, put("session_start", "tables", {"turn": BLOB})),
    "FSA016": (ONE_TOOL, put("session_end", "_state", "0123456789abcdef")),
    "FSA017": (ONE_TOOL, again("opened")),
    "FSA018": (ONE_TOOL, put("user_line", "of", 2)),
    "FSA020": (ONE_TOOL, again("session_start")),
    "FSA021": (QUEUED, drop("transition", row="T72")),
    "FSA022": (ONE_TOOL, drop("transition", -1, row="T60")),
    "FSA023": (INTERRUPTED, run_at_the_end("tool-1.1")),
    "FSA024": (QUEUED, put("user_line", "of", 4, -1)),
    "FSA025": (CRASHED, drop_batch_of("crashed")),
    "FSA030": (ONE_TOOL, drop("tool_result")),
    "FSA031": (ONE_TOOL, put("tool_result", "id", "call_of_another")),
    "FSA032": (ONE_TOOL, put("send_request", "digest", "f" * 64, -1)),
    "FSA033": (RETRIED, put("retry", "attempt", 4)),
    "FSA034": (CUT, put("summarise", "start", 1)),
    "FSA035": (CUT, put("context_update", "after", 5)),
    "FSA036": (
        RETRIED,
        put("rejected", "failure", {"error": "context_overflow", "message": "", "retry": True}),
    ),
    "FSA037": (ONE_TOOL, put("blocks", "kept", [2])),
    "FSA038": (CUT, put("summarise", "shared", 7)),
    "FSA040": (INTERRUPTED, run_at_the_end("tool-1.1")),
    "FSA041": (ONE_TOOL, put("permission", "layer", "person")),
    "FSA042": (DENIED, run_where_denied),
    "FSA050": (PLAN_MODE, run_where_denied),
    "FSA051": (UNANSWERED, put("transition", "to", "confirming", row="P11")),
    "FSA052": (PLANNED, put("plan", "plan", "f" * 64, state="executing")),
    "FSA053": (PLANNED, put("plan", "draft", "f" * 64)),
    "FSA054": (CANCELLED, put("plan", "draft", "f" * 64, -1)),
    "FSA055": (INTERRUPTED, put("settings", "permission", "ask")),
    "FSA072": (ONE_TOOL, put("settings", "max_turns", 1)),
    "FSA082": (ONE_TOOL, put("text", "type", "spoken_word")),
}
"""For each rule a good log, and what breaks it, the chain of seals recomputed."""
ELSEWHERE = {"FSA001", "FSA002", "FSA003", "FSA004", "FSA005", "FSA070", "FSA073"}
"""Rules whose failing logs are made below, or in `test_bad_input.py`."""


def first(report: Report, rule: str) -> Finding:
    assert report.results[0].fault == ""
    assert rule in {finding.rule for finding in report.findings}, report.results[0].counts
    return next(finding for finding in report.findings if finding.rule == rule)


@pytest.mark.parametrize("rule", BROKEN)
def test_a_rule_finds_what_breaks_it(
    rule: str,
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Batches],
    sealed: Callable[[Batches], bytes],
    write: Callable[[bytes], Path],
    snapshot: SnapshotAssertion,
) -> None:
    name, change = BROKEN[rule]
    batches = opened(logs[name])
    change(batches)
    path = write(sealed(batches))

    report = audit([path], Options(derive=True, root=path.parents[1]))

    assert told(first(report, rule)) == snapshot
    assert report.exit_code != 0 or report.rule(rule).severity == "note"


def told(finding: Finding) -> dict[str, Any]:
    """A finding as plain values, with its fingerprint."""
    return {**msgspec.to_builtins(finding), "fingerprint": finding.fingerprint}


def test_every_rule_is_broken_somewhere() -> None:
    assert {rule.id for rule in RULES} == set(BROKEN) | ELSEWHERE


@pytest.mark.parametrize("where", ["seen", "summarised"])
def test_a_lost_draft_or_summary_is_a_lost_blob_and_no_fault_of_ours(
    where: str,
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Batches],
    sealed: Callable[[Batches], bytes],
    write: Callable[[bytes], Path],
) -> None:
    batches = opened(logs[PLANNED])
    put(where, "text", BLOB)(batches)

    for derive in (False, True):
        report = audit([write(sealed(batches))], Options(derive=derive))
        assert report.results[0].fault == ""
        assert first(report, "FSA009").subject in (where, "prompt")


async def test_figures_beside_the_log_are_compared(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, "text: Hello.\nusage: 12 3")
    await stage.play(say("go"))
    assert audit([stage.directory]).findings == []

    figures = stage.directory / "stats.json"
    figures.write_text(figures.read_text().replace("12", "13"))

    report = audit([stage.directory], Options(root=stage.directory))
    assert told(first(report, "FSA070")) == snapshot
    assert report.exit_code == 0
    assert audit([stage.directory], Options(severity="warning")).exit_code == 10


async def test_a_loop_of_the_same_call_is_told_once(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, '---\ncall: Read {"path": "a"}\n' * 4 + "---\ntext: I give up.")
    await stage.play(say("go"))

    report = audit([stage.directory], Options(root=stage.directory))

    assert told(first(report, "FSA073")) == snapshot
    assert report.results[0].counts == {"FSA073": 1}


def test_a_fingerprint_is_the_same_in_another_place(
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Batches],
    sealed: Callable[[Batches], bytes],
    write: Callable[[bytes], Path],
) -> None:
    def found(log: str) -> Finding:
        batches = opened(logs[log])
        put("tool_result", "id", "call_of_another")(batches)
        return first(audit([write(sealed(batches))]), "FSA031")

    one, other = found(ONE_TOOL), found("test_an_edit_waits_for_the_read_of_the_same_file")

    assert one.seq != other.seq
    assert one.fingerprint == other.fingerprint
