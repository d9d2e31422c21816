"""Old messages lose what was overtaken, and nothing else."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.context.pruning import (
    DUPLICATE,
    FAILED_INPUT,
    KEPT,
    Compressed,
    Prune,
    apply,
    compressed,
    prunes,
)
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    UserMessage,
)

LONG = "line of a file\n" * 20


def line(text: str = "go on") -> UserMessage:
    return UserMessage(text)


def call(id_: str, name: str = "Read", ok: bool = True, **given: Any) -> list[Message]:
    """A call and its result."""
    asked = CallBlock(name, id_, given or {"path": "a.py"}, msgspec.Raw(b'{ "path":"a.py" }'))
    answer = AssistantMessage((TextBlock("so"), asked), "openai", "m")
    return [answer, ResultsMessage((Result(id_, name, LONG, ok),))]


def session(turns: int, calls: dict[int, list[Message]]) -> list[Message]:
    """So many turns, and in some of them calls."""
    end = AssistantMessage((TextBlock("done"),), "openai", "m")
    return [
        message
        for turn in range(1, turns + 1)
        for message in (line(f"{turn}"), *calls.get(turn, ()), end)
    ]


def found(messages: list[Message]) -> list[tuple[str, str]]:
    return [(prune.call, prune.why) for prune in prunes(messages)]


def results(messages: list[Message]) -> dict[str, str]:
    return {
        result.call: result.content
        for message in messages
        if isinstance(message, ResultsMessage)
        for result in message.results
    }


def inputs(messages: list[Message]) -> dict[str, CallBlock]:
    return {
        block.id: block
        for message in messages
        if isinstance(message, AssistantMessage)
        for block in message.blocks
        if isinstance(block, CallBlock)
    }


def tokens(messages: list[Message]) -> int:
    return sum((len(msgspec.json.encode(message)) + 3) // 4 + 1 for message in messages)


# -- repeated outputs ----------------------------------------------------------------------------


def test_of_the_same_call_only_the_newest_output_stays() -> None:
    messages = session(9, {1: call("a"), 2: call("b"), 9: call("c")})

    assert found(messages) == [("a", "duplicate"), ("b", "duplicate")]
    assert results(apply(messages, prunes(messages))) == {"a": DUPLICATE, "b": DUPLICATE, "c": LONG}


def test_the_last_three_turns_are_left_alone() -> None:
    assert found(session(9, {7: call("a"), 8: call("b"), 9: call("c")})) == []
    assert found(session(9, {6: call("a"), 9: call("c")})) == [("a", "duplicate")]
    assert prunes(session(9, {6: call("a"), 9: call("c")}), turns_protected=4) == []


def test_other_arguments_or_another_tool_make_another_call() -> None:
    messages = session(9, {1: call("a", path="b.py"), 2: call("b", "Grep"), 9: call("c")})

    assert found(messages) == []


def test_the_order_of_arguments_makes_no_difference() -> None:
    old, new = call("a", pattern="x", path="."), call("b", path=".", pattern="x")

    assert found(session(9, {1: old, 9: new})) == [("a", "duplicate")]


def test_a_command_is_overtaken_only_by_one_that_succeeded() -> None:
    old, new = call("a", "Bash", command="make"), call("b", "Bash", command="make")
    failed = call("c", "Bash", ok=False, command="make")

    assert found(session(9, {1: old, 8: new, 9: failed})) == [("a", "duplicate")]
    assert found(session(9, {1: old, 9: failed})) == []


@pytest.mark.parametrize("name", sorted(KEPT))
@pytest.mark.parametrize("ok", [True, False])
def test_what_was_done_is_never_pruned(name: str, ok: bool) -> None:
    old = call("a", name, ok, path="a.py", content=LONG)

    assert found(session(9, {1: old, 9: call("b", name, path="a.py", content=LONG)})) == []


def test_calls_that_were_no_json_are_not_the_same_call() -> None:
    def malformed(id_: str) -> list[Message]:
        asked = AssistantMessage((CallBlock("Read", id_, {}, malformed="{" * 99),), "openai", "m")
        return [asked, ResultsMessage((Result(id_, "Read", LONG, ok=False),))]

    assert found(session(9, {1: malformed("a"), 9: [*malformed("b"), *call("c")]})) == []


def test_an_output_shorter_than_the_word_for_it_stays() -> None:
    messages = session(9, {1: call("a"), 9: call("b")})
    messages[2] = ResultsMessage((Result("a", "Read", "x"),))

    assert found(messages) == []


# -- inputs that failed --------------------------------------------------------------------------


def test_the_input_of_a_failed_call_goes_after_four_turns_and_its_error_stays() -> None:
    failed = call("a", "Bash", ok=False, command="x" * 200)

    assert found(session(4, {1: failed})) == []
    messages = session(5, {1: failed})
    after = apply(messages, prunes(messages))

    assert found(messages) == [("a", "failed_input")]
    assert inputs(after)["a"] == CallBlock("Bash", "a", dict(FAILED_INPUT))
    assert results(after) == {"a": LONG}


def test_two_inputs_that_went_are_not_the_same_call() -> None:
    first = call("a", "Bash", ok=False, command="x" * 200)
    second = call("b", "Bash", ok=False, command="y" * 200)
    messages = session(9, {1: first, 2: second})
    after = apply(messages, prunes(messages))

    assert found([*after, *session(5, {})]) == []


def test_a_call_loses_its_output_or_its_input_never_both() -> None:
    failed = call("a", "Bash", ok=False, command="x" * 200)
    messages = session(9, {1: failed, 9: call("b", "Bash", command="x" * 200)})
    after = apply(messages, prunes(messages))

    assert found(messages) == [("a", "duplicate")]
    assert found(after) == []
    assert inputs(after)["a"] == inputs(messages)["a"]


def test_notes_begin_no_turn() -> None:
    notes: list[Message] = [UserMessage("a file changed", note=True)] * 5

    assert found([*session(1, {1: call("a")}), *notes, *session(1, {1: call("b")})]) == []


def test_a_note_of_turns_counts_as_so_many() -> None:
    calls = {1: call("a", "Bash", ok=False, command="x" * 200)}
    messages, _ = compressed(session(8, calls), [Compressed(2, 5, "x")], 1)

    assert found(messages) == [("a", "failed_input")]


# -- whatever the conversation -------------------------------------------------------------------


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Turns of calls and notes, each call with its result."""
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(0, 9))):
        messages.append(line())
        for _ in range(draw(st.integers(0, 3))):
            asked, answers = [], []
            for name in draw(
                st.lists(st.sampled_from(["Read", "Bash", "Write"]), min_size=1, max_size=3)
            ):
                number += 1
                path = draw(st.sampled_from(["a", "b", "c" * 99]))
                asked.append(CallBlock(name, f"c{number}", {"path": path}))
                content = draw(st.sampled_from(["", "x", LONG]))
                answers.append(Result(f"c{number}", name, content, draw(st.booleans())))
            messages.append(AssistantMessage((ThinkingBlock("hm"), *asked), "openai", "m"))
            messages.append(ResultsMessage(tuple(answers)))
        if draw(st.booleans()):
            messages.append(UserMessage("a note", note=True))
        if draw(st.booleans()):
            messages.append(AssistantMessage((TextBlock("done"),), "openai", "m"))
    return messages


RANGES = st.lists(
    st.builds(Compressed, st.integers(0, 12), st.integers(0, 12), st.sampled_from(["x", "yy" * 9])),
    max_size=3,
)


@given(conversations())
def test_pruning_is_done_once_and_saves_what_it_says(messages: list[Message]) -> None:
    made = prunes(messages)
    after = apply(messages, made)

    assert prunes(after) == []
    assert apply(after, made) == after
    assert tokens(messages) - tokens(after) == sum(p.before - p.after for p in made)
    assert all(p.after < p.before for p in made)
    assert len({p.call for p in made}) == len(made)


@given(conversations(), RANGES)
def test_each_call_keeps_its_result(messages: list[Message], ranges: list[Compressed]) -> None:
    pruned = apply(messages, prunes(messages))
    after, made = compressed(pruned, ranges, 1)

    assert list(inputs(after)) == list(results(after))
    assert not any(
        isinstance(following, ResultsMessage) and not isinstance(one, AssistantMessage)
        for one, following in pairwise(after)
    )
    assert tokens(pruned) - tokens(after) == sum(p.before - p.after for p in made)
    assert compressed(after, ranges, 1) == (after, [])


@given(conversations())
def test_prunes_can_be_applied_one_by_one(messages: list[Message]) -> None:
    after = messages
    for prune in prunes(messages):
        after = apply(after, [Prune(prune.call, prune.why, 0, 0)])

    assert after == apply(messages, prunes(messages))
