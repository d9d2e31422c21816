"""Log lines that tell of the session itself, its context and plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatchmethod
from typing import Any

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.interfaces.painting import granted, undotexts
from fsm_agent.interfaces.painting.items import (
    AnyItem,
    Call,
    ContextCut,
    Failed,
    Noted,
    PlanMoved,
    Thinned,
    ToolEnded,
    UserSaid,
)
from fsm_agent.interfaces.painting.shelltexts import SHELL, SHELL_ENDED, is_notice, output_in, told
from fsm_agent.interfaces.painting.thoughts import THINKING, Look, look_of
from fsm_agent.lifecycles.granting import REVOKE


class News:
    """Takes in what is no part of a turn, and says what it adds to the screen.

    Attributes:
        mode: What runs unasked now.
        look: How reasoning is shown.
    """

    def __init__(self) -> None:
        self.mode = ""
        self.look: Look = "folded"
        self._settings: i.Settings | None = None
        self._plan = "none"
        self._thinned: list[d.ContextUpdate] = []
        self._told = ""

    @singledispatchmethod
    def take(self, _: Event) -> Iterable[AnyItem]:
        """Most lines add nothing."""
        return ()

    @take.register
    def _(self, event: d.Error) -> Iterable[AnyItem]:
        of = "no summary was written: " if event.instance == "compaction" else ""
        yield Failed(f"{of}{event.message}", event.hint or "")

    @take.register
    def _(self, event: d.Refusal) -> Iterable[AnyItem]:
        yield Failed(event.why)

    @take.register
    def _(self, event: i.Completed) -> Iterable[AnyItem]:
        if event.warning:
            yield Noted(event.warning)

    @take.register
    def _(self, _: i.SessionResume) -> Iterable[AnyItem]:
        yield Noted("the session was taken up again")

    @take.register
    def _(self, event: i.Settings) -> Iterable[AnyItem]:
        was, self._settings = self._settings or event, event
        at = f" at {event.base_url}" if event.base_url != was.base_url else ""
        if at or event.model != was.model:
            yield Noted(f"the model is now {event.model}{at}")
        if event.effort != was.effort:
            yield Noted(f"the effort is now {event.effort or 'the default'}")
        if event.permission != was.permission:
            yield Noted(f"the mode is now {event.permission}")
        self.mode = event.permission

    @take.register
    def _(self, event: i.Notice) -> Iterable[AnyItem]:
        """What came of a person's shell line is told with its end."""
        if is_notice(event.text):
            self._told = event.text
        else:
            yield Noted(event.text)

    @take.register
    def _(self, event: i.Seen) -> Iterable[AnyItem]:
        """What becomes of the draft, the plan says itself."""
        if event.what == "plan" and event.by == "tool":
            yield Noted(f"{event.path} is locked; what a tool wrote there is put back")
        elif event.what != "draft":
            yield Noted(f"{event.path} has changed; the model is told")

    @take.register
    def _(self, event: i.Command) -> Iterable[AnyItem]:
        if event.name == SHELL:
            yield UserSaid(told(SHELL, event.arguments))
            return
        if event.name == SHELL_ENDED:
            yield self._shell_ended(event.arguments)
            return
        if event.name == THINKING:
            self.look = look_of(event)
            yield Noted(f"reasoning is now {self.look}")
            return
        if event.name == REVOKE:
            yield Noted(granted.revoked(event.arguments))
            return
        yield Noted(undotexts.told(event))

    def _shell_ended(self, about: Mapping[str, Any]) -> ToolEnded:
        command = str(about.get("command", ""))
        text = str(about.get("output") or output_in(self._told, command))
        call, ms = Call(SHELL, command), int(about.get("ms", 0))
        return ToolEnded(call, "done", bool(about.get("ok")), text, ms=ms)

    @take.register
    def _(self, event: d.LogDamage) -> Iterable[AnyItem]:
        kept = f"; they are kept in {event.kept_in}" if event.kept_in else ""
        yield Noted(f"{event.bytes} bytes of the log were set aside: {event.why}{kept}")

    # -- context and plan ------------------------------------------------------------------------

    @take.register
    def _(self, event: d.ContextUpdate) -> Iterable[AnyItem]:
        if event.of is None:
            self._thinned.append(event)
        else:
            yield ContextCut(event.before, event.after, event.cost, event.net)

    @take.register
    def _(self, _: i.PromptRead) -> Iterable[AnyItem]:
        """It stands behind all that one cut has thinned out."""
        if self._thinned:
            saved = sum(event.before - event.after for event in self._thinned)
            yield Thinned(len(self._thinned), saved)
            self._thinned = []

    @take.register
    def _(self, event: i.SessionFork) -> Iterable[AnyItem]:
        if event.plan:
            self._plan = "executing"
        end = "which stays as it is" if event.reason == "fork" else "whose log is damaged"
        yield Noted(f"this session goes on from {event.source}, {end}")

    @take.register
    def _(self, event: d.Plan) -> Iterable[AnyItem]:
        before, self._plan = self._plan, event.state
        digest = event.draft if event.state == "drafting" else event.plan
        yield PlanMoved(before, event.state, digest)
