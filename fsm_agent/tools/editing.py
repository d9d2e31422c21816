"""Edit: a span of a file replaced, and not one byte beside it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec

from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.calls import FunctionTool, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_text
from fsm_agent.tools.containment import Location, locate_existing, locate_for_writing
from fsm_agent.tools.diffs import diff
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.replacing import LIMIT, check_size, encode, read_whole, replace
from fsm_agent.tools.seen import Seen

_BREAK = re.compile(rb"\r\n|\n")
_NAMED_LINES = 20
_BOM = "\ufeff"


class Arguments(msgspec.Struct, frozen=True):
    """What Edit is asked."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False


def edit_tool(seen: Seen) -> FunctionTool[Arguments]:
    """The tool Edit."""

    def act(arguments: Arguments, place: Workplace) -> ToolOutcome:
        # The mark at a file's start belongs to the file: it is neither matched nor written.
        old = encode(arguments.old_string.removeprefix(_BOM), "old_string")
        new = encode(arguments.new_string.removeprefix(_BOM), "new_string")
        find = locate_existing if old else locate_for_writing
        with find(arguments.path, place) as location, seen.writing:
            if not old:
                return _create(location, new, seen)
            before = read_whole(location, LIMIT)
            seen.check(location, before)
            try:
                after = (edited_everywhere if arguments.replace_all else edited)(before, old, new)
            except ToolFailure as failure:
                raise ToolFailure(f"{location.shown}: {failure}") from failure
            return _finish(location, before, after, seen)

    told = spec(
        "Edit",
        "Replace old_string, which must match exactly one place of the file (or every place with "
        "replace_all). Copy it from the file, with its indentation. Empty: make a new file.",
        Arguments,
    )
    return FunctionTool(told, Arguments, act)


def edited(content: bytes, old: bytes, new: bytes) -> bytes:
    """The content with its one match of `old` replaced.

    A line break in `old` matches whatever ends lines in the content, and those in `new` become
    the line end used there. Where places match that way and others byte for byte, the latter count.

    Raises:
        ToolFailure: If nothing matches, several places do, or nothing would change.
    """
    found = _matches(content, old)
    found = [match for match in found if match[0] == old] or found
    if len(found) > 1:
        named = found[:_NAMED_LINES]
        lines = ", ".join(str(content.count(b"\n", 0, at.start()) + 1) for at in named)
        more = ", …" if len(found) > len(named) else ""
        raise ToolFailure(
            f"old_string is there {len(found)} times, in lines {lines}{more}: "
            "add text around it, or set replace_all"
        )
    return _replaced(content, found, new)


def edited_everywhere(content: bytes, old: bytes, new: bytes) -> bytes:
    """The content with every match of `old` replaced, as `edited` does with one.

    Raises:
        ToolFailure: If nothing matches, or nothing would change.
    """
    return _replaced(content, _matches(content, old), new)


def _matches(content: bytes, old: bytes) -> list[re.Match[bytes]]:
    ends = rb"(?:\r\n|\n)" if b"\n" in content else rb"\r"
    pattern = ends.join(re.escape(part) for part in _BREAK.split(old))
    found = list(re.finditer(pattern, content))
    if not found:
        raise ToolFailure(
            "old_string not found: locate it with Grep, read that range and copy it exactly"
        )
    return found


def _replaced(content: bytes, found: Sequence[re.Match[bytes]], new: bytes) -> bytes:
    parts, done, lines = [], 0, _BREAK.split(new)
    for match in found:
        text = _line_end(content, match.start()).join(lines) if lines[1:] else new
        parts += [content[done : match.start()], text]
        done = match.end()
    after = b"".join([*parts, content[done:]])
    if after == content:
        raise ToolFailure("nothing would change: old_string and new_string are the same")
    if not after:
        raise ToolFailure("the file would be empty: use Write for that")
    return after


def _line_end(content: bytes, start: int) -> bytes:
    """How the line ends that `start` lies in, or else the one before it, or else LF."""
    at = content.find(b"\n", start)
    if at < 0:
        at = content.rfind(b"\n", 0, start)
    if at < 0:
        return b"\r" if b"\r" in content else b"\n"
    return b"\r\n" if content[at - 1 : at] == b"\r" else b"\n"


def _create(location: Location, content: bytes, seen: Seen) -> ToolOutcome:
    if location.exists():
        raise ToolFailure(
            f"{location.shown} exists, and an empty old_string only makes a new file: "
            "give the text to be replaced"
        )
    return _finish(location, None, content, seen)


def _finish(location: Location, before: bytes | None, after: bytes, seen: Seen) -> ToolOutcome:
    check_size(after, location.shown)
    change = diff(location.shown, before or b"", after)
    replace(location, after)
    seen.note(location, hashlib.sha256(after).digest())
    line = f"Success: Edit({location.shown}) [+{change.added} -{change.removed} lines]"
    return ToolOutcome(
        line,
        display=f"{line}\n{clean_text(change.text)}",
        changes=(Change(location.path, before, after),),
    )
