"""In plan mode only the draft is written, whatever was allowed before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.testing.acting import Person, is_line, prove
from fsm_agent.testing.drafting import Drafts, moves, staged, writes
from fsm_agent.testing.stage import Stage, say

ACTS = """\
call: Bash {"command": "rm -r src"}
call: Edit {"path": "a.py"}
call: Read {"path": "a.py"}"""
DONE = "text: Done."
ASKING = {"permission": "ask", "person": True}


def judged(stage: Stage) -> list[tuple[str, str, str]]:
    """Each call that was judged: which, how, by which layer."""
    events = [line.event for line in stage.lines]
    return [(e.name, e.decision, e.layer) for e in events if isinstance(e, d.Permission)]


async def test_only_the_draft_is_written(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage, _ = staged(tmp_path, ACTS, writes("1. Port it."), DONE, permission="plan")
    await stage.play(say("plan it"), react=Drafts())

    assert stage.log == lines
    assert judged(stage) == [
        ("Bash", "deny", "mode"),
        ("Edit", "deny", "mode"),
        ("Read", "allow", "tool"),
        ("Edit", "allow", "plan"),
    ]
    assert moves(stage) == ["REVISE drafting"]
    prove(stage)


async def test_a_confirmed_plan_does_not_lift_the_mode(tmp_path: Path) -> None:
    steps = writes("1. Port it."), DONE, "call: PlanConfirm {}", ACTS, DONE
    stage, _ = staged(tmp_path, *steps, permission="plan")
    await stage.play(say("plan it"), say("go"), react=Drafts())

    assert moves(stage)[-1] == "settled executing"
    assert [decision for name, decision, _ in judged(stage) if name == "Bash"] == ["deny"]
    prove(stage)


async def test_what_was_being_asked_when_the_mode_became_plan_is_blocked(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage, _ = staged(tmp_path, 'call: Bash {"command": "make"}', DONE, **ASKING)

    def react(line: Line) -> Iterator[Sequence[i.Event]]:
        if isinstance(line.event, d.AskUser):
            settings = next(e.event for e in stage.lines if isinstance(e.event, i.Settings))
            yield [msgspec.structs.replace(settings, permission="plan")]
            name = line.event.instance
            yield [i.Approved(instance=name, activity=line.seq)]

    await stage.play(say("build it"), react=react)

    assert stage.log == lines
    assert judged(stage) == [("Bash", "deny", "mode")]
    assert not any(is_line(line, "run_tool") for line in stage.lines)
    prove(stage)


async def test_a_standing_yes_does_not_hold_in_plan_mode(tmp_path: Path) -> None:
    make = 'call: Bash {"command": "make"}'
    asker = Person(("command", ""))
    stage, _ = staged(tmp_path, make, DONE, make, DONE, asker=asker, **ASKING)
    plan = i.Settings(protocol="scripted", model="script", permission="plan", person=True)
    await stage.play(say("build it"), [plan], say("again"))

    assert [decision for _, decision, _ in judged(stage)] == ["allow", "deny"]
    prove(stage)
