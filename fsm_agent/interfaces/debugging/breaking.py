"""At which lines to stop."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events.derived import Transition
from fsm_agent.events.inputs import ToolCall
from fsm_agent.events.lines import Line

KINDS = {
    "state": "INSTANCE=STATE or MACHINE=STATE: where it comes into this state",
    "tool": "NAME: where the model calls this tool",
    "answer": "QUESTION=ANSWER: where a transition was decided by it",
    "text": "REGEX: where the line, as it is in the log, matches",
}
"""Kinds of breakpoints, and what follows their name."""


class Break(msgspec.Struct, frozen=True):
    """A breakpoint: its words, and whether a line with these bytes is one to stop at."""

    words: str
    stops: Callable[[Line, bytes], bool]


def breakpoint_of(words: str) -> Break:
    """Read a breakpoint: a kind of `KINDS`, and what follows it.

    Raises:
        UsageError: If it is none.
    """
    kind, _, rest = words.partition(" ")
    rest = rest.strip()
    left, equals, right = rest.partition("=")
    match kind:
        case "tool" if rest:
            return Break(words, lambda line, _: _calls(line, rest))
        case "text" if rest:
            return Break(words, _matches(rest))
        case "state" if equals:
            return Break(words, lambda line, _: _comes_into(line, left, right))
        case "answer" if equals:
            return Break(words, lambda line, _: _answered(line, left, right))
    known = "\n".join(f"  break {name} {what}" for name, what in KINDS.items())
    raise UsageError(f"a breakpoint is one of\n{known}")


def _calls(line: Line, name: str) -> bool:
    return isinstance(line.event, ToolCall) and line.event.name == name


def _comes_into(line: Line, who: str, state: str) -> bool:
    event = line.event
    if not isinstance(event, Transition) or event.target != state or event.source == state:
        return False
    return who in (event.instance, event.instance.partition("-")[0])


def _answered(line: Line, question: str, answer: str) -> bool:
    return isinstance(line.event, Transition) and line.event.answers.get(question) == answer


def _matches(regex: str) -> Callable[[Line, bytes], bool]:
    try:
        found = re.compile(regex).search
    except re.error as error:
        raise UsageError(f"'{regex}' is no regular expression: {error}") from None
    return lambda _, raw: found(raw.decode()) is not None
