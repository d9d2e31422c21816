"""Cuts of the context, as sequences of lines; each proves itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Economy, Price
from fsm_agent.testing.acting import is_line, prove
from fsm_agent.testing.stage import CWD, Cue, Scene, Stage, say
from fsm_agent.tools.compressing import compress_tool
from fsm_agent.tools.protocol import Tool, Workplace

FIELDS = "Task focus: the port. Progress: three parts are done."
PRICE = Price(input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=3_750_000)
EAGER = Economy(automatic=True, fixed=0, summary=20, instruction=5, turns=40, price=PRICE)
"""With short lines, too, a summary pays."""
NARROW = Economy(automatic=True, window=2000, keep="0.3")
"""Nothing pays with so short lines, but the window is soon full."""

WIDE = Economy(keep="0.8")
"""Most turns stay where a cut is asked for."""


def cues() -> dict[str, Tool]:
    return {name: Cue(name) for name in ("Read", "Edit", "Bash")}


def part(number: int, usage: str, words: int = 400) -> str:
    call = msgspec.json.encode({"path": f"{number}.py", "output": "word " * words}).decode()
    return (
        f"--- part {number}\ncall: Read {call}\nusage: {usage}\n"
        f"---\ntext: Part {number} is done.\nusage: {usage}"
    )


def parts(count: int, *summaries: str, usage: str = "900 20", words: int = 400) -> str:
    """Answers for so many turns, of one call and one text each; what summaries are given."""
    steps = [part(number, usage, words) for number in range(1, count + 1)]
    return "\n".join([*steps, *(f"--- summary\n{summary}" for summary in summaries)])


def told(count: int) -> Iterator[list[i.Event]]:
    return (say(f"part {number}") for number in range(1, count + 1))


def updates(stage: Stage) -> list[d.ContextUpdate]:
    return [line.event for line in stage.lines if isinstance(line.event, d.ContextUpdate)]


def asked(stage: Stage) -> list[d.Summarise]:
    return [line.event for line in stage.lines if isinstance(line.event, d.Summarise)]


async def test_a_cut_that_pays(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, parts(4, f"text: {FIELDS}\nusage: 100 50 800"), economy=EAGER)
    await stage.play(*told(4))

    assert stage.log == lines
    update, *_ = updates(stage)
    assert (update.strategy, update.why) == ("summary", "benefit")
    assert update.cost == 100 * 3 + 50 * 15 + 800 * 3 // 10
    prove(stage)


async def test_a_cut_by_the_valve(tmp_path: Path, lines: SnapshotAssertion) -> None:
    script = parts(3, f"text: {FIELDS}", usage="1801 20", words=20)
    stage = Stage(tmp_path, script, economy=NARROW)
    await stage.play(*told(3))

    assert stage.log == lines
    assert {update.why for update in updates(stage)} == {"valve"}
    prove(stage)


async def test_a_cut_by_hand(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, parts(3, f"text: {FIELDS}"))
    await stage.play(*told(2), [i.CompactCommand(instruction="Keep the names.")], say("part 3"))

    assert stage.log == lines
    assert [update.why for update in updates(stage)] == ["manual"]
    prove(stage)


async def test_a_cut_by_hand_where_nothing_would_go(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, parts(1))
    await stage.play([i.CompactCommand()], *told(1))

    assert stage.log == lines
    prove(stage)


async def test_a_summary_that_says_nothing_changes_nothing(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, parts(3, "thinking: What?\nstop: end_turn"), max_retries=1)
    await stage.play(*told(2), [i.CompactCommand()], say("part 3"))

    assert stage.log == lines
    assert updates(stage) == []
    prove(stage)


async def test_a_refused_summary_is_asked_for_again_then_given_up(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, parts(3, "error: 503 busy"), max_retries=2)
    await stage.play(*told(2), [i.CompactCommand()], say("part 3"))

    assert stage.log == lines
    assert [request.digest for request in asked(stage)] == [asked(stage)[0].digest] * 3
    assert updates(stage) == []
    prove(stage)


async def test_an_interrupt_while_the_summary_is_written(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, parts(3, "text: Task\nhang"))

    def react(line: Line) -> Sequence[Sequence[i.Event]]:
        return [[i.Interrupt()]] if is_line(line, "summarise", "compaction") else ()

    await stage.play(*told(2), [i.CompactCommand()], say("part 3"), react=react)

    assert stage.log == lines
    assert updates(stage) == []
    prove(stage)


async def test_a_server_that_refuses_the_context_is_asked_again_with_less(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    script = f"{parts(2)}\n---\nerror: 400 code=context_length_exceeded too long\ntext: Now.\n"
    stage = Stage(tmp_path, f"{script}--- summary\ntext: {FIELDS}")
    await stage.play(*told(2), say("and now?"))

    assert stage.log == lines
    assert [update.why for update in updates(stage)] == ["overflow"]
    prove(stage)


async def test_an_overflow_is_cut_once_not_before_each_further_request(tmp_path: Path) -> None:
    calls = "\n".join(f'---\ncall: Read {{"path": "{n}"}}' for n in range(3))
    script = f"{parts(2)}\n---\nerror: 400 code=context_length_exceeded too long\n{calls[4:]}"
    stage = Stage(tmp_path, f"{script}\n---\ntext: Done.\n--- summary\ntext: {FIELDS}")
    await stage.play(*told(2), say("and now?"))

    assert [request.why for request in asked(stage)] == ["overflow"]
    assert stage.tools["Read"].effects[-1] == {"path": "2"}
    prove(stage)


async def test_one_long_turn_keeps_its_request(tmp_path: Path, lines: SnapshotAssertion) -> None:
    calls = [f'call: Read {{"path": "{n}", "output": "word word word"}}' for n in range(6)]
    script = "\n".join([*[f"---\n{call}\nusage: 1900 10" for call in calls], "---\ntext: Done."])
    stage = Stage(tmp_path, f"{script}\n--- summary\ntext: {FIELDS}", economy=NARROW)
    await stage.play(say("all of it"))

    assert stage.log == lines
    assert {update.strategy for update in updates(stage)} == {"pinned_request"}
    prove(stage)


async def test_a_context_that_does_not_become_smaller_is_cut_twice_a_turn_at_most(
    tmp_path: Path,
) -> None:
    call = 'call: Read {"path": "a", "output": "word word word"}\nusage: 1900 10'
    script = "\n".join([*[f"--- {n}\n{call}" for n in range(12)], "---\ntext: Done."])
    stage = Stage(tmp_path, f"{script}\n--- summary\ntext: {FIELDS}", economy=NARROW)
    await stage.play(say("all of it"))

    assert len(asked(stage)) == 2
    prove(stage)


async def test_what_was_cut_can_be_had_back(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, parts(4, f"text: {FIELDS}"))
    back = [i.Command(name="uncompact")]
    await stage.play(*told(2), [i.CompactCommand()], say("part 3"), back, say("part 4"))

    assert stage.log == lines
    prove(stage)


async def test_what_was_overtaken_goes_where_the_prefix_breaks_anyway(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    read = 'call: Read {"path": "a.py", "output": "' + "old " * 60 + '"}'
    failed = 'call: Bash {"command": "' + "x" * 200 + '", "ok": false, "output": "Error: no"}'
    steps = [f"--- {n}\n{read}\n{failed}\n---\ntext: Part {n}." for n in range(1, 8)]
    stage = Stage(tmp_path, "\n".join([*steps, f"--- summary\ntext: {FIELDS}"]), economy=WIDE)
    await stage.play(*told(7), [i.CompactCommand()], say("and?"))

    assert stage.log == lines
    assert [update.strategy for update in updates(stage)].count("duplicate") == 3
    prove(stage)


async def test_the_models_own_summary_is_put_in_at_the_next_cut(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    asking = {"first_turn": 4, "last_turn": 5, "summary": "Parts 4 and 5 are done."}
    call = f"call: Compress {msgspec.json.encode(asking).decode()}"
    script = "\n".join(
        [parts(8), f"--- 9\n{call}\n---\ntext: Noted.", f"--- summary\ntext: {FIELDS}"]
    )
    scene = Scene({**cues(), "Compress": compress_tool()}, Workplace(root=CWD, environment={}))
    stage = Stage(tmp_path, script, scene=scene, economy=WIDE)
    await stage.play(*told(8), say("make room"), [i.CompactCommand()], say("and?"))

    assert stage.log == lines
    assert [(u.strategy, u.call) for u in updates(stage)] == [
        ("summary", None),
        ("compressed", "4–5"),
    ]
    prove(stage)


async def test_turns_that_are_named_by_words_are_numbers_all_the_same(tmp_path: Path) -> None:
    asking = {"first_turn": "4", "last_turn": 5.0, "summary": "Parts 4 and 5 are done."}
    call = f"call: Compress {msgspec.json.encode(asking).decode()}"
    script = f"{parts(8)}\n--- 9\n{call}\n---\ntext: Noted.\n--- summary\ntext: {FIELDS}"
    scene = Scene({**cues(), "Compress": compress_tool()}, Workplace(root=CWD, environment={}))
    stage = Stage(tmp_path, script, scene=scene, economy=WIDE)
    await stage.play(*told(8), say("make room"), [i.CompactCommand()], say("and?"))

    assert [update.call for update in updates(stage)] == [None, "4–5"]
    prove(stage)


async def test_the_model_is_told_once_that_the_context_is_filling_up(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, parts(5, usage="1500 20", words=20), economy=Economy(window=2000))
    await stage.play(*told(5))

    assert stage.log == lines
    notes = [line.event for line in stage.lines if isinstance(line.event, d.Notices)]
    assert [note.nudge for note in notes] == [True]
    prove(stage)


async def test_a_changed_file_is_told_with_the_next_line_not_after_a_command(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    changed = i.Seen(what="instructions", path="/project/AGENTS.md", text="Be brief.")
    stage = Stage(tmp_path, parts(3))
    await stage.play(*told(2), [changed], [i.CompactCommand()], say("part 3"))

    assert stage.log == lines
    events = [line.event for line in stage.lines]
    lines_and_notes = [e.instance for e in events if isinstance(e, d.Notices | d.UserLine)]
    assert lines_and_notes == ["turn-1", "turn-2", "turn-3", "turn-3"]
    prove(stage)


async def test_an_answer_that_filled_the_context_is_asked_for_again_behind_a_cut(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    script = f"{parts(2)}\n---\ntext: It is\nstop: context_overflow\ntext: It is so.\n"
    stage = Stage(tmp_path, f"{script}--- summary\ntext: {FIELDS}")
    await stage.play(*told(2), say("and now?"))

    assert stage.log == lines
    assert [update.why for update in updates(stage)] == ["overflow"]
    prove(stage)


async def test_a_window_counts_by_sizes_where_no_usage_is_reported(tmp_path: Path) -> None:
    economy = Economy(automatic=True, window=2000, fixed=500)
    silent = [part(number, "0 0").replace("\nusage: 0 0", "") for number in range(1, 4)]
    stage = Stage(tmp_path, "\n".join([*silent, f"--- summary\ntext: {FIELDS}"]), economy=economy)
    await stage.play(*told(3))

    assert "valve" in {update.why for update in updates(stage)}
    prove(stage)
