"""What a session's log holds of model, tools and person, to answer from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line, decode
from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.events.values import Blob, Block, CallBlock, Section, TextBlock, ThinkingBlock
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.world import World
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import EVENTS, read
from fsm_agent.policy.grants import SCOPES

End: TypeAlias = i.Rejected | i.Completed | i.Broken | i.Stopped


class Asked(msgspec.Struct):
    """A request, and what the log says became of it.

    Attributes:
        seq: Its line.
        head: The line that says that an answer began, if one did.
        blocks: What came, in wire order.
        end: How it ended; none if the process died before.
    """

    seq: int
    head: i.Opened | None = None
    blocks: list[Block] = msgspec.field(default_factory=list)
    end: End | None = None


class Ran(msgspec.Struct, frozen=True):
    """A call that ran to its end: the line of the end, what was asked, what came out."""

    seq: int
    call: i.ToolCall
    outcome: ToolOutcome


class Answered(msgspec.Struct, frozen=True):
    """A person's answer to the question whether a call may run."""

    seq: int
    call: i.ToolCall
    answer: str
    word: str


class Recording:
    """A session's log, read as if its workspace had been another one.

    Args:
        log: The log, or the session's directory; texts above 4 KiB are in `blobs/` beside it.
        workspace: Where the session is to be at home; without one, where it was.

    Attributes:
        path: The log's file.
        requests: All requests, in order.
        ran: Calls that ran to their end, in the order of their ends.
        answered: Questions that a person answered, in the order of the answers.
        said: The person's lines, in order.
        settings: Those of the first request …
        sections: … its system prompt …
        world: … and all that the log says in the end.

    Raises:
        UsageError: If no request is in the log.
        LogError: If the log or a blob cannot be read, or is damaged.
    """

    def __init__(self, log: Path, workspace: Path | None = None) -> None:
        self.path = log / EVENTS if log.is_dir() else log
        self._workspace = workspace
        self._store = BlobStore(self.path.parent)
        self._moved: tuple[str, str] | None = None
        self.requests: list[Asked] = []
        self.ran: list[Ran] = []
        self.answered: list[Answered] = []
        self.said: list[i.UserInput] = []
        self.settings = i.Settings(protocol="", model="")
        self.sections: tuple[Section, ...] = ()
        self._asked: dict[int, Asked] = {}  # by activity
        self._last: dict[str, Asked] = {}  # by instance
        self.world = World(self._text)
        for world, line in self.worlds():
            self.world = world
            self._take(line)
        if not self.requests:
            raise UsageError(f"{self.path}: no request is in this log")

    def worlds(self) -> Iterator[tuple[World, Line]]:
        """The world behind each line, and the line; it is always the same world, moved on."""
        world = World(lru_cache(64)(self._text))
        for batch in read(self.path):
            for raw in batch.raw.splitlines():
                line = self._line(raw)
                apply(world, line)
                yield world, line

    def bodies(self) -> Iterator[tuple[int, bytes]]:
        """Each request's line, and its body as it was sent: as this program sends it now."""
        for world, line in self.worlds():
            if isinstance(line.event, d.SendRequest):
                yield line.seq, b"".join(world.body.marked(world))

    def _line(self, raw: bytes) -> Line:
        line, _ = decode(raw)
        if isinstance(line.event, i.SessionStart) and self._workspace and line.event.cwd != "/":
            self._moved = line.event.cwd, str(self._workspace)
        if self._moved:
            old, new = (msgspec.json.encode(path)[1:-1] for path in self._moved)
            line, _ = decode(raw.replace(old, new))
        return line

    def _text(self, blob: Blob) -> str:
        text = self._store.text(blob)
        return text.replace(*self._moved) if self._moved else text

    def _take(self, line: Line) -> None:
        event = line.event
        match event:
            case i.UserInput():
                self.said.append(event)
            case d.SendRequest():
                self._request(event, line.seq)
            case d.ReadAnswer() | d.StopAnswer():
                self._asked[line.seq] = self._last[event.instance]
            case i.Outcome() if asked := self._asked.get(event.activity):
                _heard(asked, event)
            case i.Finished():
                self._finished(event, line.seq)
            case i.Approved() | i.Declined():
                self._answer(event, line.seq)
            case _:
                pass

    def _request(self, event: d.SendRequest, seq: int) -> None:
        if not self.requests:
            texts = ((s.tag, self.world.text(s.text), s.name) for s in self.world.sections)
            self.settings = self.world.settings
            self.sections = tuple(Section(*parts) for parts in texts)
        asked = Asked(seq)
        self.requests.append(asked)
        self._asked[seq] = self._last[event.instance] = asked

    def _finished(self, event: i.Finished, seq: int) -> None:
        if call := self.world.turn.calls.get(event.instance):
            changes = tuple(
                Change(c.path, self._bytes(c.before), self._bytes(c.after)) for c in event.changes
            )
            output = self.world.text(event.output)
            outcome = ToolOutcome(output, event.ok, event.display, changes)
            self.ran.append(Ran(seq, call.line, outcome))

    def _answer(self, event: i.Approved | i.Declined, seq: int) -> None:
        if call := self.world.turn.calls.get(event.instance):
            answer, word = "no", ""
            if isinstance(event, i.Declined):
                word = event.word
            else:
                answer = next(name for name, scope in SCOPES.items() if scope == event.scope)
            self.answered.append(Answered(seq, call.line, answer, word))

    def _bytes(self, blob: Blob | None) -> bytes | None:
        return None if blob is None else self._store.get(blob)


def _heard(asked: Asked, event: i.Outcome) -> None:
    """What comes after the end came too late for anyone to hear it."""
    if asked.end is not None:
        return
    match event:
        case i.Opened():
            asked.head = event
        case i.Thinking():
            asked.blocks.append(ThinkingBlock(event.text, event.native, event.partial))
        case i.Text():
            asked.blocks.append(TextBlock(event.text, event.native, event.partial))
        case i.ToolCall(name=name, id=id_):
            given = (event.input, event.native, event.malformed, event.partial)
            asked.blocks.append(CallBlock(name, id_, *given))
        case i.Rejected() | i.Completed() | i.Broken() | i.Stopped():
            asked.end = event
        case _:
            pass
