"""`/permissions`: what runs unasked, and taking that back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.painting.granted import listed
from fsm_agent.interfaces.terminal.commands.choosing import MODES
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.lifecycles.granting import REVOKE

TAKES = "it takes nothing, or revoke and a number of the list or all"


def _permissions(desk: Desk, argument: str) -> None:
    """List what runs unasked, or take a standing yes back.

    Raises:
        UsageError: If that is not asked for, or there is no such standing yes.
    """
    verb, _, which = argument.partition(" ")
    if verb == "revoke":
        _revoke(desk, which.strip())
    elif verb in ("", "list"):
        desk.print(*_list(desk))
    else:
        raise UsageError(f"{TAKES}, not '{argument}'")


def _list(desk: Desk) -> Iterator[Text]:
    mode = desk.settings().permission
    yield Text(f"  mode {mode}: {dict(MODES).get(mode, '')}; /mode changes it")
    number = 0
    for number, (_, told) in enumerate(listed(desk.session.world.grants), 1):
        yield Text(f"  {number}  {told}")
    if number:
        more = "these end with the session, also when it is taken up again; /permissions revoke N"
        yield Text(f"  {more} or all takes them back", "quiet")
    else:
        yield Text("  no standing yes was given, or it has ended", "quiet")


def _revoke(desk: Desk, which: str) -> None:
    standing = [grants for grants, _ in listed(desk.session.world.grants)]
    if which == "all" and standing:
        taken = desk.session.world.grants
    elif which.isascii() and which.isdigit() and 0 < int(which[:9]) <= len(standing):
        taken = standing[int(which[:9]) - 1]
    else:
        wrong = f"there is no standing yes {which}" if which and which != "all" else TAKES
        raise UsageError(wrong if standing else "there is no standing yes to take back")
    desk.give([i.Command(name=REVOKE, arguments=msgspec.to_builtins(taken))])


def _words(_home: Path, _cwd: Path) -> Iterator[tuple[str, str]]:
    yield "revoke", "N or all: ask about it again"


COMMANDS = (
    Command(
        "permissions",
        "what runs unasked; revoke asks about it again",
        _permissions,
        words=_words,
        takes="[revoke N | revoke all]",
        more="Standing answers end with the session, also when it is taken up again.",
        example="/permissions revoke 1",
    ),
)
