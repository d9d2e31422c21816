"""Undo: files put back, if nobody has changed them since."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from fsm_agent.events.outcome import Change
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import NotThere, locate_existing, locate_for_writing
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.replacing import read_whole, replace
from fsm_agent.tools.writing import OLD_LIMIT


class Undone(msgspec.Struct, frozen=True):
    """What came of it.

    Attributes:
        restored: Paths that have their bytes from before again.
        removed: Paths that had been new and are gone.
        refused: Why a file was left as it is, one text each.
    """

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def undo(changes: Iterable[Change], place: Workplace) -> Undone:
    """Take changes back; if any file has changed since, nothing is done at all.

    Args:
        changes: In the order in which they were made; those of one file are taken as one.
        place: The workspace that their paths lie in.
    """
    whole: dict[str, Change] = {}
    for change in changes:
        first = whole.get(change.path, change)
        whole[change.path] = Change(change.path, first.before, change.after)
    moved = [change for change in whole.values() if change.before != change.after]
    if refused := obstacles(moved, place):
        return Undone(refused=tuple(refused))
    restored: list[str] = []
    removed: list[str] = []
    for change in moved:
        try:
            _put_back(change, place)
        except ToolFailure as failure:
            refused.append(str(failure))
        else:
            (removed if change.before is None else restored).append(change.path)
    return Undone(tuple(restored), tuple(removed), tuple(refused))


def present(path: str, place: Workplace) -> bytes | None:
    """What the file of a recorded path holds now; None if there is none.

    Raises:
        ToolFailure: If there is something else, it is a link now, or may not be changed.
    """
    try:
        with locate_existing(path, place) as location:
            if location.path != path:  # recorded as where it lay, behind all links
                raise ToolFailure(f"{location.shown} is a link now")
            return read_whole(location, OLD_LIMIT) if location.exists() else None
    except NotThere:
        return None


def obstacles(changes: Iterable[Change], place: Workplace) -> list[str]:
    """Why changes cannot be taken back, a text for each file that is not as it was left."""
    return [why for change in changes if (why := _obstacle(change, place))]


def _obstacle(change: Change, place: Workplace) -> str:
    try:
        now = present(change.path, place)
    except ToolFailure as failure:
        return str(failure)
    return "" if now == change.after else f"{change.path} has changed since"


def _put_back(change: Change, place: Workplace) -> None:
    if change.before is not None:
        with locate_for_writing(change.path, place) as location:
            replace(location, change.before)
        return
    with locate_existing(change.path, place) as location:
        try:
            os.unlink(location.name, dir_fd=location.parent)
        except OSError as error:
            raise ToolFailure(f"{location.shown} was not removed: {error.strerror}") from error
