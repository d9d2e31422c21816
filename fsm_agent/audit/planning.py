"""Rules about the plan: is it what the person said yes to?"""

from __future__ import annotations

from collections.abc import Mapping

from fsm_agent.audit.cutting import digests
from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.errors import FsmAgentError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.lifecycles.prompts import PLAN
from fsm_agent.lifecycles.world import sha256


class Planning(Monitor):
    """FSA051, 052, 053, 054."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence, self._world = evidence, evidence.world

    def handlers(self) -> Mapping[type, Handler]:
        """Moves of the plan, what is said of it, and prompts."""
        return {
            d.Transition: self._transition,
            d.Plan: self._plan,
            i.PromptRead: self._prompt,
        }

    def _transition(self, event: d.Transition, line: Line) -> None:
        if event.instance != "plan":
            return
        plans = self._world.plans
        if event.target == "confirming" != event.source and plans.spoke <= plans.drafted:
            self._found("FSA051", "nobody has spoken since the draft last changed", line)
        if event.source == "confirming" and event.trigger == "settled":
            same = not self._draft() or sha256(plans.draft) == sha256(plans.confirmed)
            if (event.target == "executing") != same:
                was = "has not changed" if same else "has changed"
                self._found("FSA053", f"the draft {was} since the yes", line)

    def _plan(self, event: d.Plan, line: Line) -> None:
        draft = self._draft()
        if event.state != self._world.at.get(event.instance):
            self._found("FSA053", f"it does not rest in '{event.state}'", line)
        if event.draft != draft:
            self._found(*_other("FSA053", "draft", event.draft, draft), line)
        self._in_force([event.plan] if event.plan else [], line)

    def _prompt(self, event: i.PromptRead, line: Line) -> None:
        self._in_force(digests(event.sections, PLAN), line)

    def _draft(self) -> str:
        """Digest of the draft; nothing if it is blank."""
        text = self._world.plans.draft
        try:
            written = self._world.text(text).strip()
        except (FsmAgentError, OSError):
            return sha256(text)  # that it is lost has been told of
        return sha256(text) if written else ""

    def _in_force(self, said: list[str], line: Line) -> None:
        """What is said to be the plan must be the one in force."""
        plan = sha256(self._world.plans.plan)
        if said != [plan] * bool(plan):
            self._found(*_other("FSA052", "plan", " ".join(said), plan), line)

    def _found(self, rule: str, message: str, line: Line) -> None:
        self._evidence.found(rule, message, line)


def _other(rule: str, what: str, said: str, true: str) -> tuple[str, str]:
    """The rule and the words for a text that is not as it is said; one that is gone is FSA054's."""
    named = f"the {what} {said[:16]} is named" if said else f"no {what} is named"
    return (
        (rule, f"{named}, not {true[:16]}") if true else ("FSA054", f"{named}, and there is none")
    )
