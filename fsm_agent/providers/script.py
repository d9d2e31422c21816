"""A model's script: its steps, their attempts, and how it is written.

A script is a text file. Each step is the model's answer at one point of a conversation; a line that
begins with `---` starts the next one, and what follows on that line is its title. Lines that begin
with `#` are comments. An item is `name: value`; lines below it that are indented continue its
value, without their common indentation::

    --- look first
    thinking: The tests will show what is wrong.
    text: I'll run the tests.
    call: Bash {"command": "pytest -q"}
    usage: 1200 40

    --- a server that is busy, then an answer that breaks off, then one that comes through
    error: 429 retry-after=2 slow down
    text: It is the
    broken
    text:
        It is the boundary:
            `<` should be `<=`.

The items::

    text: …                    a block of the answer; so is `thinking: …`
    call: NAME {…}             a tool call; its input is a JSON object
    usage: IN OUT [READ [WRITE [REASONING]]]    tokens: fresh, answered, from the cache, into it, …
    stop: REASON               why it ended, if not `tool_use` after a call, else `end_turn`
    delay: SECONDS             a pause in this place
    hang                       nothing more comes until the answer is let go
    kill                       the process ends here, as after `kill -9`
    broken                     the connection is lost inside the block above
    error: STATUS [retry-after=SECONDS] [code=CODE] MESSAGE     the request is refused

`broken` and `error` end an attempt: asked again, the step goes on behind them. Its last attempt is
given as often as it is asked for.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events.values import Block, CallBlock, StopReason, TextBlock, ThinkingBlock, Usage


class Pause(msgspec.Struct, frozen=True):
    """Nothing comes for so many seconds; without a number, until the answer is let go."""

    seconds: float | None = None


class Kill(msgspec.Struct, frozen=True):
    """The process dies here."""


class Rejection(msgspec.Struct, frozen=True):
    """The request is refused with this HTTP status; `retry_after` is a header, as it is sent."""

    status: int
    message: str
    retry_after: str | None = None
    code: str | None = None


Item: TypeAlias = Block | Pause | Kill


class Attempt(msgspec.Struct, frozen=True):
    """What one request gets.

    Attributes:
        items: In this order; a call has no id yet.
        end: How it ends: as its protocol says, with a lost connection, or refused at once.
    """

    items: tuple[Item, ...]
    end: StopReason | Literal["broken"] | Rejection
    usage: Usage | None = None


class Step(msgspec.Struct, frozen=True):
    """The model's answer at one point of a conversation; at least one attempt."""

    title: str
    attempts: tuple[Attempt, ...]


def load(path: Path) -> tuple[Step, ...]:
    """Read a script.

    Raises:
        UsageError: If it cannot be read, or a line of it is wrong; the text names file and line.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the script cannot be read: {error}") from error
    return parse(text, str(path))


def parse(text: str, name: str = "script") -> tuple[Step, ...]:
    """Read a script's text; `name` stands before the line's number in messages.

    Raises:
        UsageError: If a line is wrong.
    """
    steps: list[Step] = []
    entries = _entries(text, name)
    if entries and entries[0].name != "---":
        entries.insert(0, _Entry(f"{name}:1", "---"))
    starts = [n for n, entry in enumerate(entries) if entry.name == "---"]
    for start, end in itertools.pairwise([*starts, len(entries)]):
        attempts = tuple(_attempts(entries[start + 1 : end]))
        if not attempts:
            raise entries[start].wrong("this step has no answer")
        steps.append(Step(entries[start].value, attempts))
    return tuple(steps)


class _Entry:
    """`name: value` as it is written, with the lines that continue it, and its `file:line`."""

    def __init__(self, place: str, line: str) -> None:
        title = line.startswith("---")
        self.name, _, first = ("---", "", line[3:]) if title else line.partition(":")
        self.place = place
        self.first, self.more = first.strip(), list[str]()

    @property
    def value(self) -> str:
        more = textwrap.dedent("\n".join(self.more)).strip("\n")
        return f"{self.first}\n{more}" if self.first and more else self.first or more

    def wrong(self, why: str) -> UsageError:
        return UsageError(f"{self.place}: {why}")


def _entries(text: str, name: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line.startswith("#"):
            continue
        entry = _Entry(f"{name}:{number}", line)
        if line[:1] not in ("", " ", "\t"):
            entries.append(entry)
        elif entries:
            entries[-1].more.append(line)
        elif line.strip():
            raise entry.wrong("an indented line continues the one above, and there is none")
    return entries


def _attempts(entries: Iterable[_Entry]) -> Iterator[Attempt]:
    items: list[Item] = []
    usage, stop = None, None
    for entry in entries:
        match entry.name.rstrip():
            case "usage":
                usage = _usage(entry)
            case "stop":
                stop = _stop(entry)
            case "error":
                if items or usage or stop:
                    raise entry.wrong(
                        "an error is all of its attempt: end the one above (`broken`)"
                    )
                yield Attempt((), _rejection(entry))
            case "broken":
                yield Attempt(tuple(items), "broken", usage)
                items, usage, stop = [], None, None
            case name if name in _ITEMS:
                items.append(_ITEMS[name](entry))
            case name:
                known = ", ".join(sorted([*_ITEMS, "broken", "error", "stop", "usage"]))
                raise entry.wrong(f"{name!r} is none of {known}")
    if items or usage or stop:
        calls = any(isinstance(item, CallBlock) for item in items)
        yield Attempt(tuple(items), stop or ("tool_use" if calls else "end_turn"), usage)


def _call(entry: _Entry) -> CallBlock:
    name, _, arguments = entry.value.partition(" ")
    name, _, below = name.partition("\n")
    try:
        given = msgspec.json.decode(below + arguments or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise entry.wrong(f"a call is a tool's name and a JSON object: {error}") from error
    return CallBlock(name, "", given)


def _pause(entry: _Entry) -> Pause:
    try:
        return Pause(float(entry.value))
    except ValueError as error:
        raise entry.wrong("a delay is a number of seconds") from error


def _usage(entry: _Entry) -> Usage:
    try:
        return Usage(*(int(word) for word in entry.value.split()))
    except (TypeError, ValueError) as error:
        raise entry.wrong("usage is two to five numbers: IN OUT READ WRITE REASONING") from error


def _stop(entry: _Entry) -> StopReason:
    try:
        return cast("StopReason", msgspec.convert(entry.value, StopReason))
    except msgspec.ValidationError as error:
        raise entry.wrong(f"stop is one of {', '.join(get_args(StopReason))}") from error


def _rejection(entry: _Entry) -> Rejection:
    found = _REJECTION.fullmatch(entry.value)
    if found is None:
        raise entry.wrong("an error is STATUS [retry-after=SECONDS] [code=CODE] MESSAGE")
    status, retry_after, code, message = found.groups()
    return Rejection(int(status), message, retry_after, code)


_REJECTION = re.compile(r"([345]\d\d)(?: retry-after=(\S+))?(?: code=(\S+))?\s*(.*)", re.DOTALL)

_ITEMS: Mapping[str, Callable[[_Entry], Item]] = {
    "text": lambda entry: TextBlock(entry.value),
    "thinking": lambda entry: ThinkingBlock(entry.value),
    "call": _call,
    "delay": _pause,
    "hang": lambda _: Pause(),
    "kill": lambda _: Kill(),
}
