"""A call at work: arguments decoded, a failure made a value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.events.values import ToolSpec
from fsm_agent.tools.protocol import Running, Workplace

Arguments = TypeVar("Arguments", bound=msgspec.Struct)

Number: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
"""A number that a model gives: lines, seconds."""


class ToolFailure(Exception):
    """Why a tool cannot do what was asked. Its text is for the model; it never leaves the room."""


def failed(why: object) -> ToolOutcome:
    """The outcome of a call that could not be carried out."""
    return ToolOutcome(f"Error: {why}", ok=False)


def decode(arguments: Mapping[str, Any], into: type[Arguments]) -> Arguments:
    """Read a call's arguments; numbers may come as text, null stands for "not given".

    Raises:
        ToolFailure: If one is missing or of another type.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return msgspec.convert(given, into, strict=False)
    except msgspec.ValidationError as wrong:
        raise ToolFailure(f"wrong arguments: {wrong}") from wrong
    except UnicodeEncodeError as error:
        raise ToolFailure("wrong arguments: a lone surrogate is no text") from error


def spec(name: str, description: str, arguments: type[msgspec.Struct]) -> ToolSpec:
    """A tool as the model is told of it; the schema comes from the class of its arguments."""
    (_,), parts = msgspec.json.schema_components([arguments], ref_template="{name}")
    return ToolSpec(name, description, _inlined(parts[arguments.__name__], parts))


def _inlined(schema: dict[str, Any], parts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The schema without references, the classes' names and docstrings, and the upper bounds.

    No model comes near these by itself: whoever passes one is told then.
    """
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"]], parts)
    left_out = ("title", "description") if schema.get("type") == "object" else ("maximum",)
    return {
        key: _inlined(part, parts) if isinstance(part, dict) else part
        for key, part in schema.items()
        if key not in left_out
    }


class Ended:
    """A call that came to its end when it began."""

    def __init__(self, outcome: ToolOutcome) -> None:
        self._outcome = outcome

    async def wait(self) -> ToolOutcome:
        """The outcome."""
        return self._outcome

    async def stop(self) -> ToolOutcome:
        """The outcome."""
        return self._outcome


class Job:
    """The work of a call as a task of its own; whoever waits may go without ending it."""

    def __init__(
        self, work: Coroutine[Any, Any, ToolOutcome], end: Callable[[], None] = lambda: None
    ) -> None:
        self._work = asyncio.get_running_loop().create_task(_outcome(work))
        self._end = end

    async def wait(self) -> ToolOutcome:
        """Wait for the outcome."""
        return await asyncio.shield(self._work)

    async def stop(self) -> ToolOutcome:
        """Have the work end, where it can be ended early, and wait for what there is."""
        self._end()
        return await asyncio.shield(self._work)


async def _outcome(work: Coroutine[Any, Any, ToolOutcome]) -> ToolOutcome:
    try:
        return await work
    except ToolFailure as failure:
        return failed(failure)
    except OSError as error:
        return failed(error.strerror or error)


class FunctionTool(Generic[Arguments]):
    """A tool that is one function on files: short, on a thread, never broken off half-way."""

    def __init__(
        self,
        told: ToolSpec,
        arguments: type[Arguments],
        act: Callable[[Arguments, Workplace], ToolOutcome],
    ) -> None:
        self.spec = told
        self._arguments, self._act = arguments, act

    async def start(self, arguments: Mapping[str, Any], place: Workplace) -> Running:
        """Begin."""
        try:
            asked = decode(arguments, self._arguments)
        except ToolFailure as failure:
            return Ended(failed(failure))
        return Job(asyncio.to_thread(self._act, asked, place))


class CommandTool(Generic[Arguments]):
    """A tool that starts a command, which can be ended early."""

    def __init__(
        self,
        told: ToolSpec,
        arguments: type[Arguments],
        begin: Callable[[Arguments, Workplace], Job],
    ) -> None:
        self.spec = told
        self._arguments, self._begin = arguments, begin

    async def start(self, arguments: Mapping[str, Any], place: Workplace) -> Running:
        """Start the command."""
        try:
            return self._begin(decode(arguments, self._arguments), place)
        except ToolFailure as failure:
            return Ended(failed(failure))
        except OSError as error:
            return Ended(failed(error.strerror or error))
