"""What the formats of other programs share: who is called what."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from fsm_agent.events.derived import ToolResult
from fsm_agent.events.inputs import Completed, Event, Opened, ToolCall, UserInput
from fsm_agent.events.values import Usage

GIVEN = frozenset({"user_input", "opened", "tool_call", "tool_result", "completed"})
"""The types of line in which such a log is told."""
NOBODY = -1
"""The activity of an outcome that no line of the log asks for."""
_SHELLS = frozenset(
    {
        "bash",
        "shell",
        "shell_command",
        "local_shell",
        "exec_command",
        "execute_bash",
        "bash_command",
    }
)
"""Names of tools that run a command, in lower case."""

Shape = TypeVar("Shape", bound=msgspec.Struct)
Told: TypeAlias = tuple[str, list[Event]]
"""A time, as it is written there, and what happened then."""


class Teller(ABC, Generic[Shape]):
    """Gives what happens its names. A shell is `Bash` with a `command`, a file is `path`.

    Attributes:
        program: Who writes such logs.
        shape: What is read of a line, or a step.
    """

    program: str
    shape: type[Shape]

    def __init__(self) -> None:
        self._turn = self._calls = 0
        self._open: dict[str, tuple[str, str]] = {}
        """Instance and tool of each call without a result, by id."""

    @abstractmethod
    def told(self, line: Shape) -> Told:
        """What a line, or a step, says."""

    def said(self, text: str) -> Event:
        """A line of the person; it begins a turn."""
        self._turn, self._calls = self._turn + 1, 0
        return UserInput(text=text)

    def asked(self) -> Event:
        """The model answers all that came before."""
        return Opened(instance=f"turn-{self._turn}", activity=NOBODY)

    def call(self, id_: str, name: str, given: object, *, aside: bool = False) -> Event:
        """A call; `aside`: not of the model with which the person speaks."""
        self._calls += 1
        name = "Bash" if name.lower() in _SHELLS else name
        self._open[id_] = (f"tool-{self._turn}.{self._calls}", name)
        return ToolCall(
            instance=f"{'aside' if aside else 'turn'}-{self._turn}",
            activity=NOBODY,
            n=self._calls,
            name=name,
            id=id_,
            input=_input(name, given),
        )

    def result(self, id_: str, content: object, *, ok: bool = True) -> Event:
        """A result; nobody may have asked for it."""
        instance, name = self._open.pop(id_, (f"turn-{self._turn}", ""))
        return ToolResult(instance=instance, name=name, id=id_, content=as_text(content), ok=ok)

    def paid(self, usage: Usage) -> list[Event]:
        """What an answer took, if it took anything."""
        if usage == Usage():
            return []
        return [
            Completed(instance=f"turn-{self._turn}", activity=NOBODY, stop="end_turn", usage=usage)
        ]


def as_text(content: object) -> str:
    """What was said: a text, the texts in a list of parts, or else JSON."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        if words := [text for text in texts if isinstance(text, str)]:
            return "".join(words)
    return msgspec.json.encode(content, order="sorted").decode()


def parsed(text: object) -> object:
    """The JSON object in a text; whatever else it is, as it is."""
    if isinstance(text, str) and text.startswith("{"):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            pass
    return text


def increase(now: Usage, before: Usage) -> Usage:
    """What a count has grown by; a count that has gone down is taken for one that stands still."""
    return Usage(
        max(now.input - before.input, 0),
        max(now.output - before.output, 0),
        max(now.cache_read - before.cache_read, 0),
        max(now.cache_write - before.cache_write, 0),
    )


def _input(name: str, given: object) -> dict[str, Any]:
    """Arguments in our words, beside theirs."""
    made: dict[str, Any] = given if isinstance(given, dict) else {"input": given}
    if name == "Bash":
        command = next((made[key] for key in ("command", "cmd", "input") if key in made), None)
        return {**made, "command": _command(command)}
    return {**made, "path": made["file_path"]} if "file_path" in made else made


def _command(command: object) -> str:
    """A command as one text; of `bash -lc TEXT` the text."""
    if not isinstance(command, list):
        return as_text(command)
    match [str(word) for word in command]:
        case [shell, "-c" | "-lc", text] if shell.endswith("sh"):
            return text
        case words:
            return shlex.join(words)
