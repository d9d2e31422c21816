"""What a session was, as exports tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from fsm_agent.events.inputs import snake
from fsm_agent.events.values import Usage


class Part(msgspec.Struct, omit_defaults=True, kw_only=True, tag_field="part", tag=snake):
    """A part of a transcript: the seq of its first line, and that line's time."""

    seq: int
    time: str


class Said(Part):
    """What the person said; `injected` in the middle of a turn."""

    text: str
    injected: bool = False


class News(Part):
    """Something about the session or a request; `kind` is the type of the line that says it."""

    kind: str
    text: str


class Thought(Part):
    """A block of reasoning; `partial` when it was cut off."""

    text: str
    partial: bool = False


class Text(Part):
    """A block of the answer; `partial` when it was cut off."""

    text: str
    partial: bool = False


class Diff(msgspec.Struct):
    """A changed file: a unified diff, and how many lines it adds and removes."""

    path: str
    text: str
    added: int
    removed: int


class Call(Part):
    """A tool call with all that became of it.

    Attributes:
        instance: Its name in the log.
        id: The id it was sent with.
        input: What the model gave it; `malformed` what was no JSON object.
        began: When it ran; empty if it did not. `ended` likewise.
        state: done, denied, cancelled, unknown; empty while it is under way.
        decision: allow or deny; `layer` and `reason` say by whom and why.
        content: The result as the model got it.
        display: The tool's word to the person, where it differs.
    """

    instance: str
    name: str
    id: str
    input: dict[str, Any]
    malformed: str | None = None
    began: str = ""
    ended: str = ""
    state: str = ""
    ok: bool = True
    decision: str = ""
    layer: str = ""
    reason: str = ""
    content: str = ""
    display: str | None = None
    diffs: list[Diff] = msgspec.field(default_factory=list)

    @property
    def given(self) -> str:
        """Its input to read: a command as it is, anything else as JSON."""
        if self.malformed is not None:
            return self.malformed
        if [*self.input] == ["command"]:
            return str(self.input["command"])
        return msgspec.json.format(msgspec.json.encode(self.input)).decode()

    @property
    def fault(self) -> str:
        """What is wrong with it, in a word; empty if nothing is."""
        return "" if self.ok else "failed" if self.state == "done" else self.state or "not ended"


class Answer(Part):
    """A request and what came of it. `stop` is why the answer ended, `failure` why it failed."""

    model: str
    protocol: str
    ended: str = ""
    parts: list[Thought | Text | Call] = msgspec.field(default_factory=list)
    usage: Usage | None = None
    stop: str = ""
    failure: str = ""

    @property
    def text(self) -> str:
        """Its text, all blocks of it."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def thinking(self) -> str:
        """Its reasoning, all blocks of it."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Thought))

    @property
    def calls(self) -> list[Call]:
        """Its calls, in its order."""
        return [part for part in self.parts if isinstance(part, Call)]


class Turn(Part):
    """A turn; `how` it ended: answered, failed, interrupted, exhausted, or empty: it did not."""

    name: str
    ended: str = ""
    how: str = ""
    parts: list[Said | Answer | News] = msgspec.field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """Tokens of all its requests."""
        given = (part.usage for part in self.parts if isinstance(part, Answer))
        return sum((usage for usage in given if usage), Usage())


Told: TypeAlias = Turn | News


class Transcript(msgspec.Struct, omit_defaults=True):
    """A session. Times are those of its log: ISO 8601, UTC.

    Attributes:
        usage: Tokens of all requests, also of answers that came too late.
        events: How many lines there were, by type.
        carried: How many of them stand in here, by type.
        gaps: What is missing, and why.
    """

    session: str = ""
    program: str = ""
    cwd: str = ""
    model: str = ""
    began: str = ""
    ended: str = ""
    usage: Usage = Usage()
    parts: list[Told] = msgspec.field(default_factory=list)
    events: dict[str, int] = msgspec.field(default_factory=Counter)
    carried: dict[str, int] = msgspec.field(default_factory=Counter)
    gaps: list[str] = msgspec.field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        """Its turns."""
        return [part for part in self.parts if isinstance(part, Turn)]

    def answers(self) -> Iterator[Answer]:
        """All its answers, in order."""
        for turn in self.turns:
            yield from (part for part in turn.parts if isinstance(part, Answer))
