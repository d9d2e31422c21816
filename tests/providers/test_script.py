"""A script says what it means, or which line is wrong."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.errors import UsageError
from fsm_agent.events.values import CallBlock, TextBlock, ThinkingBlock, Usage
from fsm_agent.providers.script import Attempt, Kill, Pause, Rejection, Step, load, parse


def only(text: str) -> Attempt:
    """The one attempt of the one step."""
    [step] = parse(text)
    [attempt] = step.attempts
    return attempt


def test_a_step_is_an_answer_s_blocks_and_why_it_ended() -> None:
    assert parse(
        """\
# a repair
--- look first
thinking: Hm.
text: I'll look.
call: Read {"file_path": "a.py"}
usage: 100 20 30

---
text: Done.
stop: max_tokens
"""
    ) == (
        Step(
            "look first",
            (
                Attempt(
                    (
                        ThinkingBlock("Hm."),
                        TextBlock("I'll look."),
                        CallBlock("Read", "", {"file_path": "a.py"}),
                    ),
                    "tool_use",
                    Usage(input=100, output=20, cache_read=30),
                ),
            ),
        ),
        Step("", (Attempt((TextBlock("Done."),), "max_tokens"),)),
    )


def test_the_line_that_opens_the_first_step_may_be_left_out() -> None:
    assert parse("text: a\n---\ntext: b") == parse("---\ntext: a\n---\ntext: b")


def test_indented_lines_continue_a_value() -> None:
    assert only("text:\n    a\n\n      b\n\nstop: refusal\n").items == (TextBlock("a\n\n  b"),)
    assert only("text: a\n  b\n# not said\n  c").items == (TextBlock("a\nb\nc"),)
    assert only('call: Write\n  {"a":\n   1}').items == (CallBlock("Write", "", {"a": 1}),)
    assert only("text: a\r\n  b\r\n").items == (TextBlock("a\nb"),)


def test_a_call_without_input_has_an_empty_one() -> None:
    assert only("call: PlanConfirm").items == (CallBlock("PlanConfirm", "", {}),)


def test_pauses_and_death_stand_in_their_place() -> None:
    assert only("delay: 0.5\ntext: a\nhang\nkill").items == (
        Pause(0.5),
        TextBlock("a"),
        Pause(),
        Kill(),
    )


def test_errors_and_breaks_end_attempts() -> None:
    [step] = parse("error: 429 retry-after=2 slow down\nerror: 500\ntext: a\nbroken\ntext: b")

    assert step.attempts == (
        Attempt((), Rejection(429, "slow down", retry_after="2")),
        Attempt((), Rejection(500, "")),
        Attempt((TextBlock("a"),), "broken"),
        Attempt((TextBlock("b"),), "end_turn"),
    )


def test_an_error_may_carry_a_code() -> None:
    [step] = parse("error: 400 code=context_length_exceeded too long")

    assert step.attempts[0].end == Rejection(400, "too long", code="context_length_exceeded")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("say: hello", "script:1: 'say' is none of broken, call, delay"),
        ("text: a\nwords", "script:2: 'words' is none of"),
        ("---\n---\ntext: a", "script:1: this step has no answer"),
        ("text: a\n---", "script:2: this step has no answer"),
        ("  text: a", "script:1: an indented line"),
        ("call: Read {", "script:1: a call is"),
        ("call: Read [1]", "script:1: a call is"),
        ("delay: soon", "script:1: a delay"),
        ("usage: 1 2 3 4 5 6", "script:1: usage"),
        ("usage: many", "script:1: usage"),
        ("stop: tired", "script:1: stop is one of end_turn, tool_use"),
        ("error: slow", "script:1: an error is"),
        ("error: 200 fine", "script:1: an error is"),
        ("text: a\nerror: 500 x", "script:2: an error is all of its attempt"),
    ],
)
def test_a_wrong_line_is_named(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)

    assert str(caught.value).startswith(message)


def test_an_empty_script_has_no_steps() -> None:
    assert parse("# nothing yet\n\n") == ()


@given(st.text())
def test_any_text_is_a_script_or_a_usage_error(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert all(step.attempts for step in parse(text))


line = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"))


@given(st.lists(line.filter(lambda text: not text.isspace())))
def test_any_lines_can_be_said(lines: list[str]) -> None:
    said = "\n".join(["begin", *lines, "end"])
    indented = "".join(f"    {line}\n" for line in said.split("\n"))

    assert only(f"text:\n{indented}").items == (TextBlock(said),)


def test_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "play.script"
    path.write_text("text: a\nsay: b\n")

    with pytest.raises(UsageError, match=r"play\.script:2: 'say'"):
        load(path)


@pytest.mark.parametrize("content", [None, b"text: \xff"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "play.script"
    if content:
        path.write_bytes(content)

    with pytest.raises(UsageError, match=r"play\.script: the script cannot be read"):
        load(path)
