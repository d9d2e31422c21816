"""Questions that facts answer, on the tables alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsm_agent.lifecycles.checking.joint import DRAFTS, MOVED, Joint


def _yes(fact: Callable[[Joint], object]) -> Callable[[Joint, str], Sequence[str]]:
    return lambda joint, _: ("yes",) if fact(joint) else ("no",)


def _then(joint: Joint, _: str) -> Sequence[str]:
    return ("line" if joint.lines else "notices" if joint.news else "rest",)


def _cut(joint: Joint, _: str) -> Sequence[str]:
    return ("yes",) if joint.overflowed else ("no", "yes")


def _drop(joint: Joint, _: str) -> Sequence[str]:
    """A turn asks for a cut only where something goes."""
    return ("some",) if joint.at.get("turn") == "compact" else ("nothing", "some")


def _verdict(joint: Joint, name: str) -> Sequence[str]:
    """A call waits only for one that is under way; one that a lifecycle does runs alone."""
    others = {joint.at[tool] for tool in joint.tools if tool not in joint.answered and tool != name}
    if "settling" in others:
        return ("later",)
    return "allow", "ask", "deny", "later" if others - {"requested"} else "lifecycle"


FACTS: dict[str, Callable[[Joint, str], Sequence[str]]] = {
    "calls": lambda joint, _: ("settled" if joint.answered.issuperset(joint.tools) else "open",),
    "cut": _cut,
    "doing": lambda joint, _: ("turn" if "turn" in joint.at else "command",),
    "drop": _drop,
    "ended": lambda joint, _: (joint.ended,),
    "leaving": _yes(lambda joint: joint.leaving),
    "owed": _yes(lambda joint: joint.due or joint.news),
    "then": _then,
    "unfinished": _yes(lambda joint: joint.unfinished),
    "verdict": _verdict,
}
"""Questions that facts answer; to all others any answer can be given."""
OF_THE_PLAN: dict[str, Callable[[Joint, str], Sequence[str]]] = {
    "draft": lambda joint, _: (DRAFTS[joint.draft != DRAFTS[0]],),
    "in_force": _yes(lambda joint: joint.planned),
    "moved": _yes(lambda joint: joint.draft == MOVED),
    "said": _yes(lambda joint: joint.said),
}
"""Further ones that facts answer where the plan is followed exactly."""
