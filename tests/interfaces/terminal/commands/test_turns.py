"""What a turn was about, and which commands ran in it."""

from __future__ import annotations

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.terminal.commands.turns import Turn, Turns


def taken(*events: Event) -> Turns:
    turns = Turns()
    for seq, event in enumerate(events):
        turns.take(Line(seq, "", "input", event))
    return turns


def begins(number: int, of: int) -> list[Event]:
    name = f"turn-{number}"
    ready = d.Transition(instance=name, row="T01", trigger="x", source="ready", target="compact")
    return [ready, d.UserLine(instance=name, of=of)]


def asks(n: int, name: str, command: str) -> i.ToolCall:
    given = {"command": command}
    return i.ToolCall(instance="turn-1", activity=4, n=n, name=name, id=str(n), input=given)


def test_a_line_that_waited_is_that_of_its_own_turn() -> None:
    lines = [i.UserInput(text="one"), i.UserInput(text="two")]
    turns = taken(*lines, *begins(1, 0), *begins(2, 1))

    assert [(t.number, t.began, t.line) for t in turns.standing()] == [(1, 2, "one"), (2, 4, "two")]


def test_commands_that_ran_are_named_and_counted() -> None:
    calls = [asks(0, "Bash", "make"), asks(1, "Read", "x"), asks(2, "Bash", "rm x")]
    kept = d.Blocks(
        instance="turn-1", of=4, kept=(3, 4, 5), calls=("tool-1.1", "tool-1.2", "tool-1.3")
    )
    shell = i.Command(name="shell", arguments={"command": "ls", "told": False})
    runs = [d.RunTool(instance=f"tool-1.{n}", name="x") for n in (1, 2)]
    turns = taken(i.UserInput(text="go"), *begins(1, 0), *calls, kept, *runs, *[shell] * 6)

    turn = turns.get(1)
    assert turn is not None
    assert turn.commands == ["make", "! ls", "! ls", "! ls", "! ls"]
    assert turn.ran == 7


def test_turns_that_were_taken_back_stand_no_more_until_they_are_had_back() -> None:
    about = {"turn": 2, "until": 3, "talk": True}
    lines = [i.UserInput(text="x") for _ in range(3)]
    turns = taken(*lines, *begins(1, 0), *begins(2, 1), *begins(3, 2))
    turns.take(Line(9, "", "input", i.Command(name="undo", arguments=about)))
    assert [turn.number for turn in turns.standing()] == [1]

    turns.take(Line(10, "", "input", i.Command(name="redo", arguments=about)))
    assert [turn.number for turn in turns.standing()] == [1, 2, 3]


def test_a_command_that_makes_no_sense_changes_nothing() -> None:
    about = {"turn": "all", "until": None, "talk": True}
    turns = taken(i.UserInput(text="x"), *begins(1, 0), i.Command(name="undo", arguments=about))

    assert turns.standing() == [Turn(1, 1, "x")]
