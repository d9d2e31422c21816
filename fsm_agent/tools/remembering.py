"""Remember: what later sessions should know, kept in memory files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from fsm_agent.context.memory import CAP, SCRATCH, SECTIONS, USER, section, with_section
from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.calls import FunctionTool, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_text
from fsm_agent.tools.containment import locate_existing
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.replacing import read_whole
from fsm_agent.tools.undo import Undone, undo
from fsm_agent.tools.writing import OLD_LIMIT

Told: TypeAlias = Mapping[str, bytes | None]
"""Memory files as the model was last told of them: path → first bytes (None: there was none)."""
Rewrite: TypeAlias = Callable[[str], str]
"""A section's new text, from its old one."""
FIELDS = {title.lower().replace(" ", "_"): title for title in SECTIONS if title != SCRATCH}
"""Arguments of Remember, and the sections they are for."""


class Arguments(msgspec.Struct, frozen=True):
    """What Remember is asked: the whole new text of each section that changes."""

    user_memory: str | UnsetType = UNSET
    project_memory: str | UnsetType = UNSET
    constraints: str | UnsetType = UNSET
    consolidated_facts: str | UnsetType = UNSET


def remember_tool(told: Told) -> FunctionTool[Arguments]:
    """The tool Remember."""

    def act(arguments: Arguments, place: Workplace) -> ToolOutcome:
        changes = rewritten(place, texts(msgspec.structs.asdict(arguments)))
        for change in changes:
            if len(change.before or b"") > CAP:
                raise ToolFailure(f"{change.path} is too long: a person must shorten it first")
            if change.path in told and told[change.path] != change.before:
                raise ToolFailure(f"{change.path} has just changed: look at it as it is now")
        if not changes:
            return ToolOutcome("nothing changes: memory says that already")
        if refused := write(changes, place).refused:
            raise ToolFailure("; ".join(refused))
        display = ", ".join(change.path for change in changes)
        return ToolOutcome("kept for later sessions", display=display, changes=tuple(changes))

    told_of = spec(
        "Remember",
        "Keep for later sessions what would have to be found out again: give the whole new text "
        "of each section of memory that changes; the others stay.",
        Arguments,
    )
    return FunctionTool(told_of, Arguments, act)


def texts(arguments: Mapping[str, object]) -> dict[str, Rewrite]:
    """The sections that a call of Remember gives, and their texts."""
    given = {FIELDS[name]: text for name, text in arguments.items() if name in FIELDS}
    return {title: _always(text) for title, text in given.items() if isinstance(text, str)}


def file_of(title: str, place: Workplace) -> str:
    """The file that has this section."""
    return place.user_memory if title == USER else place.project_memory


def look(path: str) -> bytes | None:
    """The first bytes of a memory file, one more than are shown; None if there is none to read."""
    with suppress(OSError):
        if os.path.isfile(path):  # noqa: PTH113 - one that blocks (a FIFO) is none
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                return file.read(CAP + 1)
    return None


def rewritten(place: Workplace, new: Mapping[str, Rewrite]) -> list[Change]:
    """The changes of memory files that give these sections their new text. Writes nothing.

    Raises:
        ToolFailure: If there is no memory here, or a file is no text or becomes too long.
    """
    made: list[Change] = []
    for path in dict.fromkeys(file_of(title, place) for title in new):
        if not path:
            raise ToolFailure("nothing is remembered here")
        before = _present(path, place)
        text = was = (before or b"").decode(errors="surrogateescape")
        for title, rewrite in new.items():
            if file_of(title, place) == path:
                text = with_section(text, title, clean_text(rewrite(section(text, title))))
        after = text.encode(errors="surrogateescape")
        if len(after) > max(CAP, len(before or b"")):
            raise ToolFailure(f"{path} would have {len(after)} bytes; {CAP} is all that is shown")
        if text != was:
            made.append(Change(path, before, after))
    return made


def write(changes: Collection[Change], place: Workplace) -> Undone:
    """Carry changes of memory files out, all or none; a file that has changed since is refused."""
    with ExitStack() as held:
        for directory in sorted({Path(change.path).parent for change in changes}):
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not held.enter_context(_alone(directory)):
                return Undone(refused=(f"{directory}: somebody else is writing there; try again",))
        return undo([Change(c.path, c.after, c.before) for c in changes], place)


@contextmanager
def _alone(directory: Path) -> Iterator[bool]:
    """Whether nobody else writes memory there meanwhile: between a look and a write lies time."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _present(path: str, place: Workplace) -> bytes | None:
    if not os.path.lexists(path):
        return None
    with locate_existing(path, place) as location:
        raw = read_whole(location, OLD_LIMIT)
    if b"\0" in raw:
        raise ToolFailure(f"{path} is no text in UTF-8")
    return raw


def _always(text: str) -> Rewrite:
    return lambda _: text
