"""A person is asked whether a call may run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
from rich.text import Text

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.painting.excerpts import LONG, diff
from fsm_agent.interfaces.terminal.surface import Surface
from fsm_agent.policy.grants import EDITS
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import locate_existing
from fsm_agent.tools.diffs import diff as unified
from fsm_agent.tools.editing import edited, edited_everywhere
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.remembering import rewritten, texts
from fsm_agent.tools.replacing import read_whole
from fsm_agent.tools.writing import OLD_LIMIT

ANSWERS = {
    "y": "yes",
    "yes": "yes",
    "n": "no",
    "no": "no",
    "c": "command",
    "e": "edits",
}
"""What the person types, and the answer it is."""
NO_ANSWER = "that is no answer: y, n or n and why"


class Questions:
    """Asks one question after the other; cancelling one takes it back."""

    def __init__(self, screen: Surface, place: Workplace) -> None:
        self._screen, self._place = screen, place
        self._one = asyncio.Lock()
        self._answer: asyncio.Future[tuple[str, str]] | None = None
        self._offered: frozenset[str] = frozenset()

    async def ask(self, call: ToolCall, reason: str) -> tuple[str, str]:
        """Show what the call would do, and wait for the answer and a word to the model."""
        async with self._one:
            offered = choices(call)
            about = Text(f"  {' · '.join(offered.values())}")
            self._screen.print(*picture(call, reason, self._place), about)
            self._answer = asyncio.get_running_loop().create_future()
            self._offered = frozenset(offered)
            self._screen.ask(f"[{'/'.join(answer[0] for answer in offered)}]?")
            try:
                return await self._answer
            finally:
                self._answer = None
                self._screen.asked()

    @property
    def pending(self) -> bool:
        """Whether somebody waits for an answer."""
        return self._answer is not None

    def answer(self, line: str) -> None:
        """Take the person's line; one that is no answer is refused, for a yes must be meant."""
        answer = parse(line)
        if self._answer is None or self._answer.done():
            return
        if answer is None or answer[0] not in self._offered:
            self._screen.print(Text(f"· {NO_ANSWER}", "warning"))
        else:
            self._answer.set_result(answer)


def parse(line: str) -> tuple[str, str] | None:
    """Read an answer: only a no may go on with a word to the model."""
    first, _, rest = line.strip().partition(" ")
    answer = ANSWERS.get(first.lower())
    if answer is None or (rest and answer != "no"):
        return None
    return answer, rest.strip()


def choices(call: ToolCall) -> dict[str, str]:
    """The answers that fit a call, and how they are offered."""
    offered = {"yes": "[y]es", "no": "[n]o and why"}
    if call.name == "Bash":
        offered["command"] = "[c] this command from now on"
    elif call.name in EDITS:
        offered["edits"] = "[e] all edits in the workspace from now on"
    return offered


def picture(call: ToolCall, reason: str, place: Workplace) -> Iterator[Text]:
    """The whole of what is asked: the command where it would run, the diff, or the arguments."""
    head = f"\nMay this run? {escape_line(call.name)}: {escape_line(reason)}"
    yield Text(head, "warning")
    command = call.input.get("command")
    if call.name == "Bash" and isinstance(command, str):
        yield Text(f"  in {escape_line(place.root)}{_length(command)}", "quiet")
        yield Text("\n".join(f"  $ {line}" for line in escape(command).split("\n")))
    elif call.name in EDITS:
        yield from _change(call, place)
    elif call.name == "Remember":
        yield from _memory(call, place)
    else:
        given = msgspec.json.format(msgspec.json.encode(call.input), indent=2).decode()
        yield Text(escape(given))


def _length(text: str) -> str:
    lines = text.count("\n") + 1
    if lines == 1 and len(text) <= LONG:
        return ""
    return f" · {len(text):,} characters in {lines:,} line{'s' if lines > 1 else ''}"


def _change(call: ToolCall, place: Workplace) -> Iterator[Text]:
    path = str(call.input.get("path", ""))
    before = present(path, place)
    try:
        after = _after(call, before)
    except ToolFailure as failure:
        yield Text(f"  {escape_line(path)}: it will fail: {escape_line(str(failure))}", "error")
        return
    yield from _difference(path, before, after)


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


def _difference(path: str, before: bytes | None, after: bytes) -> Iterator[Text]:
    change = unified(path, before or b"", after)
    new = " (new)" if before is None else ""
    yield Text(f"  {escape_line(path)}{new}: +{change.added} -{change.removed} lines", "quiet")
    yield diff(change.text, most=None)


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


def present(path: str, place: Workplace) -> bytes | None:
    """What a file that may be changed holds now; None if there is none that can be read."""
    try:
        with locate_existing(path, place) as location:
            return read_whole(location, OLD_LIMIT)
    except ToolFailure:
        return None
