"""`/diff`, `/undo`, `/redo`: what turns changed in files, and back again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.events.outcome import Change
from fsm_agent.events.values import FileChange
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.excerpts import whole_diff
from fsm_agent.interfaces.terminal.commands.changes import AGAIN, ChangeSet, together
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.interfaces.terminal.commands.turns import NAMED, Turn
from fsm_agent.interfaces.terminal.commands.wishes import FORCE, LIST, WORDS, Wish, wish_of
from fsm_agent.lifecycles.cuts import UNCOMPACT
from fsm_agent.lifecycles.rewinding import REDO, UNDO, can_return
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.undo import obstacles, present, undo

LISTED = 20
"""Turns that are listed."""
LONG = 60
"""Characters of a line or command that are shown."""


def _diff(desk: Desk, _: str) -> None:
    changes = list(desk.loaded(desk.changes.net()))
    for change in changes:
        gone = " (gone)" if change.after is None else ""
        desk.print(Text(f"{escape_line(change.path)}{gone}", "person"))
        text = unified(change.path, change.before or b"", change.after or b"").text
        desk.print(*whole_diff(text))
    if not changes:
        desk.print(Text("  no file tool has changed anything", "quiet"))
    desk.print(Text("  what commands changed is not in this list", "quiet"))


def _undo(desk: Desk, argument: str) -> None:
    if argument == LIST:
        _list(desk)
    elif argument == AGAIN:
        _again(desk)
    else:
        _take_back(desk, wish_of(argument))


def _take_back(desk: Desk, wish: Wish) -> None:
    """Log what is taken back; `undo_now` then does it.

    Raises:
        UsageError: If there is nothing, or something stands in the way; nothing is done then.
    """
    turn, sets = _meant(desk, wish)
    inputs = _rewound(desk, turn) if wish.talk and turn else []
    back, torn = _but_the_draft(desk, *together(sets))
    if not wish.force:
        _check(desk, back, torn)
    changes = _as_they_are(desk, back) if wish.force else tuple(back)
    about: dict[str, Any] = {"of": [each.of for each in sets]}
    if turn:
        standing = desk.changes.turns.standing() if wish.talk else ()
        last = max([turn.number, *(t.number for t in standing), *(each.turn for each in sets)])
        about |= {"turn": turn.number, "until": last}
    if wish.talk:
        about["talk"] = True
    elif changes:
        about["note"] = f"The person took changes back: {_named(changes)}."
    desk.give([*inputs, i.Command(name=UNDO, arguments=about, changes=changes)])


def _meant(desk: Desk, wish: Wish) -> tuple[Turn | None, Sequence[ChangeSet]]:
    """The turn that is gone back to before, if it is one, and what has to be taken back for that.

    Raises:
        UsageError: If there is no such turn, or nothing to take back.
    """
    changes, newest = desk.changes, desk.changes.newest()
    number = wish.turn
    if wish.talk and number is None:
        standing = [turn.number for turn in changes.turns.standing()]
        if not standing:
            raise UsageError("there is no turn to go back to before")
        number = standing[-1]
    if number is None:
        if newest is None:
            raise UsageError("there is no change of a file tool to take back")
        if wish.last or not newest.turn:
            return None, [newest]
        number = newest.turn
    turn = changes.turns.get(number)
    if turn is None:
        raise UsageError(f"there is no turn {number}; /undo {LIST} shows them")
    sets = changes.since(turn.began)
    if not sets and not wish.talk:
        raise UsageError(f"nothing that file tools have changed since turn {number} still stands")
    return turn, sets


def _rewound(desk: Desk, turn: Turn) -> list[i.Command]:
    """What has to be done first, so that the conversation can be rewound to before the turn."""
    world = desk.session.world
    if turn.number in world.begun:
        return []
    if world.cutting.before and turn.number in world.cutting.begun:
        return [i.Command(name=UNCOMPACT)]
    why = "was taken back" if turn.gone else "went into a summary"
    raise UsageError(
        f"turn {turn.number} {why}, so the conversation cannot go on from before it. "
        f"/undo {turn.number} takes back its files; a fork begins again from there"
    )


def _but_the_draft(
    desk: Desk, back: Sequence[FileChange], torn: Sequence[str]
) -> tuple[Sequence[FileChange], Sequence[str]]:
    """The same without a draft that has moved on: it is the plan's, which goes its own way."""
    drafts = [change for change in desk.loaded(back) if change.path == desk.place.draft]
    wanted = [Change(c.path, c.after, c.before) for c in drafts]
    if not obstacles(wanted, desk.place) and desk.place.draft not in torn:
        return back, torn
    kept = [change for change in back if change.path != desk.place.draft]
    return kept, [path for path in torn if path != desk.place.draft]


def _check(desk: Desk, back: Sequence[FileChange], torn: Sequence[str]) -> None:
    """Refuse all if anybody else has changed one of the files."""
    wanted = [Change(c.path, c.after, c.before) for c in desk.loaded(back)]
    found = [f"{path} was changed in between" for path in torn]
    if found := [*dict.fromkeys([*found, *obstacles(wanted, desk.place)])]:
        raise UsageError(
            f"nothing was undone: {'; '.join(found)}. /undo … {FORCE} does it all the same"
        )


def _as_they_are(desk: Desk, back: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The changes from what the files hold now.

    Raises:
        UsageError: If one of them cannot be put back at all.
    """
    try:
        now = [
            Change(change.path, present(change.path, desk.place), change.after)
            for change in desk.loaded(back)
        ]
    except ToolFailure as failure:
        raise UsageError(f"nothing was undone: {failure}") from failure
    return desk.kept([change for change in now if change.before != change.after])


def _redo(desk: Desk, _: str) -> None:
    """Take the last undo back.

    Raises:
        UsageError: If there is none, or something stands in the way.
    """
    undone = desk.changes.undone[-1] if desk.changes.undone else None
    if undone is None:
        raise UsageError("nothing was taken back since the last turn began")
    about = {k: v for k, v in undone.command.arguments.items() if k in ("turn", "until", "talk")}
    if about.get("talk") and not can_return(desk.session.world):
        raise UsageError("the context has changed since; the conversation stays as it is")
    back = [FileChange(c.path, c.after, c.before) for c in undone.command.changes[::-1]]
    _check(desk, back, ())
    about["of"] = undone.of
    if "talk" not in about:
        about["note"] = f"The person put back what was taken back: {_named(back)}."
    desk.give([i.Command(name=REDO, arguments=about, changes=tuple(back))])


def _again(desk: Desk) -> None:
    """Finish a command that a death of the program has cut short.

    Raises:
        UsageError: If there is none.
    """
    left = _left(desk)
    if not left:
        raise UsageError("no command was cut short")
    desk.give([i.Command(name=AGAIN, changes=tuple(left))])


def _list(desk: Desk) -> None:
    turns = desk.changes.turns.among(0, desk.session.world.turns)[-LISTED:]
    for turn in turns:
        sets = [each for each in desk.changes.since(turn.began) if each.turn == turn.number]
        gone = " (taken back)" if turn.gone else ""
        desk.print(Text(f"  {turn.number:>3}  {_short(turn.line) or '(went on)'}{gone}"))
        if sets:
            named = escape_line(_named([c for s in sets for c in s.changes]))
            desk.print(Text(f"       {named}", "quiet"))
    if not turns:
        desk.print(Text("  no turn has begun yet", "quiet"))


# -- what is done -----------------------------------------------------------------------------------


def undo_now(desk: Desk, command: i.Command) -> None:
    """Carry changes out; the command is in the log, on disk."""
    wanted = [Change(c.path, c.after, c.before) for c in desk.loaded(command.changes)]
    done = undo(wanted, desk.place)
    for word, paths in (("restored", done.restored), ("removed", done.removed)):
        for change in (change for change in wanted if change.path in paths):
            told = unified(change.path, change.after or b"", change.before or b"")
            name = escape_line(change.path)
            desk.print(Text(f"  {word}: {name} +{told.added} -{told.removed}"))
    for why in done.refused:
        desk.print(Text(f"  not done: {escape_line(why)}", "error"))
    for text in _uncovered(desk, command):
        desk.print(Text(text, "quiet"))


def _uncovered(desk: Desk, command: i.Command) -> list[str]:
    """What no undo reaches: what commands did, and the plan."""
    about, told = command.arguments, list[str]()
    if command.name != UNDO or "turn" not in about:
        return told
    turns = desk.changes.turns.among(about["turn"], desk.session.world.turns)
    if ran := sum(turn.ran for turn in turns):
        named = [_short(c) for turn in turns for c in turn.commands][:NAMED]
        more = f" and {ran - len(named)} more" if ran > len(named) else ""
        told.append(f"  what commands did stays: {' · '.join(named)}{more}")
    plan = desk.session.world.at.get("plan", "none")
    if about.get("talk") and plan != "none":
        told.append("  the plan stays as it is: /plan shows it")
    return told


def left_undone(desk: Desk) -> None:
    """Say so if the program was killed between a command's line in the log and its files."""
    left, last = _left(desk), desk.changes.command
    if left and last:
        text = f"· /{last.name} was cut short: {_named(left)}. /undo {AGAIN} finishes it."
        desk.print(Text(escape_line(text), "warning"))


def _left(desk: Desk) -> list[FileChange]:
    """Of the last command's files, those that it has not come to."""
    last = desk.changes.command
    return [change for change in (last.changes if last else ()) if _is_as_before(desk, change)]


def _is_as_before(desk: Desk, change: FileChange) -> bool:
    (one,) = desk.loaded([change])
    try:
        return one.before != one.after and present(one.path, desk.place) == one.before
    except ToolFailure:
        return False


def _named(changes: Sequence[FileChange]) -> str:
    return ", ".join(dict.fromkeys(change.path for change in changes))


def _short(text: str) -> str:
    line = escape_line(" ".join(text.split()))
    return line if len(line) <= LONG else f"{line[: LONG - 1]}…"


CARRIED_OUT = dict.fromkeys((UNDO, REDO, AGAIN), undo_now)
"""What is done about commands that were logged first."""
COMMANDS = (
    Command(
        "diff",
        "what the session changed in files",
        _diff,
        more="It compares files as they were before the session's tools first changed them with how "
        "the tools left them; what commands did is not in it.",
        example="/diff",
    ),
    Command(
        "undo",
        "take back what the last turn changed in files",
        _undo,
        waits=True,
        words=lambda _, __: WORDS,
        takes="[N | last | list | again] [talk] [force]",
        more="N goes back to before turn N, talk rewinds the conversation as well, and what you "
        "had said then is at the prompt again. If a file has changed since, nothing is undone, "
        "unless force is said. What shell commands did stays. /redo takes an undo back.",
        example="/undo 3 talk",
    ),
    Command(
        "redo",
        "take the last /undo back",
        _redo,
        waits=True,
        more="It can be had until the next turn begins.",
        example="/redo",
    ),
)
