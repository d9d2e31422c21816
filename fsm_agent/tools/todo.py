"""TodoWrite: the list of steps, whose result is the model's memory."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.calls import FunctionTool, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_line
from fsm_agent.tools.protocol import Workplace

_MARKS = {"pending": " ", "in_progress": ">", "completed": "x"}


class Todo(msgspec.Struct, frozen=True):
    """One step."""

    content: str
    status: Annotated[
        Literal["pending", "in_progress", "completed"], Meta(extra_json_schema={"type": "string"})
    ]


class Arguments(msgspec.Struct, frozen=True):
    """What TodoWrite is asked."""

    todos: list[Todo]


def todo_tool() -> FunctionTool[Arguments]:
    """The tool TodoWrite."""
    told = spec(
        "TodoWrite",
        "Keep track of a task of several steps: always the whole list, at most one in_progress.",
        Arguments,
    )
    return FunctionTool(told, Arguments, _act)


def _act(arguments: Arguments, _: Workplace) -> ToolOutcome:
    todos = arguments.todos
    if not all(todo.content.strip() for todo in todos):
        raise ToolFailure("a todo has no content")
    if sum(todo.status == "in_progress" for todo in todos) > 1:
        raise ToolFailure("more than one todo is in_progress")
    done = sum(todo.status == "completed" for todo in todos)
    return ToolOutcome(
        "\n".join(
            f"- [{_MARKS[todo.status]}] {clean_line(todo.content.strip())}" for todo in todos
        ),
        display=f"{done}/{len(todos)}",
    )
