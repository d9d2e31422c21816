"""What there is to show of a session, as values without a look."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, TypeAlias

import msgspec

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.status import Standing
from fsm_agent.interfaces.painting.thoughts import Look


class Item(msgspec.Struct, frozen=True):
    """Something that has happened and will not change any more."""


class UserSaid(Item, frozen=True):
    """A line of the person entered the conversation; `injected` in the middle of a turn.

    `at` is the log line at which one that had waited was delivered; 0 if it did not wait.
    """

    text: str
    injected: bool = False
    at: int = 0


class Thought(Item, frozen=True):
    """A block of reasoning, and how it is shown; `partial` when it was cut off."""

    text: str
    partial: bool = False
    look: Look = "folded"


class Said(Item, frozen=True):
    """A block of the answer; `partial` when it was cut off."""

    text: str
    partial: bool = False


class Call(Item, frozen=True):
    """A tool call as it is named on the screen: tool, and the argument that says most."""

    name: str
    subject: str


class ToolEnded(Item, frozen=True):
    """A call has its result. `state` is done, denied, cancelled or unknown; `ms` how long it ran.

    `text` is the tool's word to the person, else what the model gets; `why` a denial's reason; `of`
    the number of its line in the log, by which all of it can be shown.
    """

    call: Call
    state: str
    ok: bool
    text: str
    why: str = ""
    ms: int = 0
    of: int = 0


class Allowed(Item, frozen=True):
    """The person said yes, once or for more."""

    call: Call
    reason: str


class Noted(Item, frozen=True):
    """News about the session itself."""

    text: str


class CutShort(Item, frozen=True):
    """The program died; what was under way then, line by line."""

    lines: tuple[str, ...]


class Retrying(Item, frozen=True):
    """A request failed and will be sent again after a pause of `ms`."""

    error: str
    attempt: int
    ms: int


class Failed(Item, frozen=True):
    """Something failed for good; `hint` is what the person can do."""

    message: str
    hint: str = ""


class LinesBack(Item, frozen=True):
    """Lines that waited go back to the person's editor; `wanted` if the person asked for it."""

    texts: tuple[str, ...]
    wanted: bool = False


class ContextCut(Item, frozen=True):
    """Messages gave way to a summary: tokens before and after, and micro-dollars.

    `cost` is that of the summary, `pays` what the cut is to save (none: not known, or not asked).
    """

    before: int
    after: int
    cost: int | None
    pays: int | None


class Thinned(Item, frozen=True):
    """So many calls of old messages were thinned out, which saves so many tokens."""

    calls: int
    tokens: int


class PlanMoved(Item, frozen=True):
    """The plan went from one state to another; the SHA-256 of its draft or text, if there is one."""

    before: str
    after: str
    digest: str


class TurnEnded(Item, frozen=True):
    """A turn is over: how, after how many seconds, for how many tokens."""

    how: Literal["answered", "failed", "interrupted", "exhausted"]
    seconds: float
    usage: Usage


AnyItem: TypeAlias = (
    UserSaid
    | Thought
    | Said
    | ToolEnded
    | Allowed
    | Noted
    | CutShort
    | Retrying
    | Failed
    | LinesBack
    | ContextCut
    | Thinned
    | PlanMoved
    | TurnEnded
)


class Act(msgspec.Struct, frozen=True):
    """A call under way: running, asking or stopping, and since when (log time)."""

    call: Call
    doing: str
    since: str


class Status(msgspec.Struct, frozen=True):
    """What is under way.

    Attributes:
        doing: Idle, or what the turn does: waiting, answering, running, pausing, stopping; or
            summing up, for a cut.
        since: When that began, in log time.
        acts: The calls under way, in the order of their beginning.
        queued: Lines that wait for the end of the turn, by seq.
        injected: Lines that wait for the next gap of the turn.
        usage: Tokens of this turn so far.
        unfinished: Whether the last turn was cut short, and can be gone on with.
        mode: What runs unasked.
        look: How reasoning is shown.
        again: When a request that failed will be sent again, in log time.
        standing: Where the session stands.
    """

    doing: Literal["idle", "waiting", "answering", "running", "pausing", "stopping", "summing"] = (
        "idle"
    )
    since: str = ""
    acts: tuple[Act, ...] = ()
    queued: Mapping[int, str] = {}
    injected: tuple[str, ...] = ()
    usage: Usage = Usage()
    unfinished: bool = False
    mode: str = ""
    look: Look = "folded"
    again: str = ""
    standing: Standing = msgspec.field(default_factory=Standing)


_SUBJECTS = ("command", "path", "pattern")


def call_of(name: str, arguments: Mapping[str, Any]) -> Call:
    """A call by its name and the argument that says most, else its first text."""
    told = [arguments[key] for key in _SUBJECTS if isinstance(arguments.get(key), str)]
    told += [value for value in arguments.values() if isinstance(value, str)]
    return Call(name, told[0] if told else "")


def last_turns(told: Iterable[tuple[str, AnyItem]], count: int) -> Iterator[tuple[str, AnyItem]]:
    """Of items with their times, those of the last `count` turns; the person's line begins one."""
    turns: deque[list[tuple[str, AnyItem]]] = deque([[]], maxlen=count)
    for time, item in told:
        if isinstance(item, UserSaid) and not item.injected:
            turns.append([])
        turns[-1].append((time, item))
    return chain.from_iterable(turns)
