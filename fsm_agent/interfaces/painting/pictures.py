"""Items as pictures: what each looks like in the scrollback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from typing import Any, TypeAlias

from rich.console import Console, ConsoleRenderable
from rich.text import Text
from rich.theme import Theme

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.amounts import context_cut, duration, thousands
from fsm_agent.interfaces.painting.blocks import Piece, pieces
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.painting.excerpts import RESULT_LINES, WORD, excerpt, named
from fsm_agent.interfaces.painting.items import (
    Allowed,
    ContextCut,
    CutShort,
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
from fsm_agent.interfaces.painting.results import result, thought, uncut, whole

DIGITS = 8
"""Hex digits of a digest that are shown."""

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
        WORD: "bold underline",
        "markdown.code": "cyan",
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
    }
)
Picture: TypeAlias = ConsoleRenderable
"""What a console can print."""


class PictureConsole(Console):
    """A console in the theme's colours that finds no markup, emoji or numbers in what it prints."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - whatever the library's own takes
        super().__init__(theme=THEME, highlight=False, markup=False, emoji=False, **options)


def put(console: Console, pictures: Iterable[Picture]) -> None:
    """Print pictures; texts are wrapped as they say themselves, and steer nothing in any case."""
    for picture in pictures:
        if isinstance(picture, Text):
            if (shown := escape(picture.plain)) != picture.plain:
                picture.plain = shown
            if console.no_color:  # signs say it all
                picture.spans = [span for span in picture.spans if span.style != WORD]
            console.print(picture, no_wrap=picture.no_wrap, overflow=picture.overflow, crop=False)
        else:
            console.print(picture)


@singledispatch
def paint(item: Item) -> Iterator[Picture]:
    """The item as pictures; all of its text is escaped."""
    raise TypeError(f"no picture of {item}")


@paint.register
def _(item: UserSaid) -> Iterator[Picture]:
    mark = "[inject] " if item.injected else ""
    first, *more = excerpt(item.text.rstrip(), RESULT_LINES)
    yield Text("\n".join([f"\n> {mark}{first}", *(f"  {line}" for line in more)]), "person")
    if item.at:
        yield Text(f"  delivered at event {item.at}", "quiet")


@paint.register
def _(item: Thought) -> Iterator[Picture]:
    if item.look == "whole":
        yield from whole(item)
    elif item.look == "folded":
        yield thought(item)


@paint.register
def _(item: Said) -> Iterator[Picture]:
    for piece in pieces(item.text):
        yield from paint(piece)
    if item.partial:
        yield Text("[…]", "quiet")


@paint.register
def _(item: Piece) -> Iterator[Picture]:
    """Lines of code are left to the terminal, so that they copy as they are."""
    from fsm_agent.interfaces.painting import markdown  # noqa: PLC0415 - start-up

    if item.gap:
        yield Text()
    match item.kind:
        case "prose":
            yield markdown.Prose(item.source)
        case "fence":
            yield uncut(markdown.code(item.source, item.language))
        case "plain":
            yield uncut(Text(escape(item.source).rstrip("\n")))


@paint.register
def _(item: ToolEnded) -> Iterator[Picture]:
    yield from result(item)


@paint.register
def _(item: Allowed) -> Iterator[Picture]:
    yield Text(f"[allowed] {named(item.call)}: {escape_line(item.reason)}", "quiet")


@paint.register
def _(item: Noted) -> Iterator[Picture]:
    yield Text("\n".join(f"· {line}" for line in excerpt(item.text, RESULT_LINES)), "quiet")


@paint.register
def _(item: CutShort) -> Iterator[Picture]:
    yield Text("\n".join(f"· the program died here: {line}" for line in item.lines), "warning")


@paint.register
def _(item: Retrying) -> Iterator[Picture]:
    pause = f"{item.ms / 1000:.1f} s"
    error = item.error.replace("_", " ")
    yield Text(f"{error}: trying again in {pause} (try {item.attempt})", "warning")


@paint.register
def _(item: Failed) -> Iterator[Picture]:
    yield Text(f"error: {escape(item.message)}", "error")
    if item.hint:
        yield Text(f"  {escape(item.hint)}", "warning")


@paint.register
def _(item: LinesBack) -> Iterator[Picture]:
    if item.wanted:
        return
    count = len(item.texts)
    words = "the waiting line is" if count == 1 else f"{count} waiting lines are"
    yield Text(f"· {words} back at the prompt", "quiet")


@paint.register
def _(item: ContextCut) -> Iterator[Picture]:
    yield Text(f"· {context_cut(item.before, item.after, item.cost, item.pays)}", "quiet")


@paint.register
def _(item: Thinned) -> Iterator[Picture]:
    calls = "1 old call" if item.calls == 1 else f"{item.calls} old calls"
    yield Text(f"· {calls} thinned out: {thousands(item.tokens)} tokens less", "quiet")


@paint.register
def _(item: PlanMoved) -> Iterator[Picture]:
    before, after = _PLAN.get(item.before, item.before), _PLAN.get(item.after, item.after)
    moved = f"{before} → {after}" if before != after else f"{after} anew"
    digest = f", sha256 {item.digest[:DIGITS]}…" if item.digest else ""
    yield Text(f"· plan: {moved}{digest}", "quiet")


_PLAN = {"executing": "confirmed"}


@paint.register
def _(item: TurnEnded) -> Iterator[Picture]:
    facts = " · ".join([duration(item.seconds), *tokens(item.usage)])
    how = {"interrupted": "interrupted · ", "exhausted": "the step limit was reached · "}
    style = "quiet" if item.how == "answered" else "warning"
    yield Text(f"· {how.get(item.how, '')}{facts}", style)


def tokens(usage: Usage) -> list[str]:
    """`1,234 tokens in, 56 out`, or nothing where nothing was counted."""
    counted = usage.prompt or usage.output
    return [f"{usage.prompt:,} tokens in, {usage.output:,} out"] if counted else []
