"""What a person is asked about: the call as it would act."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.text import Text

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.painting import granted
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.painting.excerpts import LONG, whole_diff
from fsm_agent.interfaces.terminal.targets import leading, targets
from fsm_agent.policy.grants import EDITS
from fsm_agent.policy.reaching import reach
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import NotThere, locate_existing
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.editing import edited, edited_everywhere
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.remembering import rewritten, texts
from fsm_agent.tools.replacing import read_whole
from fsm_agent.tools.writing import OLD_LIMIT


def choices(call: ToolCall, place: Workplace) -> dict[str, str]:
    """The answers that fit a call, and how they are offered."""
    offered = {"yes": "[y]es", "no": "[n]o and why"}
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        kind = reach(command, place.root)
        what = f"{' '.join(kind.words)} …" if kind else "this command, word for word,"
        offered["command"] = f"[c] {what} from now on"
    elif call.name in EDITS:
        offered["edits"] = "[e] all edits in the workspace from now on"
    return offered


def picture(call: ToolCall, place: Workplace) -> Iterator[Text]:
    """The whole of what is asked: what the call would do, and what a standing yes lets through."""
    yield Text(f"\nMay this run? {escape_line(call.name)}", "warning")
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        yield from _command(command, place)
    elif call.name in EDITS:
        yield from _change(call, place)
        yield Text(f"  e would let through: {granted.EDITS}", "quiet")
    elif call.name == "Remember":
        yield from _memory(call, place)
    else:
        given = msgspec.json.format(msgspec.json.encode(call.input), indent=2).decode()
        yield Text(escape(given))


def _command(command: str, place: Workplace) -> Iterator[Text]:
    yield Text(f"  in {escape_line(place.root)}{_length(command)}", "quiet")
    yield Text("\n".join(f"  $ {line}" for line in escape(command).split("\n")))
    for told, marked in targets(command, place.root):
        yield Text(f"  {escape_line(told)}", "warning" if marked else "quiet")
    if kind := reach(command, place.root):
        yield Text(f"  c would let through: {granted.words(kind)}", "quiet")


def _length(text: str) -> str:
    lines = text.count("\n") + 1
    if lines == 1 and len(text) <= LONG:
        return ""
    return f" · {len(text):,} characters in {lines:,} line{'s' if lines > 1 else ''}"


def _change(call: ToolCall, place: Workplace) -> Iterator[Text]:
    path = str(call.input.get("path", ""))
    try:
        before = _present(path, place)
        after = _after(call, before)
    except ToolFailure as failure:
        yield Text(f"  {escape_line(path)}: it will fail: {escape_line(str(failure))}", "error")
        return
    yield from _difference(path, before, after, leading(path, place.root))


def _memory(call: ToolCall, place: Workplace) -> Iterator[Text]:
    try:
        changes = rewritten(place, texts(call.input))
    except ToolFailure as failure:
        yield Text(f"  it will fail: {escape_line(str(failure))}", "error")
        return
    for change in changes:
        yield from _difference(change.path, change.before, change.after or b"")
    if not changes:
        yield Text("  nothing changes", "quiet")


def _difference(path: str, before: bytes | None, after: bytes, leads: str = "") -> Iterator[Text]:
    if before == after:
        yield Text(f"  {escape_line(path)}: nothing changes", "quiet")
        return
    change = unified(path, before or b"", after)
    name = f"{path} -> {leads}" if leads else path
    new = " (new)" if before is None else ""
    yield Text(f"  {escape_line(name)}{new}: +{change.added} -{change.removed} lines", "quiet")
    yield from whole_diff(change.text)


def _after(call: ToolCall, before: bytes | None) -> bytes:
    """What the file would hold after the call."""
    given = {name: value for name, value in call.input.items() if isinstance(value, str)}
    if call.name == "Write":
        return given.get("content", "").encode(errors="replace")
    old, new = given.get("old_string", "").encode(), given.get("new_string", "").encode()
    if not old:
        return new
    everywhere = bool(call.input.get("replace_all"))
    return (edited_everywhere if everywhere else edited)(before or b"", old, new)


def _present(path: str, place: Workplace) -> bytes | None:
    """What a file that may be changed holds now; None if there is none."""
    try:
        with locate_existing(path, place) as location:
            return read_whole(location, OLD_LIMIT) if location.exists() else None
    except NotThere:
        return None
