"""What each turn of a session was about, and which commands ran in it."""

from __future__ import annotations

import msgspec

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.painting.shelltexts import SHELL
from fsm_agent.lifecycles.rewinding import UNDO

NAMED = 5
"""Commands of a turn that are named; the others are counted."""
LONG = 200
"""Characters of a command that are kept."""


class Turn(msgspec.Struct):
    """A turn, and all up to the next one.

    Attributes:
        number: As in the log: `turn-3`.
        began: The seq of its first line.
        line: What the person said first; empty if it began by itself, or went on with another.
        commands: The first shell commands that ran, the person's own with their `!`.
        ran: How many there were.
        gone: Whether it was taken back with its part of the conversation.
    """

    number: int
    began: int
    line: str = ""
    commands: list[str] = msgspec.field(default_factory=list)
    ran: int = 0
    gone: bool = False


class Turns:
    """The turns that the lines so far tell of; what commands did, no file tool can take back."""

    def __init__(self) -> None:
        self._turns: dict[int, Turn] = {}
        self._typed: dict[int, str] = {}
        self._heard: list[tuple[int, i.ToolCall]] = []
        self._shells: dict[str, str] = {}

    def get(self, number: int) -> Turn | None:
        """The turn of this number, if there was one."""
        return self._turns.get(number)

    def among(self, first: int, last: int) -> list[Turn]:
        """The turns from one number to another."""
        return [turn for number, turn in self._turns.items() if first <= number <= last]

    def standing(self, first: int = 0) -> list[Turn]:
        """The turns from this number on that were not taken back with the conversation."""
        return [t for number, t in self._turns.items() if number >= first and not t.gone]

    def take(self, line: Line) -> None:
        """Take the next line in."""
        match line.event:
            case d.Transition(source="ready", instance=name) if name.startswith("turn-"):
                number = turn_of(name)
                self._turns[number] = Turn(number, line.seq)
                self._shells.clear()
            case i.UserInput(text=text):
                self._typed[line.seq] = text
            case d.UserLine(instance=name, of=of):
                self._turns[turn_of(name)].line = self._typed.pop(of, "")
            case i.UserTakeBack(of=of):
                self._typed.pop(of, None)
            case i.Command(name=name, arguments=about) if name == SHELL:
                self._run(f"! {about.get('command', '')}")
            case i.Command(
                name=name, arguments={"turn": int(first), "until": int(last), "talk": True}
            ):
                for turn in self.among(first, last):
                    turn.gone = name == UNDO
            case _:
                self._call(line)

    def _call(self, line: Line) -> None:
        """Of the model's calls, those that run a command count once they run."""
        match line.event:
            case d.SendRequest():
                self._heard.clear()
            case i.ToolCall() as call:
                self._heard.append((line.seq, call))
            case d.Blocks(kept=kept, calls=calls):
                called = (call for seq, call in self._heard if seq in kept)
                for name, call in zip(calls, called, strict=False):
                    if call.name == "Bash":
                        self._shells[name] = str(call.input.get("command", ""))
            case d.RunTool(instance=name) if name in self._shells:
                self._run(self._shells.pop(name))
            case _:
                pass

    def _run(self, command: str) -> None:
        if self._turns:
            turn = self._turns[max(self._turns)]
            turn.ran += 1
            if len(turn.commands) < NAMED:
                turn.commands.append(command[:LONG])


def turn_of(instance: str) -> int:
    """`tool-3.1` and `turn-3` → 3."""
    return int(instance.partition("-")[2].partition(".")[0])
