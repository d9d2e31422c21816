"""What is shown of turns that are taken back, and had back."""

from __future__ import annotations

from typing import Any

import pytest

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.events.values import FileChange
from fsm_agent.interfaces.painting.items import LinesBack, Noted
from fsm_agent.interfaces.painting.undotexts import told
from fsm_agent.interfaces.painting.view import View

A = (FileChange("a.txt"), FileChange("b.txt"))


@pytest.mark.parametrize(
    ("name", "about", "changes", "text"),
    [
        ("undo", {"turn": 3}, A, "turn 3 was taken back: a.txt, b.txt"),
        ("undo", {"turn": 3, "until": 5}, A[:1], "turns 3–5 were taken back: a.txt"),
        ("undo", {"turn": 3, "talk": True}, (), "turn 3 was taken back with the conversation"),
        ("redo", {"turn": 3, "until": 5}, A, "turns 3–5 are there again: a.txt, b.txt"),
        ("undo", {"of": 7}, A, "/undo a.txt, b.txt"),
        ("uncompact", {}, (), "/uncompact"),
    ],
)
def test_a_sentence_says_what_a_command_did(
    name: str, about: dict[str, Any], changes: tuple[FileChange, ...], text: str
) -> None:
    assert told(i.Command(name=name, arguments=about, changes=changes)) == text


def moved(source: str, target: str) -> d.Transition:
    return d.Transition(instance="turn-1", row="X", trigger="x", source=source, target=target)


def test_a_turn_that_is_taken_back_with_the_conversation_gives_its_line_back() -> None:
    view, about = View(), {"turn": 1, "until": 1, "talk": True}
    turn: list[Event] = [
        i.UserInput(text="fix it"),
        moved("ready", "compact"),
        d.UserLine(instance="turn-1", of=0),
        moved("drain", "interrupted"),
    ]
    for seq, event in enumerate(turn):
        view.take(Line(seq, "2026-11-30T09:00:00.000Z", "input", event))
    assert view.status().unfinished

    assert view.take(Line(4, "", "input", i.Command(name="undo", arguments=about))) == [
        Noted("turn 1 was taken back with the conversation"),
        LinesBack(("fix it",), wanted=True),
    ]
    assert not view.status().unfinished

    assert view.take(Line(5, "", "input", i.Command(name="redo", arguments=about))) == [
        Noted("turn 1 is there again in the conversation")
    ]
    assert view.status().unfinished
