"""Derived lines: what the core concludes from inputs; and notes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fsm_agent.events.inputs import Event, PromptRead
from fsm_agent.events.values import FailureKind, StopReason


class Transition(Event, frozen=True, rename={"source": "from", "target": "to"}):
    """One row was taken. `by` is the instance whose row sent the trigger."""

    instance: str
    row: str
    trigger: str
    source: str
    target: str
    answers: dict[str, str] = msgspec.field(default_factory=dict)
    by: str | None = None


# -- activities: the line that asks is the activity, its seq is its name -------------------------


class Activity(Event, frozen=True):
    """Something the runtime is asked to begin, for this instance."""

    instance: str


class SendRequest(Activity, frozen=True):
    """A request to the model: digest and size of its body.

    `shared` are the bytes it has in common with the one before: all of that one but its tail,
    none where an epoch begins.
    """

    protocol: str
    model: str
    digest: str
    bytes: int
    shared: int = 0
    purpose: str = "turn"


class ReadAnswer(Activity, frozen=True):
    """Read the answer that has begun."""


class Sleep(Activity, frozen=True):
    """Wait before the next try."""

    ms: int


class StopAnswer(Activity, frozen=True):
    """Close the answer and hand over what came of it."""


class RunTool(Activity, frozen=True):
    """Run the call of this instance."""

    name: str


class StopTool(Activity, frozen=True):
    """End the tool's whole process tree and hand over its output."""


class AskUser(Activity, frozen=True):
    """Ask the person whether this call may run."""

    name: str
    reason: str


class Summarise(Activity, frozen=True):
    """Have the dropped messages summed up: the fields of `send_request`, and the cut it is for.

    `messages[:start]` go; of them, message `pinned` stays. `why` says what asked for it, `numbers`
    what was weighed; `before` and `after` are tokens of all messages, and of the kept ones.
    """

    protocol: str
    model: str
    digest: str
    bytes: int
    shared: int
    why: str
    strategy: Literal["summary", "pinned_request"]
    start: int
    before: int
    after: int
    pinned: int | None = None
    net: int | None = None
    numbers: dict[str, int | str] = msgspec.field(default_factory=dict)


# -- what rows emit ------------------------------------------------------------------------------


class UserLine(Event, frozen=True):
    """A person's line enters the conversation: `of` is the seq of its `user_input`."""

    instance: str
    of: int


class Notices(Event, frozen=True):
    """Notes and injected lines, as one message; `nudge`: among them, that the context is full."""

    instance: str
    text: str
    of: tuple[int, ...] = ()
    nudge: bool = False


class Blocks(Event, frozen=True):
    """Blocks of an answer enter the conversation; the calls among them become instances."""

    instance: str
    of: int
    kept: tuple[int, ...] = ()
    calls: tuple[str, ...] = ()


class Queued(Event, frozen=True):
    """The line waits for the end of the turn."""

    of: int


class LinesReturned(Event, frozen=True):
    """Waiting lines go back to the person's editor."""

    of: tuple[int, ...]


class ContextUpdate(Event, frozen=True):
    """The context was cut: messages gave way to a summary, or a call was thinned out.

    `of` is the `summarise` that it closes; a prune has none and names its `call`. `before` and
    `after` are tokens of all messages (of a prune: of its own), `kept_from` is the first message
    that is kept, `cost` what the summary cost, in micro-dollars, where the price is known.
    """

    instance: str
    strategy: Literal["summary", "pinned_request", "duplicate", "failed_input", "compressed"]
    before: int
    after: int
    of: int | None = None
    call: str | None = None
    why: str = ""
    kept_from: int = 0
    pinned: int | None = None
    cost: int | None = None
    net: int | None = None
    numbers: dict[str, int | str] = msgspec.field(default_factory=dict)


class Plan(Event, frozen=True):
    """The plan has moved: what it rests in, and the digests of draft and plan (empty: none)."""

    instance: str
    state: str
    draft: str = ""
    plan: str = ""


class Retry(Event, frozen=True):
    """The request will be sent again after a pause."""

    instance: str
    of: int
    attempt: int
    ms: int
    error: FailureKind


CloseReason: TypeAlias = StopReason | Literal["interrupted", "crashed"]


class Stop(Event, frozen=True):
    """The request is closed: `of` is its seq."""

    instance: str
    of: int
    reason: CloseReason


class Error(Event, frozen=True):
    """Something failed for good. With the turn as `instance` it ends the turn."""

    instance: str
    error: FailureKind | Literal["truncated", "declined"]
    message: str
    of: int | None = None
    hint: str | None = None
    status: int | None = None


class Refusal(Event, frozen=True):
    """What was asked does not fit now; nothing has changed."""

    instance: str
    what: str
    why: str


class Permission(Event, frozen=True):
    """A call may run or not, and which layer or person decided."""

    instance: str
    name: str
    decision: Literal["allow", "deny"]
    layer: str
    reason: str


class ToolResult(Event, frozen=True):
    """The one result of a call, as the model gets it; `id` is the id the call is sent with."""

    instance: str
    name: str
    id: str
    content: str
    ok: bool = True


class SessionEnd(Event, frozen=True):
    """The last line of a run: the exit code of architecture 5, and why."""

    code: int
    reason: str


# -- notes ---------------------------------------------------------------------------------------


class LogDamage(Event, frozen=True):
    """Bytes that a reader could not prove were set aside or left out."""

    at: int
    bytes: int
    why: str
    kept_in: str | None = None


class Ignored(Event, frozen=True):
    """A line or file was left out, and why."""

    what: str
    why: str


class Timing(Event, frozen=True):
    """How long something took, in microseconds."""

    what: str
    us: int


class Unknown(msgspec.Struct, frozen=True):
    """A line of a type that this program does not know: kept, counted, reported."""

    type: str


Derived: TypeAlias = (
    Transition
    | SendRequest
    | ReadAnswer
    | Sleep
    | StopAnswer
    | RunTool
    | StopTool
    | AskUser
    | Summarise
    | ContextUpdate
    | Plan
    | PromptRead
    | UserLine
    | Notices
    | Blocks
    | Queued
    | LinesReturned
    | Retry
    | Stop
    | Error
    | Refusal
    | Permission
    | ToolResult
    | SessionEnd
)
Note: TypeAlias = LogDamage | Ignored | Timing
