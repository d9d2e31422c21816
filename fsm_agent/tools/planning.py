"""The plan tools, as the model is told of them."""

from __future__ import annotations

import msgspec

from fsm_agent.events.values import ToolSpec
from fsm_agent.tools.calls import spec


class Nothing(msgspec.Struct, frozen=True):
    """What they are asked: nothing."""


def planning_specs() -> tuple[ToolSpec, ...]:
    """PlanConfirm, PlanCancel and PlanClear."""
    return (
        spec(
            "PlanConfirm",
            "The person has plainly agreed to the draft of the plan as it is now: it becomes the "
            "plan. Before any other call.",
            Nothing,
        ),
        spec(
            "PlanCancel",
            "The person has plainly given the draft up: it is emptied; a plan in force stays.",
            Nothing,
        ),
        spec("PlanClear", "All of the plan is done: it is no longer in force.", Nothing),
    )
