"""What a line says of the session, in a sentence."""

from __future__ import annotations

from functools import singledispatch

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.interfaces.painting import undotexts
from fsm_agent.interfaces.painting.shelltexts import SHELL, SHELL_ENDED, told


@singledispatch
def news(_: Event) -> str | None:
    """The sentence; None for a line that is told otherwise, or is not worth one."""
    return None


@news.register
def _(_: i.SessionResume) -> str:
    return "the session was taken up again"


@news.register
def _(event: i.SessionFork) -> str:
    return f"goes on from {event.source}: {event.reason}"


@news.register
def _(_: i.Crashed) -> str:
    return "the process had died; what was open is closed"


@news.register
def _(event: i.Interrupt) -> str:
    return f"interrupted: {event.reason}"


@news.register
def _(event: i.Notice) -> str:
    return event.text


@news.register
def _(event: i.Seen) -> str:
    return f"{event.path} has changed"


@news.register
def _(event: i.Command) -> str:
    if event.name in (SHELL, SHELL_ENDED):
        return told(event.name, event.arguments)
    return undotexts.told(event)


@news.register
def _(event: i.PlanCommand) -> str:
    return f"/plan {event.verb.lower()}"


@news.register
def _(event: i.CompactCommand) -> str:
    return f"/compact {event.instruction}".rstrip()


@news.register
def _(event: d.ContextUpdate) -> str:
    if event.of is None:
        return f"{event.strategy}: {event.before - event.after} tokens of old messages are gone"
    return f"the context was cut from {event.before} to {event.after} tokens: {event.why}"


@news.register
def _(event: d.Plan) -> str:
    text = event.draft if event.state == "drafting" else event.plan
    return f"the plan is in '{event.state}' {text[:12]}".rstrip()


@news.register
def _(event: d.Retry) -> str:
    return f"{event.error}: trying again in {event.ms} ms (try {event.attempt})"


@news.register
def _(event: d.Error) -> str:
    return f"{event.message} {event.hint or ''}".rstrip()


@news.register
def _(event: d.Refusal) -> str:
    return event.why


@news.register
def _(event: d.LogDamage) -> str:
    return f"{event.bytes} bytes of the log were set aside: {event.why}"


@news.register
def _(event: d.SessionEnd) -> str:
    return f"ended: {event.reason}, exit code {event.code}"
