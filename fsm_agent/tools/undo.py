"""Undo: files put back, if nobody has changed them since."""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from fsm_agent.events.outcome import Change
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import locate_existing
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
    if refused := [why for change in whole.values() if (why := _obstacle(change, place))]:
        return Undone(refused=tuple(refused))
    restored: list[str] = []
    removed: list[str] = []
    for change in whole.values():
        try:
            _put_back(change, place)
        except ToolFailure as failure:
            refused.append(str(failure))
        else:
            (removed if change.before is None else restored).append(change.path)
    return Undone(tuple(restored), tuple(removed), tuple(refused))


def _obstacle(change: Change, place: Workplace) -> str:
    try:
        with locate_existing(change.path, place) as location:
            now = read_whole(location, OLD_LIMIT) if location.exists() else None
    except ToolFailure as failure:
        return str(failure)
    return "" if now == change.after else f"{change.path} has changed since"


def _put_back(change: Change, place: Workplace) -> None:
    with locate_existing(change.path, place) as location:
        if change.before is not None:
            replace(location, change.before)
        elif location.exists():
            os.unlink(location.name, dir_fd=location.parent)
