"""The tables' questions, each a pure function of the world."""

from __future__ import annotations

from collections.abc import Callable

from fsm_agent.events.inputs import Thinking, ToolCall
from fsm_agent.events.values import ResultsMessage
from fsm_agent.lifecycles import cuts, plans
from fsm_agent.lifecycles.world import World
from fsm_agent.policy.barriers import must_wait
from fsm_agent.policy.judging import Verdict, judge

ONE_MORE_TRY = frozenset({"empty_answer", "malformed_answer"})
"""Failures of the model itself: asked once more, not `max_retries` times."""

CUT_OFF = frozenset({"max_tokens", "context_overflow"})
"""Stops of an answer that is not whole: its text is kept, its calls are not run."""
WITHHELD = frozenset({"refusal", "content_filter"})
"""Stops of an answer that nothing is kept of."""


def verdict_on(world: World, name: str) -> Verdict:
    """What the policy says of this call."""
    call = world.turn.calls[name].line
    return judge(call, world.settings, world.grants, world.cwd, [t.name for t in world.tools])


def _drop(world: World, _: str) -> str:
    return "some" if cuts.weighed(world, cuts.asked_by(world)) else "nothing"


def _summary(world: World, _: str) -> str:
    return "good" if world.text(world.cutting.text).strip() else "useless"


def _cut(world: World, _: str) -> str:
    return "yes" if cuts.weighed(world, world.turn.due) else "no"


def _help(world: World, name: str) -> str:
    trying, settings = world.trying(name), world.settings
    failure = trying.failure
    heard = world.heard.get(world.open.get(name, -1), ())
    if failure is None:
        return "nothing"
    if failure.error == "context_overflow" and trying is world.turn:
        helps = not world.turn.overflowed and cuts.weighed(world, "overflow")
        return "cutting" if helps else "nothing"
    if not failure.retry:
        return "nothing"
    once = failure.error in ONE_MORE_TRY
    if any(not (once and isinstance(line, Thinking)) for _, line in heard):
        return "nothing"  # something was received; thinking alone is no answer
    tries = 1 if once else settings.max_retries
    if trying.tries >= tries:
        return "nothing"
    if (failure.retry_after_ms or 0) > settings.retry_after_cap_ms:
        return "nothing"
    return "waiting"


def _answer(world: World, name: str) -> str:
    stop = world.turn.stop
    if stop in CUT_OFF:
        return "cut"
    if stop in WITHHELD:
        return "declined"
    heard = world.heard.get(world.open.get(name, -1), ())
    if any(isinstance(line, ToolCall) and not line.partial for _, line in heard):
        return "tools"
    return "paused" if stop == "pause" else "text"


def _calls(world: World, _: str) -> str:
    return "settled" if all(c.result for c in world.turn.calls.values()) else "open"


def _ended(world: World, _: str) -> str:
    return "interrupted" if world.turn.ended == "crashed" else world.turn.ended


def _owed(world: World, _: str) -> str:
    answered = not (world.messages and isinstance(world.messages[-1], ResultsMessage))
    return "no" if answered and not world.pending and not world.turn.paused else "yes"


def _steps(world: World, _: str) -> str:
    return "left" if world.turn.steps < world.settings.max_turns else "spent"


def _then(world: World, _: str) -> str:
    if world.waiting:
        return "line"
    return "notices" if world.news else "rest"


def _leaving(world: World, _: str) -> str:
    return "yes" if world.leaving else "no"


def _unfinished(world: World, _: str) -> str:
    return "yes" if world.unfinished else "no"


def _doing(world: World, _: str) -> str:
    return "turn" if world.live else "command"


def _verdict(world: World, name: str) -> str:
    calls = list(world.turn.calls.values())
    mine = next(k for k, c in enumerate(calls) if c.instance == name)
    if must_wait(calls[mine].line, [c.line for c in calls[:mine] if c.result is None]):
        return "later"
    return _ANSWER[verdict_on(world, name).action]


_ANSWER = {"run": "allow", "ask": "ask", "block": "deny", "plan": "lifecycle"}


def _standing(world: World, name: str) -> str:
    return "deny" if verdict_on(world, name).action == "block" else "allow"


ASK: dict[str, Callable[[World, str], str]] = {
    "answer": _answer,
    "calls": _calls,
    "cut": _cut,
    "doing": _doing,
    "draft": plans.draft,
    "drop": _drop,
    "ended": _ended,
    "help": _help,
    "in_force": plans.in_force,
    "leaving": _leaving,
    "moved": plans.moved,
    "owed": _owed,
    "said": plans.said,
    "standing": _standing,
    "steps": _steps,
    "summary": _summary,
    "then": _then,
    "unfinished": _unfinished,
    "verdict": _verdict,
}
"""Question → function of the world and the instance asked about."""
