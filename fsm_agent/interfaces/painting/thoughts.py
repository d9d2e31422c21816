"""How reasoning is shown: folded to a line, whole, or not at all."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast, get_args

from fsm_agent.events import inputs as i

Look: TypeAlias = Literal["folded", "whole", "hidden"]
"""How reasoning is shown; all of it is in the log."""
LOOKS: tuple[Look, ...] = get_args(Look)
THINKING = "thinking"
"""Name of the command that says so; what is shown after it follows it, live and in replay."""


def look(shown: Look) -> i.Command:
    """The command that has reasoning shown so from now on."""
    return i.Command(name=THINKING, arguments={"shown": shown})


def look_of(command: i.Command) -> Look:
    """What such a command says; one of another version may say more than is known here."""
    shown = command.arguments.get("shown")
    return cast("Look", shown) if shown in LOOKS else "folded"
