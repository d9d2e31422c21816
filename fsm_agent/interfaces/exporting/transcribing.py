"""The fold of a log's lines into a transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatchmethod

from fsm_agent.errors import DamagedLog
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Batch, Line, type_of
from fsm_agent.events.values import Blob, FileChange
from fsm_agent.interfaces.exporting.news import news
from fsm_agent.interfaces.exporting.transcript import (
    Answer,
    Call,
    Diff,
    News,
    Said,
    Text,
    Thought,
    Transcript,
    Turn,
)
from fsm_agent.tools.diffs import diff

Content = Callable[[Blob], bytes]
"""The bytes behind a reference; raises `DamagedLog` if they are not there."""
_ENDS = frozenset({"answered", "failed", "interrupted", "exhausted"})
_TOOL_ENDS = frozenset({"done", "denied", "cancelled", "unknown"})


def transcribe(batches: Iterable[Batch], content: Content) -> Transcript:
    """Tell what a log says; what is missing of it is named in `gaps`."""
    pen = _Pen(content)
    for batch in batches:
        for line in batch.lines:
            pen.take(line)
    return pen.done


class _Pen:
    """Takes one line after the other in."""

    def __init__(self, content: Content) -> None:
        self.done = Transcript()
        self._content = content
        self._line: Line
        self._typed: dict[int, str] = {}
        self._times: dict[int, str] = {}
        self._heard: dict[int, list[Line]] = {}
        self._calls: dict[str, Call] = {}
        self._answer: Answer | None = None
        self._turn: Turn | None = None

    def take(self, line: Line) -> None:
        """Take the next line in. One that speaks of lost lines is left out."""
        done, self._line = self.done, line
        done.began, done.ended = done.began or line.time, line.time
        done.events[type_of(line.event)] += 1
        if not isinstance(line.event, Event):
            return
        usage = getattr(line.event, "usage", None)
        if usage:
            done.usage += usage
            if self._answer and getattr(line.event, "instance", "").startswith("turn-"):
                self._answer.usage = usage + self._answer.usage if self._answer.usage else usage
        try:
            carried = self._take(line.event)
        except (LookupError, StopIteration):
            done.gaps.append(f"line {line.seq + 1} speaks of a line that is not there")
            return
        if carried:
            done.carried[type_of(line.event)] += 1

    @singledispatchmethod
    def _take(self, event: Event) -> bool:
        """Take an event in; whether it stands in the transcript."""
        text = news(event)
        return text is not None and self._news(text)

    def _news(self, text: str) -> bool:
        """Say it where it came: in the turn, or between two."""
        line = self._line
        news = News(seq=line.seq, time=line.time, kind=type_of(line.event), text=text)
        if self._turn:
            self._turn.parts.append(news)
        else:
            self.done.parts.append(news)
        return True

    def _says(self, of: int, *, injected: bool = False) -> bool:
        text, time = self._typed.pop(of), self._times[of]
        self._live.parts.append(Said(seq=of, time=time, text=text, injected=injected))
        return True

    @property
    def _live(self) -> Turn:
        if self._turn is None:
            raise LookupError("no turn is under way")
        return self._turn

    # -- the session and its person --------------------------------------------------------------

    @_take.register
    def _(self, event: i.SessionStart) -> bool:
        self.done.session, self.done.cwd = event.session, event.cwd
        self.done.program = event.program
        return True

    @_take.register
    def _(self, event: i.Settings) -> bool:
        if self.done.model and event.model != self.done.model:
            self._news(f"the model is now {event.model}")
        self.done.model = event.model
        return True

    @_take.register
    def _(self, event: i.UserInput | i.UserInject) -> bool:
        self._typed[self._line.seq] = event.text
        self._times[self._line.seq] = self._line.time
        return True

    @_take.register
    def _(self, event: d.UserLine) -> bool:
        return self._says(event.of)

    @_take.register
    def _(self, event: d.Notices) -> bool:
        for of in event.of:
            if of in self._typed:
                self._says(of, injected=True)
        return True

    @_take.register
    def _(self, event: i.UserTakeBack) -> bool:
        return event.of not in self._typed or self._news(f"taken back: {self._typed.pop(event.of)}")

    @_take.register
    def _(self, event: d.LinesReturned) -> bool:
        return self._news("\n".join(f"not begun: {self._typed.pop(of)}" for of in event.of))

    # -- the turn --------------------------------------------------------------------------------

    @_take.register
    def _(self, event: d.Transition) -> bool:
        name, line = event.instance, self._line
        if name in self._calls and event.target in _TOOL_ENDS:
            self._calls[name].state = event.target
            return True
        if not name.startswith("turn-"):
            return False
        if event.source == "ready":
            self._turn = Turn(seq=line.seq, time=line.time, name=name)
            self.done.parts.append(self._turn)
            return True
        if self._turn and event.target in _ENDS:
            self._turn.how, self._turn.ended = event.target, line.time
            self._turn = self._answer = None
            return True
        return False

    @_take.register
    def _(self, event: d.SendRequest) -> bool:
        seq, time = self._line.seq, self._line.time
        self._answer = Answer(seq=seq, time=time, model=event.model, protocol=event.protocol)
        self._live.parts.append(self._answer)
        return True

    @_take.register
    def _(self, event: i.Thinking | i.Text | i.ToolCall) -> bool:
        """Carried once the answer is kept."""
        self._heard.setdefault(event.activity, []).append(self._line)
        return False

    @_take.register
    def _(self, event: i.Completed) -> bool:
        return self._closes(stop=event.stop)

    @_take.register
    def _(self, event: i.Rejected | i.Broken) -> bool:
        return self._closes(failure=f"{event.failure.error}: {event.failure.message}")

    def _closes(self, stop: str = "", failure: str = "") -> bool:
        if self._answer is None:
            return False  # it came too late; its usage is counted
        self._answer.stop, self._answer.failure = stop, failure
        self._answer.ended = self._line.time
        return True

    @_take.register
    def _(self, event: d.Blocks) -> bool:
        names = iter(event.calls)
        for line in self._heard.pop(event.of, ()):
            if line.seq in event.kept:
                self._keep(line, names)
        return True

    @_take.register
    def _(self, event: d.Stop) -> bool:
        """Reasoning that was cut off enters no conversation, but the person has seen it come."""
        for heard in self._heard.values():
            for line in heard:
                if isinstance(line.event, i.Thinking):
                    self._keep(line, iter(()))
        self._heard.clear()
        if self._answer and not self._answer.stop:
            self._answer.stop = event.reason
            self._answer.ended = self._answer.ended or self._line.time
        return True

    def _keep(self, line: Line, names: Iterator[str]) -> None:
        if self._answer and (part := _part(line, names)):
            self._answer.parts.append(part)
            self.done.carried[type_of(line.event)] += 1
            if isinstance(part, Call):
                self._calls[part.instance] = part

    @_take.register
    def _(self, event: d.Retry) -> bool:
        self._heard.clear()
        return self._news(news(event) or "")

    # -- tools -----------------------------------------------------------------------------------

    @_take.register
    def _(self, event: d.Permission) -> bool:
        call = self._calls[event.instance]
        call.decision, call.layer, call.reason = event.decision, event.layer, event.reason
        return True

    @_take.register
    def _(self, event: d.RunTool) -> bool:
        self._calls[event.instance].began = self._line.time
        return True

    @_take.register
    def _(self, event: i.Finished | i.Stopped) -> bool:
        call = self._calls.get(event.instance)
        if call is None:  # an answer that was stopped
            return self._answer is not None
        call.ended = self._line.time
        call.display = event.display if isinstance(event, i.Finished) else None
        call.diffs = [self._diff(change) for change in event.changes]
        return True

    @_take.register
    def _(self, event: d.ToolResult) -> bool:
        call = self._calls.pop(event.instance)
        call.id, call.content, call.ok = event.id, event.content, event.ok
        return True

    def _diff(self, change: FileChange) -> Diff:
        """The change of a file; without its bytes, only that there was one."""
        try:
            before, after = (
                b"" if blob is None else self._content(blob)
                for blob in (change.before, change.after)
            )
        except DamagedLog as missing:
            self.done.gaps.append(str(missing))
            return Diff(change.path, "", 0, 0)
        made = diff(change.path, before, after)
        return Diff(change.path, made.text, made.added, made.removed)


def _part(line: Line, names: Iterator[str]) -> Thought | Text | Call | None:
    """A block as it is told; a call gets the next of the names."""
    seq, time, block = line.seq, line.time, line.event
    match block:
        case i.Thinking():
            return Thought(seq=seq, time=time, text=block.text, partial=block.partial)
        case i.Text():
            return Text(seq=seq, time=time, text=block.text, partial=block.partial)
        case i.ToolCall():
            return Call(
                seq=seq,
                time=time,
                instance=next(names),
                name=block.name,
                id=block.id,
                input=block.input,
                malformed=block.malformed,
            )
        case _:
            return None
