"""What slash commands do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.text import Text

from fsm_agent.errors import FsmAgentError
from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import Change
from fsm_agent.events.values import Blob, FileChange
from fsm_agent.interfaces.amounts import cost
from fsm_agent.interfaces.listing import listed
from fsm_agent.interfaces.terminal.changes import UNDO, Changes
from fsm_agent.interfaces.terminal.escaping import escape_line
from fsm_agent.interfaces.terminal.painting import diff
from fsm_agent.interfaces.terminal.questions import present
from fsm_agent.runtime.places import sessions
from fsm_agent.runtime.pricing import renamed
from fsm_agent.runtime.session import Session
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.undo import undo

NAMES: Mapping[str, str] = {
    "help": "what can be typed here",
    "quit": "leave; the session can be taken up again",
    "model": "NAME: ask this model from now on",
    "usage": "tokens, requests and context so far",
    "sessions": "this directory's sessions",
    "continue": "go on with a turn that was cut short",
    "diff": "what the session changed",
    "undo": "take the last change of files back",
}
"""Commands, and what they do."""
WAITING = frozenset({"model", "continue", "undo"})
"""Commands that need the session at rest; the others act at once."""
KEYS = """\
  Enter hands the line in; while a turn runs, it waits for the turn's end
  Esc Enter starts a new line; Tab completes /commands and @files
  Ctrl-O puts the line into the running turn; ↑ takes the last waiting line back
  Esc or Ctrl-C stops what runs; Ctrl-C twice leaves, and so does Ctrl-D"""
LISTED = 20
"""Sessions that are listed."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands act on."""

    session: Session
    changes: Changes
    home: Path
    cwd: Path
    give: Callable[[Sequence[i.Event]], None]
    print: Callable[..., None]


def is_command(line: str) -> bool:
    """Whether the line is a command: `/name …`, or a plain word that leaves."""
    return line.startswith("/") or line in ("exit", "quit")


def waits(line: str) -> bool:
    """Whether the command needs the session at rest."""
    return _parts(line)[0] in WAITING


def run(line: str, desk: Desk) -> None:
    """Do what the command says, or say why not."""
    name, argument = _parts(line)
    if name not in _RUN:
        text = f"there is no command /{escape_line(name)}; /help lists them. Nothing was sent."
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


def _usage(desk: Desk, _: str) -> None:
    world = desk.session.world
    usage = world.usage
    rows = {
        "fresh input": usage.input,
        "read from cache": usage.cache_read,
        "written to cache": usage.cache_write,
        "output": usage.output,
        "requests": world.requests,
        "context now": world.context,
    }
    desk.print(*(Text(f"  {name:16} {count:>12,}") for name, count in rows.items()))
    desk.print(Text(f"  {'cost':16} {cost(world.cost, world.unpriced):>12}"))


def _sessions(desk: Desk, _: str) -> None:
    for directory, line in listed(islice(sessions(desk.home, desk.cwd), LISTED)):
        mark = "*" if directory == desk.session.directory else " "
        desk.print(Text(f"{mark} {line}"))
    desk.print(Text("  fsm-agent --resume ID takes one up", "quiet"))


def _continue(desk: Desk, _: str) -> None:
    desk.give([i.Continue()])


def _diff(desk: Desk, _: str) -> None:
    changes = desk.changes.net()
    for change in changes:
        before, after = (_bytes(desk, blob) for blob in (change.before, change.after))
        gone = " (gone)" if after is None else ""
        desk.print(Text(f"{escape_line(change.path)}{gone}", "person"))
        desk.print(diff(unified(change.path, before or b"", after or b"").text, most=None))
    if not changes:
        desk.print(Text("  no file tool has changed anything", "quiet"))
    desk.print(Text("  what commands changed is not in this list", "quiet"))


def _undo(desk: Desk, _: str) -> None:
    newest = desk.changes.newest()
    if newest is None:
        desk.print(Text("there is no change of a file tool to take back", "error"))
        return
    paths = [c.path for c in newest.changes]
    moved = [
        p for p, c in zip(paths, _changes(desk, newest.changes), strict=True) if _moved(desk, c)
    ]
    if moved:
        names = escape_line(", ".join(moved))
        desk.print(Text(f"not undone: changed since: {names}", "error"))
        return
    told = f"/undo: your last change of {', '.join(paths)} was taken back."
    command = i.Command(name=UNDO, arguments={"of": newest.of}, changes=newest.reversed())
    desk.give([i.UserInject(text=told), command])


def undo_now(desk: Desk, command: i.Command) -> None:
    """Take changes back; the command is in the log, on disk."""
    wanted = [Change(c.path, c.after, c.before) for c in _changes(desk, command.changes[::-1])]
    done = undo(wanted, Workplace(root=str(desk.cwd), environment={}))
    words = {"restored": done.restored, "removed": done.removed, "not undone": done.refused}
    for word, names in words.items():
        if names:
            desk.print(Text(f"  {word}: {escape_line(', '.join(names))}"))
    desk.print(Text("  what commands did is not taken back", "quiet"))


def _moved(desk: Desk, change: Change) -> bool:
    return present(change.path, desk.cwd) != change.after


def _changes(desk: Desk, changes: Sequence[FileChange]) -> Iterator[Change]:
    for c in changes:
        yield Change(c.path, _bytes(desk, c.before), _bytes(desk, c.after))


def _bytes(desk: Desk, blob: Blob | None) -> bytes | None:
    return None if blob is None else desk.session.blobs.get(blob)


_RUN: Mapping[str, Callable[[Desk, str], None]] = {
    "help": _help,
    "quit": _quit,
    "model": _model,
    "usage": _usage,
    "sessions": _sessions,
    "continue": _continue,
    "diff": _diff,
    "undo": _undo,
}
