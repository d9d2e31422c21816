"""Items as pictures: what each looks like in the scrollback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import singledispatch

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.amounts import context_cut, thousands
from fsm_agent.interfaces.terminal.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.terminal.items import (
    Allowed,
    Call,
    ContextCut,
    Failed,
    Item,
    LinesBack,
    Noted,
    PlanMoved,
    Retrying,
    Said,
    Thinned,
    Thought,
    ToolEnded,
    TurnEnded,
    UserSaid,
)

RESULT_LINES = 8
"""Lines of a result that are shown."""
DIFF_LINES = 60
"""Lines of a diff that are shown."""
DIGITS = 8
"""Hex digits of a digest that are shown."""
LONG = 200
"""Characters of one line of a result that are shown."""

THEME = Theme(
    {
        "thinking": "bright_black",
        "quiet": "bright_black",
        "person": "bold",
        "tool": "cyan",
        "error": "red",
        "warning": "yellow",
        "diff.added": "green",
        "diff.removed": "red",
        "diff.place": "cyan",
        "markdown.heading": "bold",
        "markdown.strong": "bold",
        "markdown.code": "cyan",
    }
)


class _Markdown(RegexHighlighter):
    """Markdown in colours: every character stays, so that what is copied is what was said."""

    base_style = "markdown."
    highlights = [  # noqa: RUF012 - as the base class declares it
        r"(?m)^(?P<heading>#{1,6} .+)$",
        r"(?P<strong>\*\*[^\s*][^*\n]*\*\*)",
        r"(?P<code>`[^`\n]+`)",
    ]


_highlight = _Markdown()
_FENCED = re.compile(r"(^ {0,3}```.*?(?:^ {0,3}```[^\n]*$\n?|\Z))", re.MULTILINE | re.DOTALL)


def put(console: Console, texts: Iterable[Text]) -> None:
    """Print paragraphs, each wrapped as it says itself."""
    for text in texts:
        console.print(text, no_wrap=text.no_wrap, overflow=text.overflow, crop=False)


@singledispatch
def paint(item: Item) -> Iterator[Text]:
    """The item as paragraphs; all of its text is escaped."""
    raise TypeError(f"no picture of {item}")


@paint.register
def _(item: UserSaid) -> Iterator[Text]:
    mark = "[inject] " if item.injected else ""
    first, *more = excerpt(item.text.rstrip(), RESULT_LINES)
    yield Text("\n".join([f"\n> {mark}{first}", *(f"  {line}" for line in more)]), "person")


@paint.register
def _(item: Thought) -> Iterator[Text]:
    yield Text(f"{escape(item.text.strip())}{_cut(partial=item.partial)}", "thinking")


@paint.register
def _(item: Said) -> Iterator[Text]:
    """Prose is wrapped at words; lines of code are left to the terminal, so that they copy."""
    text = "\n" + escape(item.text.strip("\n")) + _cut(partial=item.partial)
    for part in _FENCED.split(text):
        if part.lstrip().startswith("```"):
            yield Text(part.rstrip("\n"), "markdown.code", no_wrap=True, overflow="ignore")
        elif stripped := part.removesuffix("\n"):
            yield _highlight(stripped)


@paint.register
def _(item: ToolEnded) -> Iterator[Text]:
    head, shown = named(item.call), item.text.strip("\n")
    summary, _, rest = shown.removeprefix("Success: ").partition("\n")
    if summary.startswith(f"{item.call.name}("):
        head, shown = shorten(escape_line(summary)), rest
    if item.state == "denied":
        shown = f"not allowed: {item.why}"
    style = "tool" if item.ok else "error"
    parts = ("[tool] ", style), head, (_lasted(item.ms), "quiet")
    yield Text.assemble(*parts, no_wrap=True, overflow="ignore")
    if shown:
        yield diff(shown) if item.call.name == "Edit" and item.ok else _result(shown, item)


def _result(text: str, item: ToolEnded) -> Text:
    lines = excerpt(text, RESULT_LINES)
    return Text("\n".join(f"  {line}" for line in lines), "quiet" if item.ok else "error")


@paint.register
def _(item: Allowed) -> Iterator[Text]:
    yield Text(f"[allowed] {named(item.call)}: {escape_line(item.reason)}", "quiet")


@paint.register
def _(item: Noted) -> Iterator[Text]:
    yield Text("\n".join(f"· {line}" for line in excerpt(item.text, RESULT_LINES)), "quiet")


@paint.register
def _(item: Retrying) -> Iterator[Text]:
    pause = f"{item.ms / 1000:.1f} s"
    error = item.error.replace("_", " ")
    yield Text(f"{error}: trying again in {pause} (try {item.attempt})", "warning")


@paint.register
def _(item: Failed) -> Iterator[Text]:
    yield Text(f"error: {escape(item.message)}", "error")
    if item.hint:
        yield Text(f"  {escape(item.hint)}", "warning")


@paint.register
def _(item: LinesBack) -> Iterator[Text]:
    if item.wanted:
        return
    count = len(item.texts)
    words = "the waiting line is" if count == 1 else f"{count} waiting lines are"
    yield Text(f"· {words} back at the prompt", "quiet")


@paint.register
def _(item: ContextCut) -> Iterator[Text]:
    yield Text(f"· {context_cut(item.before, item.after, item.cost, item.pays)}", "quiet")


@paint.register
def _(item: Thinned) -> Iterator[Text]:
    calls = "1 old call" if item.calls == 1 else f"{item.calls} old calls"
    yield Text(f"· {calls} thinned out: {thousands(item.tokens)} tokens less", "quiet")


@paint.register
def _(item: PlanMoved) -> Iterator[Text]:
    before, after = _PLAN.get(item.before, item.before), _PLAN.get(item.after, item.after)
    moved = f"{before} → {after}" if before != after else f"{after} anew"
    digest = f", sha256 {item.digest[:DIGITS]}…" if item.digest else ""
    yield Text(f"· plan: {moved}{digest}", "quiet")


_PLAN = {"executing": "confirmed"}


@paint.register
def _(item: TurnEnded) -> Iterator[Text]:
    facts = " · ".join([duration(item.seconds), *tokens(item.usage)])
    how = {"interrupted": "interrupted · ", "exhausted": "the step limit was reached · "}
    style = "quiet" if item.how == "answered" else "warning"
    yield Text(f"· {how.get(item.how, '')}{facts}", style)


def named(call: Call) -> str:
    """`Name(what)`, escaped, on one line, `what` cut at 80 characters."""
    return f"{escape_line(call.name)}({shorten(escape_line(call.subject))})"


def diff(text: str, most: int | None = DIFF_LINES) -> Text:
    """A unified diff in colours: its first and last lines, or with None all of it, uncut."""
    text = text.removesuffix("\n")
    painted = Text()
    for line in excerpt(text, most) if most else escape(text).split("\n"):
        style = next((s for start, s in _DIFF.items() if line.startswith(start)), "quiet")
        painted.append(f"  {line}\n", style)
    painted.right_crop(1)
    return painted


_DIFF = {
    "---": "quiet",
    "+++": "quiet",
    "@@": "diff.place",
    "+": "diff.added",
    "-": "diff.removed",
}


def excerpt(text: str, most: int) -> list[str]:
    """The text's lines, escaped and cut; of more than `most` the first and the last."""
    lines = [shorten(line, LONG) for line in escape(text).split("\n")]
    if len(lines) <= most:
        return lines
    half = most // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} more lines", *lines[-half:]]


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 10:  # noqa: PLR2004 - tenths of a second matter only below
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def tokens(usage: Usage) -> list[str]:
    """`1,234 tokens in, 56 out`, or nothing where nothing was counted."""
    counted = usage.prompt or usage.output
    return [f"{usage.prompt:,} tokens in, {usage.output:,} out"] if counted else []


def _lasted(ms: int) -> str:
    return f" · {duration(ms / 1000)}" if ms >= 1000 else ""  # noqa: PLR2004 - a second


def _cut(*, partial: bool) -> str:
    return " […]" if partial else ""
