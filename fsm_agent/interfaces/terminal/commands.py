"""What slash commands do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from itertools import islice

from rich.text import Text

from fsm_agent.errors import FsmAgentError
from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import Change
from fsm_agent.interfaces.listing import listed
from fsm_agent.interfaces.terminal import steering
from fsm_agent.interfaces.terminal.changes import UNDO
from fsm_agent.interfaces.terminal.desk import Desk
from fsm_agent.interfaces.terminal.escaping import escape_line
from fsm_agent.interfaces.terminal.excerpts import diff
from fsm_agent.interfaces.terminal.questions import present
from fsm_agent.interfaces.terminal.remembering import MEMORY, dream, memory, memory_now
from fsm_agent.interfaces.terminal.showing import show
from fsm_agent.runtime.places import sessions
from fsm_agent.runtime.pricing import renamed
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.undo import undo

NAMES: Mapping[str, str] = {
    "help": "what can be typed here",
    "quit": "leave; the session can be taken up again",
    "model": "NAME: ask this model from now on",
    "mode": "ask, edits, allow, read or plan: what runs unasked",
    "plan": "show, confirm, cancel or clear: the draft and the plan",
    "compact": "sum the oldest messages up now; what is said here, the summary heeds",
    "uncompact": "take that back",
    "show": "N or thought: a result or the last reasoning in full; alone, the last result",
    "usage": "tokens, cost and context so far",
    "sessions": "this directory's sessions",
    "continue": "go on with a turn that was cut short",
    "diff": "what the session changed",
    "undo": "take the last change of files back",
    "memory": "show, add [SECTION] TEXT or clear [SECTION]: what later sessions will know",
    "dream": "have the model keep what is worth knowing of this session",
}
"""Commands, and what they do."""
WAITING = frozenset({"model", "continue", "undo", "compact", "uncompact", "dream"})
"""Commands that need the session at rest; the others act at once."""
WAITING_WORDS = frozenset(
    {*(f"plan {verb}" for verb in steering.VERBS), "memory add", "memory clear"}
)
"""The same of commands with a word."""
KEYS = """\
  Enter hands the line in; while a turn runs, it waits for the turn's end
  Alt-Enter, or Esc Enter, starts a new line; Tab completes /commands and @files
  Ctrl-T shows the last result in full; Ctrl-Z stops the program until the shell's `fg`
  Ctrl-O puts the line into the running turn; ↑ takes the last waiting line back
  Ctrl-R searches what was typed in this project; Ctrl-G opens $VISUAL or $EDITOR
  !command runs in your shell, unasked; !!command tells the model what came of it
  Esc or Ctrl-C stops what runs; Ctrl-C twice leaves, and so does Ctrl-D"""
LISTED = 20
"""Sessions that are listed."""


def is_command(line: str) -> bool:
    """Whether the line is a command: `/name …`, `!command`, or a plain word that leaves."""
    return line.startswith(("/", "!")) or line in ("exit", "quit")


def waits(line: str) -> bool:
    """Whether the command needs the session at rest."""
    name, argument = _parts(line)
    return name in WAITING or f"{name} {argument.partition(' ')[0]}" in WAITING_WORDS


def run(line: str, desk: Desk) -> None:
    """Do what the command says, or say why not."""
    if line.startswith("!"):
        desk.shell(line)
        return
    name, argument = _parts(line)
    if name not in _RUN:
        near = " or ".join(f"/{one}" for one in get_close_matches(name, NAMES, n=2))
        meant = f" Did you mean {near}?" if near else " /help lists them."
        text = f"there is no command /{escape_line(name)}.{meant} Nothing was sent."
        desk.print(Text(text, "error"))
        return
    try:
        _RUN[name](desk, argument)
    except (FsmAgentError, OSError) as error:
        desk.print(Text(escape_line(f"/{name}: {error}"), "error"))


def _parts(line: str) -> tuple[str, str]:
    name, _, argument = line.removeprefix("/").strip().partition(" ")
    return ("quit" if line == "exit" else name), argument.strip()


def _help(desk: Desk, _: str) -> None:
    desk.print(*(Text(f"  /{name:9} {what}") for name, what in NAMES.items()), Text(KEYS))


def _quit(desk: Desk, _: str) -> None:
    desk.give([i.Leave(reason="quit")])


def _model(desk: Desk, name: str) -> None:
    settings = desk.session.world.settings
    if name:
        desk.give([renamed(settings, name, desk.home)])
    else:
        desk.print(Text(f"  {escape_line(settings.model)} ({settings.protocol})"))


def _sessions(desk: Desk, _: str) -> None:
    for directory, line in listed(islice(sessions(desk.home, desk.cwd), LISTED)):
        mark = "*" if directory == desk.session.directory else " "
        desk.print(Text(f"{mark} {line}"))
    desk.print(Text("  fsm-agent --resume ID takes one up", "quiet"))


def _continue(desk: Desk, _: str) -> None:
    desk.give([i.Continue()])


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


_RUN: Mapping[str, Callable[[Desk, str], None]] = {
    "help": _help,
    "quit": _quit,
    "model": _model,
    "mode": steering.mode,
    "plan": steering.plan,
    "compact": steering.compact,
    "uncompact": steering.uncompact,
    "show": show,
    "usage": steering.usage,
    "sessions": _sessions,
    "continue": _continue,
    "diff": _diff,
    "undo": _undo,
    "memory": memory,
    "dream": dream,
}
CARRIED_OUT: Mapping[str, Callable[[Desk, i.Command], None]] = {UNDO: undo_now, MEMORY: memory_now}
"""What is done about commands that were logged first."""
