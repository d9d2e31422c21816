"""A session as a text to read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.exporting.transcript import (
    Answer,
    Call,
    News,
    Said,
    Text,
    Thought,
    Transcript,
    Turn,
)
from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.painting.pictures import tokens
from fsm_agent.interfaces.painting.view import seconds_between

LEAVES_OUT: frozenset[str] = frozenset()


def markdown(transcript: Transcript) -> bytes:
    """CommonMark; what tools gave stands in fences that nothing in it can close."""
    return "\n\n".join(_session(transcript)).encode() + b"\n"


def _session(told: Transcript) -> Iterator[str]:
    yield f"# Session {_inline(told.session)}"
    facts = [told.began[:16].replace("T", " "), told.model, told.cwd, *tokens(told.usage)]
    yield " · ".join(_inline(fact) for fact in facts if fact)
    for part in told.parts:
        yield from _turn(part) if isinstance(part, Turn) else (_news(part),)


def _turn(turn: Turn) -> Iterator[str]:
    facts = [turn.how or "not ended", duration(seconds_between(turn.time, turn.ended))]
    yield f"## {turn.name}: {' · '.join([*facts, *tokens(turn.usage)])}"
    for part in turn.parts:
        match part:
            case Said():
                yield _quoted(part.text)
            case News():
                yield _news(part)
            case Answer():
                yield from _answer(part)


def _answer(answer: Answer) -> Iterator[str]:
    for part in answer.parts:
        match part:
            case Thought():
                yield _folded("thinking", _whole(part))
            case Text():
                yield _whole(part)
            case Call():
                yield from _call(part)
    if answer.failure:
        yield f"*{_inline(answer.failure)}*"


def _call(call: Call) -> Iterator[str]:
    yield f"**{_inline(call.name)}** {call.fault}".rstrip()
    yield fenced(call.given)
    if call.decision == "deny":
        yield f"*not allowed: {_inline(call.reason)}*"
    for diff in call.diffs:
        yield fenced(diff.text or f"{diff.path} was changed", "diff")
    if call.content and not (call.diffs and call.ok):
        yield fenced(call.content)


def _whole(part: Thought | Text) -> str:
    """The text; a fence that it leaves open is closed, or all that follows would be code."""
    text = f"{escape(part.text)} […]" if part.partial else escape(part.text)
    fences = re.findall(r"(?m)^ {0,3}(`{3,}|~{3,})", text)
    return f"{text}\n{fences[-1]}" if len(fences) % 2 else text


def fenced(text: str, language: str = "") -> str:
    """A fence around text, longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{escape(text).removesuffix(chr(10))}\n{fence}"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{fenced(text)}\n\n</details>"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in escape(text).split("\n"))


def _news(news: News) -> str:
    return f"*{_inline(news.text)}*"


def _inline(text: str) -> str:
    """Text that no mark in it can turn into something else."""
    return re.sub(r"([\\`*_\[\]<>#|!])", r"\\\1", shorten(escape_line(text), 200))
