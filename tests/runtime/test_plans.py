"""The plan, as sequences of lines; each proves itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.testing.acting import Crash, is_line, prove
from fsm_agent.testing.drafting import Drafts, draft, messages, moves, staged, writes
from fsm_agent.testing.stage import Stage, say

TEXT, NEWER = "1. Port the parser.", "1. Port the parser. 2. Run its tests."
BEGUN = ['call: Read {"path": "a.py"}', "text: It is a port."]
PLANNED = [writes(TEXT), "text: Shall I?"]
CONFIRM, CLEAR, CANCEL = (f"call: Plan{verb} {{}}" for verb in ("Confirm", "Clear", "Cancel"))
DONE, SUMMARY = "text: Done.", "--- summary\ntext: Task focus: the port."
YES, NO, OVER = (i.PlanCommand(verb=verb) for verb in ("CONFIRM", "CANCEL", "CLEAR"))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def requests(stage: Stage) -> list[d.SendRequest]:
    return [line.event for line in stage.lines if isinstance(line.event, d.SendRequest)]


def results(stage: Stage) -> list[str]:
    return [line.event.content for line in stage.lines if isinstance(line.event, d.ToolResult)]


def plans(stage: Stage) -> list[d.Plan]:
    return [line.event for line in stage.lines if isinstance(line.event, d.Plan)]


def count(stage: Stage, kind: str) -> int:
    return sum(is_line(line, kind) for line in stage.lines)


async def test_a_plan_is_drafted_confirmed_and_begun(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    script = [*BEGUN * 4, *PLANNED, CONFIRM, DONE, CONFIRM, DONE, SUMMARY]
    stage, model = staged(tmp_path, *script)
    person = (say(text) for text in ("1", "2", "3", "4", "plan it", "go", "again"))
    await stage.play(*person, react=Drafts())

    assert stage.log == lines
    bodies = list(map(messages, model.bodies))
    summary = next(body for body in bodies if INSTRUCTION in body[-1]["content"])
    at = bodies.index(summary)
    assert summary[0] == bodies[at - 1][0]  # (a)
    assert TEXT not in summary[0]["content"]
    assert summary[1:-1] == bodies[at - 1][1:17]
    (locked,) = [plan for plan in plans(stage) if plan.state == "executing"]
    assert (locked.draft, locked.plan) == ("", sha256(TEXT))  # (b)
    after = bodies[at + 1]
    assert after[1:6] == bodies[at - 1][17:22]  # (c)
    assert [message["role"] for message in after[6:]] == ["assistant", "tool"]
    assert TEXT in after[0]["content"]
    fresh = [request.shared == 0 for request in requests(stage)]
    assert fresh == [True, *[False] * 10, True, *[False] * 2]  # (d)
    assert moves(stage) == [
        "REVISE drafting",
        "CONFIRM confirming",  # (e)
        "settled executing",
        "CONFIRM executing",
    ]
    assert count(stage, "summarise") == 1  # (f)
    assert "there is no draft" in results(stage)[-1]
    prove(stage)


async def test_a_plan_of_the_first_turn_is_confirmed_without_a_cut(tmp_path: Path) -> None:
    stage, model = staged(tmp_path, CONFIRM, DONE)
    await stage.play(draft(TEXT), say("go"))

    assert count(stage, "summarise") == 0
    assert [TEXT in prompt for prompt in model.prompts] == [False, True]
    prove(stage)


@pytest.mark.parametrize("who", ["the model", "the person"])
async def test_a_cancelled_draft(who: str, tmp_path: Path, lines: SnapshotAssertion) -> None:
    said, steps = (say("no"), [CANCEL, DONE]) if who == "the model" else ([NO], [])
    stage, model = staged(tmp_path, *PLANNED, *steps, DONE)
    await stage.play(say("plan it"), said, say("other work"), react=Drafts())

    assert stage.log == lines
    assert moves(stage) == ["REVISE drafting", "CANCEL none"]
    assert count(stage, "summarise") == 0
    assert not any(TEXT in prompt for prompt in model.prompts)
    prove(stage)


async def test_a_new_plan_while_one_is_carried_out(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    script = [*PLANNED, writes(NEWER), "text: And now?", CONFIRM, DONE]
    stage, model = staged(tmp_path, *script, SUMMARY)
    await stage.play(say("plan it"), [YES], say("but test it"), say("go"), react=Drafts())

    assert stage.log == lines
    assert moves(stage) == [
        *("REVISE drafting", "CONFIRM confirming", "settled executing"),
        *("REVISE drafting", "CONFIRM confirming", "settled executing"),
    ]
    assert [(plan.draft, plan.plan) for plan in plans(stage)] == [
        *((sha256(TEXT), ""), ("", sha256(TEXT))),
        *((sha256(NEWER), sha256(TEXT)), ("", sha256(NEWER))),
    ]
    assert NEWER in model.prompts[-1]
    prove(stage)


async def test_a_new_draft_that_is_cancelled_leaves_the_plan_in_force(tmp_path: Path) -> None:
    stage, model = staged(tmp_path, DONE, SUMMARY)
    await stage.play(draft(TEXT), [YES], draft(NEWER), [NO], say("go on"))

    assert moves(stage)[-2:] == ["REVISE drafting", "CANCEL executing"]
    assert TEXT in model.prompts[-1]
    assert NEWER not in model.prompts[-1]
    prove(stage)


@pytest.mark.parametrize(
    "summary", ["error: 400 no", "thinking: Well.\nstop: end_turn"], ids=["refused", "empty"]
)
async def test_a_plan_is_locked_also_where_the_summary_fails(
    summary: str, tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage, model = staged(tmp_path, *BEGUN, *PLANNED, CONFIRM, DONE, f"--- summary\n{summary}")
    await stage.play(say("look"), say("plan it"), say("go"), react=Drafts())

    assert stage.log == lines
    assert moves(stage)[-1] == "settled executing"
    assert count(stage, "context_update") == 0
    bodies = list(map(messages, model.bodies))
    *_, before, after = (body for body in bodies if INSTRUCTION not in body[-1]["content"])
    assert after[1 : len(before)] == before[1:]
    assert TEXT in model.prompts[-1]
    prove(stage)


async def test_nobody_has_answered_the_draft(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage, _ = staged(tmp_path, PLANNED[0], CONFIRM, DONE)
    await stage.play(say("plan it and do it"), react=Drafts())

    assert stage.log == lines
    assert moves(stage) == ["REVISE drafting", "CONFIRM drafting"]
    assert "nobody has answered the draft" in results(stage)[-1]
    prove(stage)


async def test_a_draft_that_moves_while_the_summary_is_written(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage, model = staged(tmp_path, *BEGUN, *PLANNED, CONFIRM, DONE, SUMMARY)
    drafts = Drafts()

    def react(line: Line) -> Iterator[Sequence[i.Event]]:
        yield from drafts(line)
        if is_line(line, "summarise"):
            yield draft(NEWER)

    await stage.play(say("look"), say("plan it"), say("go"), react=react)

    assert stage.log == lines
    assert moves(stage)[-2:] == ["REVISE confirming", "settled drafting"]
    assert (plans(stage)[-1].draft, plans(stage)[-1].plan) == (sha256(NEWER), sha256(TEXT))
    assert TEXT in model.prompts[-1]
    assert NEWER not in model.prompts[-1]
    prove(stage)


async def test_an_interrupt_while_confirming(tmp_path: Path, lines: SnapshotAssertion) -> None:
    hanging = "--- summary\ntext: Task\nhang"
    stage, model = staged(tmp_path, *BEGUN, *PLANNED, CONFIRM, DONE, hanging)
    drafts = Drafts()

    def react(line: Line) -> Iterator[Sequence[i.Event]]:
        yield from drafts(line)
        if is_line(line, "summarise"):
            yield [i.Interrupt()]

    await stage.play(say("look"), say("plan it"), say("go"), say("well?"), react=react)

    assert stage.log == lines
    assert moves(stage)[-1] == "dropped drafting"
    assert not any(TEXT in prompt for prompt in model.prompts)
    prove(stage)


@pytest.mark.parametrize("who", ["the model", "the person"])
async def test_a_crash_while_confirming(who: str, tmp_path: Path, lines: SnapshotAssertion) -> None:
    said, steps = (say("go"), [CONFIRM]) if who == "the model" else ([YES], [])
    stage, model = staged(tmp_path, *BEGUN, *PLANNED, *steps, CONFIRM, DONE, SUMMARY)
    drafts = Drafts()

    def react(line: Line) -> Iterator[Sequence[i.Event]]:
        yield from drafts(line)
        if is_line(line, "summarise"):
            raise Crash

    with pytest.raises(Crash):
        await stage.play(say("look"), say("plan it"), said, react=react)
    await stage.resume(say("go"))

    assert stage.log == lines
    assert moves(stage)[-3:] == ["dropped drafting", "CONFIRM confirming", "settled executing"]
    assert TEXT in model.prompts[-1]
    prove(stage)


@pytest.mark.parametrize("who", ["the model", "the person"])
async def test_a_plan_that_is_done(who: str, tmp_path: Path, lines: SnapshotAssertion) -> None:
    said, steps = (say("and?"), [CLEAR]) if who == "the model" else ([OVER], [])
    stage, model = staged(tmp_path, *BEGUN, *PLANNED, DONE, *steps, DONE, DONE, SUMMARY)
    acts = say("look"), say("plan it"), [YES], say("go"), said, say("next")
    await stage.play(*acts, react=Drafts())

    assert stage.log == lines
    assert moves(stage)[-2:] == ["CLEAR clearing", "settled none"]
    assert [update.why for update in _updates(stage)] == ["plan_confirm", "plan_clear"]
    assert TEXT not in model.prompts[-1]
    prove(stage)


def _updates(stage: Stage) -> list[d.ContextUpdate]:
    updates = [line.event for line in stage.lines if isinstance(line.event, d.ContextUpdate)]
    return [update for update in updates if update.of is not None]


async def test_without_a_plan_there_is_nothing_to_clear(tmp_path: Path) -> None:
    stage, _ = staged(tmp_path, *BEGUN, CLEAR, DONE)
    await stage.play(say("look"), say("clear"))

    assert count(stage, "summarise") == 0
    assert results(stage)[-1].startswith("The plan is done")
    prove(stage)


@pytest.mark.parametrize("seen", [TEXT, NEWER])
async def test_a_yes_to_another_text_is_none(seen: str, tmp_path: Path) -> None:
    stage, _ = staged(tmp_path, DONE)
    agreed = i.PlanCommand(verb="CONFIRM", digest=sha256(seen))
    await stage.play(draft(TEXT), say("go"), [agreed])

    assert moves(stage)[-1] == ("settled executing" if seen == TEXT else "CONFIRM drafting")
    prove(stage)


@pytest.mark.parametrize(("text", "code"), [(TEXT, 9), (" ", 1), ("", 1)])
async def test_a_run_that_was_to_plan_ends_with_what_came_of_it(
    text: str, code: int, tmp_path: Path
) -> None:
    stage, _ = staged(tmp_path, writes(text) if text else DONE, DONE)

    assert await stage.play(say("plan it"), [i.Leave(reason="planned")], react=Drafts()) == code


def test_commands_have_the_words_of_the_log() -> None:
    assert msgspec.json.encode(YES) == b'{"type":"plan_command","verb":"CONFIRM"}'
