"""Inputs: what the core could not have known."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from fsm_agent.events.values import (
    NO_NATIVE,
    Blob,
    BlobText,
    CommandKind,
    Economy,
    Failure,
    FileChange,
    Section,
    StopReason,
    Usage,
)

Verb: TypeAlias = Literal["CONFIRM", "CANCEL", "CLEAR"]
Scope: TypeAlias = Literal["once", "command", "edits"]


def snake(name: str) -> str:
    """`ToolCall` → `tool_call`: the `type` of a line from its class."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class Event(
    msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="type", tag=snake
):
    """The body of one line: everything but its place (`seq time kind cause`) and its seal."""


class Outcome(Event, frozen=True):
    """The end, or a part, of an activity: whose it is and the `seq` of the line that asked."""

    instance: str
    activity: int


# -- the session and its person ---------------------------------------------------------------


class SessionStart(Event, frozen=True):
    """First line of a log: format, program, tables (name → SHA-256 of the file in `blobs/`)."""

    v: int
    session: str
    program: str
    semantics: int
    tables: dict[str, Blob]
    cwd: str


class SessionResume(Event, frozen=True):
    """The log is taken up again, by this program and these tables."""

    program: str
    semantics: int
    tables: dict[str, Blob]


class SessionFork(Event, frozen=True):
    """This log goes on from another: `messages` is its conversation, a JSON array of `Message`.

    `at` is the last line taken over, `plan` the plan in force, `summary` what stands for messages
    that were cut; `workspace` is where its files come from (none: as they lie).
    """

    source: str
    reason: Literal["damage", "fork"]
    messages: BlobText
    at: int | None = None
    workspace: str | None = None
    plan: BlobText = ""
    summary: BlobText = ""


class Crashed(Event, frozen=True):
    """Resume found activities that nobody closed: the process died."""


class Settings(Event, frozen=True):
    """What shapes requests and decisions from here on.

    Times are milliseconds. `person`: somebody can be asked. `draft`: the absolute path of the
    plan's draft (empty: no plans). `cache_key`: names the conversation to servers' caches.
    """

    protocol: str
    model: str
    base_url: str = ""
    vendor: str = ""
    max_tokens: int = 16384
    effort: str = ""
    max_turns: int = 1000
    max_retries: int = 5
    retry_base_ms: int = 2000
    retry_cap_ms: int = 60_000
    retry_after_cap_ms: int = 120_000
    permission: Literal["ask", "edits", "allow", "read", "plan"] = "ask"
    person: bool = False
    result_limit: int = 50_000
    economy: Economy = Economy()
    cache_key: str = ""
    draft: str = ""
    filter_output: bool = True


class Tools(Event, frozen=True):
    """The tools offered to the model: a JSON array of `ToolSpec`, in order."""

    specs: BlobText


class PromptRead(Event, frozen=True, tag="prompt"):
    """The system prompt, in order; `holds`: notes of files that it makes needless, by their `seq`."""

    sections: tuple[Section, ...]
    holds: tuple[int, ...] = ()


class UserInput(Event, frozen=True):
    """A line of the person. `sent` is what the model gets where it differs (`@file`, stdin)."""

    text: str
    sent: str | None = None


class UserInject(Event, frozen=True):
    """A line put into the running turn at its next gap."""

    text: str


class UserTakeBack(Event, frozen=True):
    """The person took a queued line back: `of` is the seq of its `user_input`."""

    of: int


class Notice(Event, frozen=True):
    """News for the model from outside the turn (background work, a changed file)."""

    text: str


class Interrupt(Event, frozen=True):
    """Stop what is under way."""

    reason: str = "person"


class Leave(Event, frozen=True):
    """End the session. `reason`: done, planned, quit, hup, int, term, pipe."""

    reason: str = "quit"


class Continue(Event, frozen=True):
    """Go on with a turn that was cut short, without a new line."""


class PlanCommand(Event, frozen=True):
    """The person's word about the plan; `digest` is the draft's they have seen, if they say it."""

    verb: Verb
    digest: str = ""


class CompactCommand(Event, frozen=True):
    """The person wants the context cut now."""

    instruction: str = ""


class Command(Event, frozen=True):
    """A command that changes something beside the machines (`undo`): logged before it acts."""

    name: str
    arguments: dict[str, Any] = {}
    changes: tuple[FileChange, ...] = ()


class Seen(Event, frozen=True):
    """A watched file differs from what is known (no `text`: it is gone), and who was at work."""

    what: Literal["draft", "plan", "instructions", "memory"]
    path: str
    text: BlobText | None = None
    by: Literal["person", "tool"] = "person"


# -- outcomes of activities -------------------------------------------------------------------


class Opened(Outcome, frozen=True):
    """The server has begun an answer."""

    status: int = 200
    request_id: str | None = None


class Rejected(Outcome, frozen=True):
    """The request failed before any answer."""

    failure: Failure
    usage: Usage | None = None


class Thinking(Outcome, frozen=True):
    """A whole reasoning block; `n` is its place in the answer."""

    n: int
    text: str
    native: msgspec.Raw = NO_NATIVE
    partial: bool = False


class Text(Outcome, frozen=True):
    """A whole text block."""

    n: int
    text: str
    native: msgspec.Raw = NO_NATIVE
    partial: bool = False


class ToolCall(Outcome, frozen=True):
    """A whole tool call, in the model's words."""

    n: int
    name: str
    id: str
    input: dict[str, Any]
    native: msgspec.Raw = NO_NATIVE
    malformed: str | None = None
    partial: bool = False


class Completed(Outcome, frozen=True):
    """The answer has ended as its protocol says."""

    stop: StopReason
    usage: Usage | None = None
    warning: str | None = None


class Broken(Outcome, frozen=True):
    """The answer ended without its terminal event, or could not be read."""

    failure: Failure
    usage: Usage | None = None


class Stopped(Outcome, frozen=True):
    """What was being stopped has stopped: an answer (with usage) or a tool (with output)."""

    usage: Usage | None = None
    output: BlobText | None = None
    changes: tuple[FileChange, ...] = ()


class Waited(Outcome, frozen=True):
    """The pause is over."""


class Finished(Outcome, frozen=True):
    """A tool has ended. `display` is for the person, `output` for the model, whole."""

    output: BlobText
    ok: bool = True
    display: str | None = None
    changes: tuple[FileChange, ...] = ()
    ms: int = 0


class Approved(Outcome, frozen=True):
    """A person said yes: to this call, this command (or its kind) or all edits from now on."""

    scope: Scope = "once"
    reach: CommandKind | None = None


class Declined(Outcome, frozen=True):
    """A person said no, maybe with a word to the model; or nobody could be asked."""

    word: str = ""


class Summarised(Outcome, frozen=True):
    """The summary of a compaction has been written."""

    text: BlobText
    usage: Usage | None = None
