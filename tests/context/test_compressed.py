"""Turns give way to the model's own summary, and their numbers stay."""

from __future__ import annotations

from fsm_agent.context.pruning import Compressed, behind_summaries, compressed
from fsm_agent.events.values import AssistantMessage, Message, TextBlock, UserMessage


def session(turns: int) -> list[Message]:
    """So many turns of a line and an answer."""
    answer = AssistantMessage((TextBlock("done " * 20),), "openai", "m")
    return [m for turn in range(1, turns + 1) for m in (UserMessage(f"{turn}"), answer)]


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, UserMessage)]


def test_turns_give_way_to_one_note() -> None:
    messages = session(10)
    after, made = compressed(messages, [Compressed(3, 6, "all done")], 1)

    assert texts(after) == ["1", "2", "[turns 3–6, compressed: all done]", "7", "8", "9", "10"]
    assert [(prune.call, prune.why) for prune in made] == [("3–6", "compressed")]


def test_the_last_three_turns_are_not_compressed() -> None:
    after, _ = compressed(session(6), [Compressed(2, 9, "x")], 1)

    assert texts(after) == ["1", "[turns 2–3, compressed: x]", "4", "5", "6"]
    assert compressed(session(3), [Compressed(1, 3, "x")], 1) == (session(3), [])
    assert compressed([], [Compressed(1, 3, "x")], 1) == ([], [])


def test_numbers_are_those_of_the_session() -> None:
    messages = session(10)[4:]
    after, _ = compressed(messages, [Compressed(1, 4, "x")], 3)

    assert texts(after) == ["[turns 3–4, compressed: x]", "5", "6", "7", "8", "9", "10"]


def test_numbers_stay_when_turns_were_compressed() -> None:
    before, _ = compressed(session(10), [Compressed(1, 3, "x")], 1)
    after, _ = compressed(before, [Compressed(5, 6, "y")], 1)

    assert texts(after)[:3] == ["[turns 1–3, compressed: x]", "4", "[turns 5–6, compressed: y]"]


def test_an_earlier_summary_goes_only_with_all_of_its_turns() -> None:
    before, _ = compressed(session(12), [Compressed(3, 5, "the first of them")], 1)
    part, _ = compressed(before, [Compressed(5, 7, "y")], 1)
    whole, _ = compressed(before, [Compressed(2, 7, "z")], 1)

    assert "[turns 3–5, compressed: the first of them]" in texts(part)
    assert "[turns 6–7, compressed: y]" in texts(part)
    assert texts(whole)[:3] == ["1", "[turns 2–7, compressed: z]", "8"]


def test_the_later_of_two_summaries_stands() -> None:
    twice = [Compressed(3, 5, "x"), Compressed(3, 6, "better")]
    after, _ = compressed(session(12), twice, 1)

    assert texts(after)[:4] == ["1", "2", "[turns 3–6, compressed: better]", "7"]


def test_a_summary_longer_than_its_turns_is_left_out() -> None:
    messages = session(9)

    assert compressed(messages, [Compressed(2, 3, "x" * 999)], 1) == (messages, [])


def test_a_range_the_wrong_way_round_is_none() -> None:
    assert compressed(session(9), [Compressed(4, 3, "x")], 1) == (session(9), [])
    assert compressed(session(9), [Compressed(0, 0, "x")], 1) == (session(9), [])


def test_what_comes_after_the_last_summary_is_as_it_was() -> None:
    messages = session(10)
    after, _ = compressed(messages, [Compressed(1, 2, "x"), Compressed(4, 5, "y")], 1)

    assert after[-behind_summaries(after) :] == messages[10:]
    assert behind_summaries(messages) == 20
