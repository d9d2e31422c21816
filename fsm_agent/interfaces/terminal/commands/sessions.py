"""`/sessions`, `/resume`, `/new`, `/fork`: from one session to another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from rich.text import Text

from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.amounts import age
from fsm_agent.interfaces.assembly import Wanted
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.listing import glance
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.interfaces.terminal.switching import Opened, apart, opened
from fsm_agent.log.reading import read
from fsm_agent.runtime.clock import SystemClock
from fsm_agent.runtime.forking import starting_point
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.places import LOG, find_session, sessions
from fsm_agent.runtime.salvage import Legacy, legacy
from fsm_agent.runtime.session import Session

LISTED = 20
"""Sessions that are listed."""
SEARCHED_S = 5.0
"""Seconds for which a text is looked for."""
ALL = "--all"


def _sessions(desk: Desk, words: str) -> None:
    everywhere = ALL in words.split()
    text = " ".join(word for word in words.split(" ") if word != ALL).strip()
    catalogue, here = Catalogue(desk.home, desk.cwd), desk.session.directory
    work = partial(_with, text, catalogue, here, everywhere=everywhere) if text else None
    desk.background("sessions", work or partial(_newest, catalogue, here, everywhere=everywhere))


def _newest(catalogue: Catalogue, here: Path, *, everywhere: bool) -> Iterator[Text]:
    found = catalogue.directories(everywhere=everywhere)
    for directory in found[:LISTED]:
        yield _line(catalogue, directory, here)
    more = f"; {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    yield Text(f"  /resume picks one, /sessions TEXT finds a text in them{more}", "quiet")


def _with(text: str, catalogue: Catalogue, here: Path, *, everywhere: bool) -> Iterator[Text]:
    """Sessions in which a text stands."""
    looked, count, until = 0, 0, time.monotonic() + SEARCHED_S
    for directory, excerpt in catalogue.looked_into(text, everywhere=everywhere):
        looked += 1
        if excerpt is not None:
            count += 1
            yield _line(catalogue, directory, here)
            yield Text(f"    {excerpt}", "quiet")
        if count == LISTED or time.monotonic() > until:
            break
    left = len(catalogue.directories(everywhere=everywhere)) - looked
    if left:
        yield Text(f"  the newest {looked:,} were looked into, {left:,} were not", "quiet")
    elif not count:
        yield Text("  nothing was found", "quiet")


def _line(catalogue: Catalogue, directory: Path, here: Path) -> Text:
    seen = catalogue.glance(directory)
    mark = "*" if directory == here else " "
    turns = f"{seen.turns} turn{'s' if seen.turns != 1 else ''}"
    when = age(SystemClock().unix() - seen.changed) if seen.changed else ""
    elsewhere = f"  {seen.cwd}" if seen.cwd != str(catalogue.cwd) else ""
    told = f"{mark} {seen.name}  {when:>12}  {turns:>8}  {seen.first}{elsewhere}"
    return Text(told, no_wrap=True, overflow="ellipsis")


def _new(desk: Desk, _: str) -> None:
    desk.open(apart(partial(opened, Wanted(), desk.home, desk.cwd)))


def _resume(desk: Desk, name: str) -> None:
    """Go to a session: the one of this name, else one that is picked.

    Raises:
        UsageError: If it is this one.
    """
    if name == desk.session.name:
        raise UsageError("that is this session")
    if name and find_session(desk.home, name):
        desk.open(_resumed(desk, name))
    else:
        desk.open(_picked(desk, name))


async def _resumed(desk: Desk, name: str) -> Opened:
    return await apart(partial(opened, Wanted(resume=name), desk.home, desk.cwd))


async def _picked(desk: Desk, text: str) -> Opened | None:
    others = Catalogue(desk.home, desk.cwd, but=desk.session.directory)
    directory = await desk.pick(others, text)
    return await _resumed(desk, directory.name) if directory else None


def _fork(desk: Desk, word: str) -> None:
    """Go on in a fork: of all that was said, or of what was said before a turn.

    Raises:
        UsageError: If there is no such turn.
    """
    number = word.removeprefix("@")
    if word and not (number.isascii() and number.isdigit()):
        raise UsageError(f"it takes the number of a turn, or @ and that of a line, not '{word}'")
    desk.open(apart(partial(_forked, desk, word) if word else partial(_whole, desk)))


def _whole(desk: Desk) -> Opened:
    world = desk.session.world
    return _begun(desk, legacy(world, world.messages), world.seq - 1)


def _forked(desk: Desk, word: str) -> Opened:
    log = desk.session.directory / LOG
    seq = int(word[1:]) if word.startswith("@") else _line_of_turn(log, int(word))
    point = starting_point(read(log), desk.session.blobs.text, seq)
    fork = _begun(desk, point.left, point.at)
    fork.line = point.line
    return fork


def _line_of_turn(log: Path, number: int) -> int:
    name = f"turn-{number}"
    for batch in read(log):
        for line in batch.lines:
            if isinstance(line.event, d.Transition) and line.event.instance == name:
                return line.seq
    raise UsageError(f"there is no turn {number}")


def _begun(desk: Desk, left: Legacy, at: int) -> Opened:
    session = Session.create(desk.home, desk.cwd, SystemClock())
    fork = i.SessionFork(source=desk.session.name, reason="fork", messages="", at=at)
    session.inherit(fork, left)
    Images(session.directory).take_over(desk.session.directory)
    return Opened(session, desk.cwd, settings=desk.settings())


def session_names(home: Path, cwd: Path) -> Iterator[tuple[str, str]]:
    """This directory's sessions, newest first, and what each is about."""
    for directory in islice(sessions(home, cwd), LISTED):
        yield directory.name, glance(directory).first


COMMANDS = (
    Command(
        "sessions",
        "this directory's sessions, newest first",
        _sessions,
        words=lambda _, __: ((ALL, "those of every directory"),),
        takes="[--all] [TEXT]",
        more="With a text, those in which it was said, called or given; big and small letters are "
        f"the same. It looks for {SEARCHED_S:.0f} seconds at most, at the newest first.",
        example="/sessions failing test",
    ),
    Command(
        "resume",
        "leave this session for another one",
        _resume,
        waits=True,
        words=session_names,
        takes="[ID|TEXT]",
        more="Without an id a list comes up, from which one is picked: type to find a text, Tab "
        "shows all directories, Enter takes it, Esc stays here.",
        example="/resume failing test",
    ),
    Command(
        "new",
        "leave this session for a new one",
        _new,
        waits=True,
        more="It begins with an empty context and the settings of the command line.",
        example="/new",
    ),
    Command(
        "fork",
        "go on in a copy of this session, which stays as it is",
        _fork,
        waits=True,
        takes="[N|@LINE]",
        more="With the number of a turn, or of a line of the log, from before that turn: what you "
        "said then stands at the prompt. Files stay as they lie.",
        example="/fork 3",
    ),
)
