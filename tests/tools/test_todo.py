"""TodoWrite gives the whole list back, as the model's memory of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


def todo(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status}


async def test_each_status_has_its_mark(call: Call) -> None:
    todos = [todo("read", "completed"), todo(" fix\nit ", "in_progress"), todo("test", "pending")]

    assert await call("TodoWrite", todos=todos) == ToolOutcome(
        "- [x] read\n- [>] fix\\nit\n- [ ] test", display="1/3"
    )
    assert await call("TodoWrite", todos=[]) == ToolOutcome("", display="0/0")


@pytest.mark.parametrize(
    ("todos", "why"),
    [
        ([todo(" ", "pending")], "a todo has no content"),
        ([todo("a", "in_progress"), todo("b", "in_progress")], "more than one todo is in_progress"),
        (
            [todo("a", "done")],
            "wrong arguments: Invalid enum value 'done' - at `$.todos[0].status`",
        ),
        ([{"content": "a"}], "wrong arguments: Object missing required field `status`"),
        ("a", "wrong arguments: Expected `array`, got `str` - at `$.todos`"),
    ],
)
async def test_a_wrong_list_is_refused(call: Call, todos: object, why: str) -> None:
    outcome = await call("TodoWrite", todos=todos)

    assert not outcome.ok
    assert outcome.output.startswith(f"Error: {why}")
