"""The one fold of log lines into what is shown, live and in replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from datetime import datetime, timedelta
from functools import singledispatchmethod
from typing import Literal, cast

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.crashes import cut_short
from fsm_agent.interfaces.painting.items import (
    Act,
    Allowed,
    AnyItem,
    Call,
    CutShort,
    LinesBack,
    Retrying,
    Said,
    Status,
    Thought,
    ToolEnded,
    TurnEnded,
    UserSaid,
    call_of,
)
from fsm_agent.interfaces.painting.news import News
from fsm_agent.interfaces.painting.status import Standing
from fsm_agent.interfaces.painting.thoughts import Look
from fsm_agent.lifecycles.rewinding import REDO, UNDO

Doing = Literal["idle", "waiting", "answering", "running", "pausing", "stopping", "summing"]
_TURN: dict[str, Doing] = {
    "compact": "waiting",
    "call": "waiting",
    "wait": "pausing",
    "stream": "answering",
    "stopping": "stopping",
    "tool_exec": "running",
}
"""What a turn's state looks like from outside."""
_CUT: dict[str, Doing] = {"summarise": "summing", "pausing": "pausing"}
"""What the state of a cut looks like, while there is one."""
_TOOL = {"asking": "asking", "running": "running", "stopping": "stopping"}
"""States of a call that are under way."""
_ENDS = frozenset({"answered", "failed", "interrupted", "exhausted"})


class View:
    """Takes lines in, one after the other, and says what each adds to the screen.

    It needs nothing but the lines: no clock, no file, no terminal.
    """

    def __init__(self) -> None:
        self._seq, self._time = 0, ""
        self._doing: Doing = "idle"
        self._around: Doing = "idle"
        self._since = ""
        self._began = ""
        self._usage = Usage()
        self._unfinished = self._was = False
        self._again = ""
        self._news, self._standing = News(), Standing()
        self._typed: dict[int, str] = {}
        self._lines: dict[str, str] = {}
        self._queued: dict[int, str] = {}
        self._injected: dict[int, str] = {}
        self._heard: dict[int, list[tuple[int, i.Thinking | i.Text | i.ToolCall]]] = {}
        self._calls: dict[str, Call] = {}
        self._states: dict[str, str] = {}
        self._acts: dict[str, Act] = {}
        self._finished: dict[str, i.Finished] = {}
        self._denied: dict[str, str] = {}

    def take(self, line: Line) -> list[AnyItem]:
        """Take the next line in; return what it adds."""
        self._seq, self._time = line.seq, line.time
        if not isinstance(line.event, Event):
            return []
        self._standing.take(line.event)
        usage = getattr(line.event, "usage", None)
        if usage is not None:
            self._usage += usage
        return list(self._take(line.event))

    def status(self) -> Status:
        """What is under way after the lines so far."""
        return Status(
            doing=self._doing,
            since=self._since,
            acts=tuple(self._acts.values()),
            queued=dict(self._queued),
            injected=tuple(self._injected.values()),
            usage=self._usage,
            unfinished=self._unfinished,
            mode=self._news.mode,
            look=self._news.look,
            again=self._again,
            standing=copy(self._standing),
        )

    @singledispatchmethod
    def _take(self, event: Event) -> Iterable[AnyItem]:
        """What is no part of a turn."""
        return self._news.take(event)

    # -- the person ------------------------------------------------------------------------------

    @_take.register
    def _(self, event: i.UserInput) -> Iterable[AnyItem]:
        self._typed[self._seq] = event.text
        return ()

    @_take.register
    def _(self, event: d.Queued) -> Iterable[AnyItem]:
        self._queued[event.of] = self._typed[event.of]
        return ()

    @_take.register
    def _(self, event: d.UserLine) -> Iterable[AnyItem]:
        waited = self._queued.pop(event.of, None) is not None
        self._lines[event.instance] = text = self._typed.pop(event.of)
        yield UserSaid(text, at=self._seq if waited else 0)

    @_take.register
    def _(self, event: i.Command) -> Iterable[AnyItem]:
        """The line of a turn that is taken back with the conversation is the person's again."""
        yield from self._news.take(event)
        if event.name in (UNDO, REDO) and event.arguments.get("talk") is True:
            self._unfinished, self._was = event.name == REDO and self._was, self._unfinished
            line = self._lines.get(f"turn-{event.arguments.get('turn')}", "")
            if line and event.name == UNDO:
                yield LinesBack((line,), wanted=True)

    @_take.register
    def _(self, event: i.UserTakeBack) -> Iterable[AnyItem]:
        """One that a turn has already taken stays taken."""
        if event.of in self._typed:
            self._queued.pop(event.of, None)
            yield LinesBack((self._typed.pop(event.of),), wanted=True)

    @_take.register
    def _(self, event: d.LinesReturned) -> Iterable[AnyItem]:
        for of in event.of:
            self._queued.pop(of, None)
        yield LinesBack(tuple(self._typed.pop(of) for of in event.of))

    @_take.register
    def _(self, event: i.UserInject) -> Iterable[AnyItem]:
        self._injected[self._seq] = event.text
        return ()

    @_take.register
    def _(self, event: d.Notices) -> Iterable[AnyItem]:
        for of in event.of:
            if of in self._injected:
                yield UserSaid(self._injected.pop(of), injected=True, at=self._seq)

    # -- the turn --------------------------------------------------------------------------------

    @_take.register
    def _(self, event: d.Transition) -> Iterable[AnyItem]:
        name, target = event.instance, event.target
        if name.startswith("tool-"):
            self._tool_moved(name, target)
        elif name == "session" and target != "busy":
            self._doing, self._acts = "idle", {}
        elif name == "session" and self._doing == "idle":
            self._doing, self._since = "waiting", self._time
        elif name == "compaction":
            self._cut_moved(target, moved=target != event.source)
        elif name.startswith("turn-"):
            if event.source == "ready":
                self._began, self._usage, self._unfinished = self._time, Usage(), False
            yield from self._turn_moved(target, moved=target != event.source)

    def _turn_moved(self, target: str, *, moved: bool) -> Iterator[AnyItem]:
        if target in _TURN and moved and self._doing != _TURN[target]:
            self._doing, self._since = _TURN[target], self._time
        if target in _ENDS:
            self._heard.clear()
            self._unfinished = target != "answered"
            how = cast('Literal["answered", "failed", "interrupted", "exhausted"]', target)
            yield TurnEnded(how, seconds_between(self._began, self._time), self._usage)

    def _cut_moved(self, target: str, *, moved: bool) -> None:
        """What was under way before goes on after it."""
        if not moved:
            return
        if self._doing not in _CUT.values():
            self._around = self._doing
        self._doing, self._since = _CUT.get(target, self._around), self._time

    def _tool_moved(self, name: str, target: str) -> None:
        self._states[name] = target
        if target in _TOOL:
            self._acts[name] = Act(self._calls[name], _TOOL[target], self._time)
        else:
            self._acts.pop(name, None)

    @_take.register
    def _(self, _: i.Crashed) -> Iterable[AnyItem]:
        if lines := tuple(cut_short(self.status())):
            yield CutShort(lines)

    @_take.register
    def _(self, event: d.Retry) -> Iterable[AnyItem]:
        self._heard.clear()
        self._again = later(self._time, event.ms)
        yield Retrying(event.error, event.attempt, event.ms)

    # -- the answer ------------------------------------------------------------------------------

    @_take.register
    def _(self, event: i.Thinking | i.Text | i.ToolCall) -> Iterable[AnyItem]:
        self._heard.setdefault(event.activity, []).append((self._seq, event))
        return ()

    @_take.register
    def _(self, event: d.Blocks) -> Iterable[AnyItem]:
        names = iter(event.calls)
        for of, block in self._heard.pop(event.of, ()):
            if isinstance(block, i.ToolCall):
                if of in event.kept:
                    self._calls[next(names)] = call_of(block.name, block.input)
            elif of in event.kept or isinstance(block, i.Thinking):
                yield from _shown(block, self._news.look)

    @_take.register
    def _(self, _stop: d.Stop) -> Iterable[AnyItem]:
        """Reasoning that was cut off enters no conversation, but the person has seen it come."""
        for heard in self._heard.values():
            for _, block in heard:
                if isinstance(block, i.Thinking):
                    yield from _shown(block, self._news.look)
        self._heard.clear()

    # -- tools -----------------------------------------------------------------------------------

    @_take.register
    def _(self, event: d.Permission) -> Iterable[AnyItem]:
        if event.decision == "deny":
            self._denied[event.instance] = event.reason
        elif event.layer == "person":
            yield Allowed(self._calls[event.instance], event.reason)

    @_take.register
    def _(self, event: i.Finished) -> Iterable[AnyItem]:
        self._finished[event.instance] = event
        return ()

    @_take.register
    def _(self, event: d.ToolResult) -> Iterable[AnyItem]:
        name = event.instance
        ended = self._finished.pop(name, None)
        call, text = self._calls.pop(name), (ended.display if ended else None) or event.content
        if call.name == "TodoWrite" and event.ok:  # the list itself is worth more than its count
            call, text = Call(call.name, text), event.content
        yield ToolEnded(
            call=call,
            state=self._states.pop(name),
            ok=event.ok,
            text=text,
            why=self._denied.pop(name, ""),
            ms=ended.ms if ended else 0,
            of=self._seq,
        )


def _shown(block: i.Thinking | i.Text, look: Look) -> Iterator[AnyItem]:
    if not block.text.strip():
        return
    if isinstance(block, i.Thinking):
        yield Thought(block.text, block.partial, look)
    else:
        yield Said(block.text, block.partial)


def later(time: str, ms: int) -> str:
    """A log time so many milliseconds later."""
    moment = datetime.fromisoformat(time) + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_between(begin: str, end: str) -> float:
    """Seconds from one log time to another; 0 where one is not known."""
    if not begin or not end:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
