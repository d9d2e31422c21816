"""What an answer becomes before the core sees it."""

from __future__ import annotations

import pytest

from fsm_agent.dialects.protocol import Answer
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import (
    CallBlock,
    Failure,
    StopReason,
    TextBlock,
    ThinkingBlock,
    Usage,
)
from fsm_agent.runtime.answering import MOST_CALLS, answer_lines, summary_line

ASKED = d.Summarise(
    instance="compaction",
    protocol="openai",
    model="m",
    digest="",
    bytes=0,
    shared=0,
    why="manual",
    strategy="summary",
    start=1,
    before=9_000,
    after=10,
)
CALL = CallBlock("bash", "c1", {"command": "x"})


def test_blocks_come_in_wire_order_and_the_end_is_last() -> None:
    blocks = (ThinkingBlock("hm"), TextBlock("so"), CALL)

    lines = answer_lines("turn-1", 7, Answer(blocks, stop="tool_use", usage=Usage(5, 2)))

    assert [type(line) for line in lines] == [i.Thinking, i.Text, i.ToolCall, i.Completed]
    assert [getattr(line, "n", None) for line in lines] == [0, 1, 2, None]
    assert lines[-1] == i.Completed(
        instance="turn-1", activity=7, stop="tool_use", usage=Usage(5, 2)
    )


def test_a_name_that_models_also_use_is_the_tool_s() -> None:
    (call, _) = answer_lines("turn-1", 7, Answer((CALL,), stop="tool_use"))

    assert isinstance(call, i.ToolCall)
    assert call.name == "Bash"


def test_a_failure_keeps_what_came() -> None:
    failure = Failure("stream_interrupted", "cut", retry=True)

    lines = answer_lines("turn-1", 7, Answer((TextBlock("so", partial=True),), failure=failure))

    assert [type(line) for line in lines] == [i.Text, i.Broken]


@pytest.mark.parametrize("count", [MOST_CALLS, MOST_CALLS + 1])
def test_an_answer_of_nothing_but_calls_is_a_fault(count: int) -> None:
    lines = answer_lines("turn-1", 7, Answer((CALL,) * count, stop="tool_use", usage=Usage(1, 1)))

    if count <= MOST_CALLS:
        assert len(lines) == count + 1
    else:
        (broken,) = lines
        assert isinstance(broken, i.Broken)
        assert broken.failure.error == "malformed_answer"
        assert broken.usage == Usage(1, 1)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer((TextBlock("I look."), CALL), stop="tool_use"), "went on to call a tool"),
        (Answer((TextBlock("No."),), stop="refusal"), "was declined"),
        (Answer((TextBlock("No."),), stop="content_filter"), "was declined"),
        (Answer((TextBlock("Task fo"),), stop="max_tokens"), "was cut off"),
        (Answer((TextBlock("Task fo"),), stop="context_overflow"), "was cut off"),
        (Answer((TextBlock("Task fo"),), stop="pause"), "was cut off"),
        (Answer((TextBlock("x" * 50_000),), stop="end_turn"), "longer than what it would replace"),
    ],
)
def test_what_is_no_whole_summary_does_not_take_the_conversation_s_place(
    answer: Answer, why: str
) -> None:
    line = summary_line(ASKED, 7, answer, keep=str)

    assert isinstance(line, i.Rejected)
    assert why in line.failure.message
    assert not line.failure.retry


@pytest.mark.parametrize("stop", ["end_turn", "stop_sequence"])
def test_a_summary_is_the_text_alone(stop: StopReason) -> None:
    text = f"Task focus: {'it ' * 8_000}."
    answer = Answer((ThinkingBlock("hm"), TextBlock(f"{text}\n")), stop=stop)

    line = summary_line(ASKED, 7, answer, keep=str)

    assert isinstance(line, i.Summarised)
    assert line.text == text
