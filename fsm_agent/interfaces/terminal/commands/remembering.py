"""`/memory` and `/dream`: what later sessions will know."""

from __future__ import annotations

from rich.text import Text

from fsm_agent.context.memory import DREAM, SECTIONS
from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.assembly import BLOCKING
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.painting.excerpts import whole_diff
from fsm_agent.interfaces.remembering import told, wanted
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.remembering import write

MEMORY = "memory"
"""Name of the command that changes memory files."""
ACTIONS = (
    ("show", "what is remembered"),
    ("add", "[SECTION] TEXT"),
    ("clear", f"[SECTION]: {', '.join(SECTIONS)}"),
)
"""What `/memory` takes."""


def _memory(desk: Desk, argument: str) -> None:
    """Show what is remembered, or log what is to be written.

    Raises:
        UsageError: If it cannot be told what is asked for.
    """
    action, _, said = argument.partition(" ")
    if action in ("", "show"):
        desk.print(Text(escape("\n\n".join(told(desk.place)))))
        desk.print(Text(f"  sections: {', '.join(SECTIONS)}", "quiet"))
        return
    changes = wanted(action, said, desk.place)
    if not changes:
        desk.print(Text("  nothing changes", "quiet"))
        return
    arguments = {"action": action, "text": said.strip()}
    desk.give([i.Command(name=MEMORY, arguments=arguments, changes=desk.kept(changes))])


def memory_now(desk: Desk, command: i.Command) -> None:
    """Write memory files; the command is in the log, on disk."""
    changes = list(desk.loaded(command.changes))
    if refused := write(changes, desk.place).refused:
        desk.print(Text(f"not written: {escape_line('; '.join(refused))}", "error"))
        return
    for change in changes:
        text = unified(change.path, change.before or b"", change.after or b"").text
        desk.print(*whole_diff(text))


def _dream(desk: Desk, _: str) -> None:
    """Have the model keep what is worth knowing of this session.

    Raises:
        UsageError: If the mode forbids that, or nothing was said yet.
    """
    world = desk.session.world
    mode = desk.settings().permission
    if mode in BLOCKING:
        raise UsageError(f"nothing is remembered in the mode {mode}")
    if not world.messages:
        raise UsageError("there is nothing to look back on yet")
    desk.give([i.UserInput(text="/dream", sent=DREAM)])


COMMANDS = (
    Command(
        "memory",
        "what later sessions will know: shown, added to or cleared",
        _memory,
        waits=frozenset({"add", "clear"}),
        words=lambda _, __: ACTIONS,
        takes="[show | add [SECTION] TEXT | clear [SECTION]]",
        more="Each change is shown as a diff.",
        example="/memory add constraints Never push to main.",
    ),
    Command(
        "dream",
        "have the model keep what is worth knowing of this session",
        _dream,
        waits=True,
        more="It is a turn of its own: the model looks back and remembers. Not in the modes read and "
        "plan.",
        example="/dream",
    ),
)
