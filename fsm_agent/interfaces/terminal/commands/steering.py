"""`/plan`, `/compact`, `/continue`, `/inject`: words to the machines."""

from __future__ import annotations

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.lifecycles.cuts import UNCOMPACT
from fsm_agent.lifecycles.world import sha256

VERBS: dict[str, i.Verb] = {"confirm": "CONFIRM", "cancel": "CANCEL", "clear": "CLEAR"}
"""Words to `/plan`, and what they ask of it."""
PLAN = (
    ("show", "draft and plan"),
    ("confirm", "carry the draft out"),
    ("cancel", "give the draft up"),
    ("clear", "the plan is done with"),
)
"""What `/plan` takes."""


def _plan(desk: Desk, word: str) -> None:
    """Show draft and plan, or say a word about them.

    A yes is one to the draft as it is when it is said.

    Raises:
        UsageError: If it is no such word, or there is nothing to clear.
    """
    if word == "clear" and not standing(desk):
        raise UsageError("there is no plan to clear")
    if word in VERBS:
        desk.give([i.PlanCommand(verb=VERBS[word])])
    elif word in ("", "show"):
        _show(desk)
    else:
        raise UsageError(f"it takes {', '.join(VERBS)} or show, not '{word}'")


def standing(desk: Desk) -> str:
    """What there is to know of the plan; empty where there is none."""
    return _STANDS.get(desk.session.world.at.get("plan", "none"), "")


def _show(desk: Desk) -> None:
    world, plans = desk.session.world, desk.session.world.plans
    desk.print(Text(f"  {standing(desk) or 'there is no draft and no plan'}"))
    for name, text in (("draft", plans.draft), ("plan", plans.plan)):
        if shown := world.text(text).strip():
            desk.print(Text(f"  {name}, sha256 {sha256(text)}", "quiet"), Text(escape(shown)))


_STANDS = {
    "drafting": "a draft waits for /plan confirm or /plan cancel",
    "executing": "a plan is in force",
}


def _compact(desk: Desk, instruction: str) -> None:
    """Have the oldest messages summed up, with a word to the summary."""
    desk.give([i.CompactCommand(instruction=instruction)])


def _uncompact(desk: Desk, _: str) -> None:
    """Take the last cut back.

    Raises:
        UsageError: If there is none.
    """
    if not desk.session.world.cutting.before:
        raise UsageError("there is no cut to take back")
    desk.give([i.Command(name=UNCOMPACT)])


def _continue(desk: Desk, _: str) -> None:
    desk.give([i.Continue()])


def _inject(desk: Desk, line: str) -> None:
    """Have a line in the running turn.

    Raises:
        UsageError: If there is none.
    """
    if not line:
        raise UsageError("it takes the line: /inject use the other file")
    desk.inject(line)


def _back(desk: Desk, _: str) -> None:
    desk.take_back()


COMMANDS = (
    Command(
        "plan",
        "the draft and the plan: shown, confirmed, given up",
        _plan,
        waits=frozenset(VERBS),
        words=lambda _, __: PLAN,
        takes="[show|confirm|cancel|clear]",
        more="A yes is one to the draft as it is when it is said. /mode plan has the model draft and "
        "change nothing.",
        example="/plan confirm",
    ),
    Command(
        "compact",
        "sum the oldest messages up now",
        _compact,
        waits=True,
        takes="[INSTRUCTION]",
        more="The summary heeds what is said here. By itself it is done where it pays.",
        example="/compact keep the names of the tests",
    ),
    Command(
        "uncompact",
        "take the last cut of the context back",
        _uncompact,
        waits=True,
        more="The messages that a summary stands for are sent again.",
        example="/uncompact",
    ),
    Command(
        "continue",
        "go on with a turn that was cut short",
        _continue,
        waits=True,
        more="Enter in an empty line does the same.",
        example="/continue",
    ),
    Command(
        "inject",
        "put a line into the running turn, at its next gap, as Ctrl-O does",
        _inject,
        takes="LINE",
        example="/inject use the other file",
    ),
    Command(
        "back",
        "take the last waiting line back to the prompt, as ↑ does",
        _back,
        more="A line that the model already has stays there.",
        example="/back",
    ),
)
