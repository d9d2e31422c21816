"""Each situation of a turn writes exactly these lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.providers.recorded import RecordedProvider, Recording
from fsm_agent.testing.acting import Person, is_line, prove
from fsm_agent.testing.stage import Stage, say

Inputs = Iterator[Sequence[i.Event]]
STOP = [i.Interrupt()]


ONE_TOOL = '---\ncall: Read {"path": "a.py"}\nusage: 100 10\n---\ntext: Done.\nusage: 150 5'
TWO_RUN = '---\ncall: Bash {"command": "a", "cue": "a"}\ncall: Bash {"command": "b", "cue": "b"}'

PLAIN = {
    "one answer": "text: Hello.\nusage: 12 3",
    "thinking, then text": "thinking: Hm.\ntext: Yes.",
    "one tool": ONE_TOOL,
    "tool error": '---\ncall: Read {"path": "a", "ok": false, "output": "Error: no"}\n---\ntext: Oh.',
    "unknown tool": '---\ncall: Fetch {"url": "x"}\n---\ntext: Then not.',
    "outside the workspace": '---\ncall: Read {"path": "../secret"}\n---\ntext: Then not.',
    "429, then success": "error: 429 retry-after=0.003 slow down\ntext: Hello.",
    "401": "error: 401 no such key",
    "stream cut before the first text": "broken\ntext: Hello.",
    "stream cut after the first text": "text: Hello, wor\nbroken\ntext: never asked for",
    "truncated answer with a call": 'text: I will\ncall: Bash {"command": "x"}\nstop: max_tokens',
    "refusal": "text: I won't.\nstop: refusal",
    "pause": "---\ntext: Let me see.\nstop: pause\n---\ntext: Seen.",
    "empty answer twice": "stop: end_turn",
    "context overflow": "error: 400 code=context_length_exceeded too long",
}


@pytest.mark.parametrize("name", PLAIN)
async def test_a_turn_without_a_person_in_between(
    name: str, tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, PLAIN[name])
    await stage.play(say("go"))
    assert stage.log == lines
    prove(stage)


async def test_three_parallel_tools_end_out_of_order(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    calls = "\n".join(f'call: Bash {{"command": "{c}", "cue": "{c}"}}' for c in "abc")
    stage = Stage(tmp_path, f"---\n{calls}\n---\ntext: Done.")

    def react(line: Line) -> None:
        if is_line(line, "run_tool", "tool-1.3"):
            stage.tools["Bash"].end("c", "third")
        if is_line(line, "tool_result", "tool-1.3"):
            stage.tools["Bash"].end("a", "first")
        if is_line(line, "tool_result", "tool-1.1"):
            stage.tools["Bash"].end("b", "second")

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_an_edit_waits_for_the_read_of_the_same_file(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    calls = 'call: Read {"path": "a"}\ncall: Edit {"path": "a"}\ncall: Read {"path": "b"}'
    stage = Stage(tmp_path, f"---\n{calls}\n---\ntext: Done.")
    await stage.play(say("go"))
    assert stage.log == lines
    prove(stage)


INTERRUPTED = {
    "in call": ("text: never heard", "send_request"),
    "in wait": ("error: 503 busy\ntext: never heard", "sleep"),
    "in stream": ("text: Hello, \nhang", "read_answer"),
}


@pytest.mark.parametrize("name", INTERRUPTED)
async def test_an_interrupt(name: str, tmp_path: Path, lines: SnapshotAssertion) -> None:
    script, kind = INTERRUPTED[name]
    stage = Stage(tmp_path, script, retry_base_ms=60_000)

    def react(line: Line) -> Inputs:
        if is_line(line, kind):
            yield STOP

    assert await stage.play(say("go"), react=react) == 130
    assert stage.log == lines
    prove(stage)


async def test_an_interrupt_while_two_tools_run(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, TWO_RUN)

    def react(line: Line) -> Inputs:
        if is_line(line, "run_tool", "tool-1.2"):
            yield STOP

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_an_interrupt_while_asking(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, TWO_RUN, asker=Person(), permission="ask", person=True)

    def react(line: Line) -> Inputs:
        if is_line(line, "ask_user", "tool-1.2"):
            yield STOP

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_denied_by_a_person_with_a_word(tmp_path: Path, lines: SnapshotAssertion) -> None:
    person = Person(("no", "use make"))
    script = '---\ncall: Bash {"command": "x"}\n---\ntext: I see.'
    stage = Stage(tmp_path, script, asker=person, permission="ask", person=True)
    await stage.play(say("go"))
    assert stage.log == lines
    prove(stage)


async def test_a_standing_yes_is_asked_for_once(tmp_path: Path, lines: SnapshotAssertion) -> None:
    person = Person(("command", ""), ("no", ""))
    call = '---\ncall: Bash {"command": "make"}\n'
    script = f'{call}{call}---\ncall: Bash {{"command": "make clean"}}\n---\ntext: Done.'
    stage = Stage(tmp_path, script, asker=person, permission="ask", person=True)
    await stage.play(say("go"))
    assert stage.log == lines
    prove(stage)


async def test_nobody_to_ask_is_exit_9(tmp_path: Path, lines: SnapshotAssertion) -> None:
    script = '---\ncall: Bash {"command": "x"}\n---\ntext: Then not.'
    stage = Stage(tmp_path, script, permission="ask")
    assert await stage.play(say("go")) == 9
    assert stage.log == lines
    prove(stage)


async def test_the_step_limit(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, ONE_TOOL, max_turns=1)
    assert await stage.play(say("go")) == 8
    assert stage.log == lines
    prove(stage)


async def test_the_last_allowed_step_is_no_limit(tmp_path: Path) -> None:
    stage = Stage(tmp_path, ONE_TOOL, max_turns=2)
    assert await stage.play(say("go")) == 0


async def test_a_queued_line_is_the_next_turn(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, "---\ntext: One.\n---\ntext: Two.")

    def react(line: Line) -> Inputs:
        if is_line(line, "read_answer", "turn-1"):
            yield say("and then?")

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_an_injected_line_joins_at_the_next_gap(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, ONE_TOOL)

    def react(line: Line) -> Inputs:
        if is_line(line, "run_tool"):
            yield [i.UserInject(text="mind the tests")]

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_a_line_while_busy_returns_after_an_interrupt(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, "text: Hello, \nhang")

    def react(line: Line) -> Inputs:
        if is_line(line, "read_answer"):
            yield say("next")
            yield STOP

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_a_line_while_busy_returns_after_a_failure(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, "text: Hello, \nbroken")

    def react(line: Line) -> Inputs:
        if is_line(line, "read_answer"):
            yield say("next")

    assert await stage.play(say("go"), react=react) == 1
    assert stage.log == lines
    prove(stage)


async def test_leaving_gives_a_waiting_line_back(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, "text: Hello, \nhang")

    def react(line: Line) -> Inputs:
        if is_line(line, "read_answer"):
            yield say("next")
            yield [i.Leave(reason="quit")]

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_going_on_after_an_interrupt(tmp_path: Path, lines: SnapshotAssertion) -> None:
    stage = Stage(tmp_path, "---\ntext: Hello, \nhang\n---\ntext: world.")

    def react(line: Line) -> Inputs:
        if is_line(line, "read_answer", "turn-1"):
            yield STOP

    await stage.play(say("go"), [i.Continue()], [i.Continue()], react=react)
    assert stage.log == lines
    prove(stage)


async def test_a_late_outcome_is_logged_and_not_acted_on(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    stage = Stage(tmp_path, "text: Hello.")

    def react(line: Line) -> Inputs:
        if isinstance(line.event, d.SessionEnd) or not is_line(line, "stop"):
            return
        yield [
            i.Text(instance="turn-1", activity=9, n=0, text="too late"),
            i.Completed(instance="turn-1", activity=9, stop="end_turn"),
        ]

    await stage.play(say("go"), react=react)
    assert stage.log == lines
    prove(stage)


async def test_malformed_arguments_are_told_to_the_model(
    tmp_path: Path, lines: SnapshotAssertion
) -> None:
    call = b'{"index":0,"id":"c1","function":{"name":"Bash","arguments":"{\\"command\\": "}}'
    bodies = [
        b'{"delta":{"tool_calls":[%s]},"finish_reason":"tool_calls"}' % call,
        b'{"delta":{"content":"I see."},"finish_reason":"stop"}',
    ]
    head = (("content-type", "text/event-stream"),)
    answers = [
        Recording(200, head, b'data: {"choices":[%s]}\n\ndata: [DONE]\n\n' % body)
        for body in bodies
    ]
    spoken = i.Settings(protocol="openai", model="script")
    provider = RecordedProvider(spoken, answers, now=lambda: 0.0)
    stage = Stage(tmp_path, "text: not used", provider=provider)
    assert await stage.play(say("go")) == 0
    assert stage.log == lines
    prove(stage)
