"""`/diff` and `/undo`: what the session changed in files, and back again."""

from __future__ import annotations

from rich.text import Text

from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import Change
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.excerpts import diff
from fsm_agent.interfaces.terminal.asked import present
from fsm_agent.interfaces.terminal.commands.changes import UNDO
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.undo import undo


def _diff(desk: Desk, _: str) -> None:
    changes = list(desk.loaded(desk.changes.net()))
    for change in changes:
        gone = " (gone)" if change.after is None else ""
        desk.print(Text(f"{escape_line(change.path)}{gone}", "person"))
        text = unified(change.path, change.before or b"", change.after or b"").text
        desk.print(diff(text, most=None))
    if not changes:
        desk.print(Text("  no file tool has changed anything", "quiet"))
    desk.print(Text("  what commands changed is not in this list", "quiet"))


def _undo(desk: Desk, _: str) -> None:
    newest = desk.changes.newest()
    if newest is None:
        desk.print(Text("there is no change of a file tool to take back", "error"))
        return
    paths = [c.path for c in newest.changes]
    moved = [c.path for c in desk.loaded(newest.changes) if _moved(desk, c)]
    if moved:
        names = escape_line(", ".join(moved))
        desk.print(Text(f"not undone: changed since: {names}", "error"))
        return
    told = f"/undo: the last change of {', '.join(paths)} was taken back."
    command = i.Command(name=UNDO, arguments={"of": newest.of}, changes=newest.reversed())
    desk.give([i.UserInject(text=told), command])


def undo_now(desk: Desk, command: i.Command) -> None:
    """Take changes back; the command is in the log, on disk."""
    wanted = [Change(c.path, c.after, c.before) for c in desk.loaded(command.changes[::-1])]
    done = undo(wanted, desk.place)
    words = {"restored": done.restored, "removed": done.removed, "not undone": done.refused}
    for word, names in words.items():
        if names:
            desk.print(Text(f"  {word}: {escape_line(', '.join(names))}"))
    desk.print(Text("  what commands did is not taken back", "quiet"))


def left_undone(desk: Desk) -> None:
    """Say so if the program was killed between a command's line in the log and its files."""
    last = desk.changes.command
    changes = list(desk.loaded(last.changes)) if last else []
    if last and all(present(c.path, desk.place) == c.before for c in changes):
        names = escape_line(", ".join(change.path for change in changes))
        text = f"· /{last.name} is in the log, but as before it: {names}. It is not done again."
        desk.print(Text(text, "warning"))


def _moved(desk: Desk, change: Change) -> bool:
    return present(change.path, desk.place) != change.after


COMMANDS = (
    Command("diff", "what the session changed", _diff),
    Command("undo", "take the last change of files back", _undo, waits=True),
)
