"""Results and reasoning: a line or a few of them, and all of it on demand."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.painting.excerpts import (
    AT_ONCE,
    RESULT_LINES,
    diff,
    excerpt,
    named,
    whole_diff,
)
from fsm_agent.interfaces.painting.items import Thought, ToolEnded

FOLDED = 100
"""Characters of folded reasoning that are shown."""
_LAST = frozenset({"Bash"})
"""Tools whose results say most in their last lines."""
_TODOS = {"- [x]": "quiet", "- [>]": "bold"}


def uncut(text: Text) -> Text:
    """The text, its lines left to the terminal, so that they copy as they are."""
    text.no_wrap, text.overflow = True, "ignore"
    return text


def thought(item: Thought) -> Text:
    """Reasoning in grey, folded to a line where it is longer."""
    text = item.text.strip()
    first, *more = text.split("\n")
    shown = shorten(escape_line(first[: FOLDED + 1]), FOLDED)
    if more or len(first) > FOLDED:
        shown += f" · {len(text):,} characters · /show thought"
    return Text(f"{shown}{' […]' if item.partial else ''}", "thinking")


def result(item: ToolEnded) -> Iterator[Text]:
    """A line for the call and its outcome, and what of its result is worth a look."""
    head, shown = named(item.call), item.text.strip("\n")
    summary, _, rest = shown.removeprefix("Success: ").partition("\n")
    if summary.startswith(f"{item.call.name}("):
        head, shown = shorten(escape_line(summary)), rest
    if item.state == "denied":
        shown = f"not allowed: {item.why}"
    yield _head(head, item)
    if not shown:
        return
    more = f" · /show {item.of}" if item.of else ""
    if not item.ok:
        yield _lines(excerpt(shown, RESULT_LINES, more=more), "error")
    elif item.call.name == "Edit":
        yield diff(shown, more=more)
    elif item.call.name == "TodoWrite":
        yield _todos(shown)
    else:
        last = item.call.name in _LAST
        yield _lines(excerpt(shown, RESULT_LINES, last=last, more=more), "quiet")


def whole(item: Thought | ToolEnded) -> Iterator[Text]:
    """All of it, nothing folded and nothing cut."""
    if isinstance(item, Thought):
        text = f"{item.text.strip()}{' […]' if item.partial else ''}"
        yield from (Text(part, "thinking") for part in _parts(text))
        return
    yield _head(f"{escape_line(item.call.name)}({escape(item.call.subject)})", item)
    if item.call.name == "Edit" and item.ok:
        yield from whole_diff(item.text)
        return
    yield from (uncut(Text(part, "" if item.ok else "error")) for part in _parts(item.text))


def _parts(text: str) -> Iterator[str]:
    lines = escape(text).rstrip("\n").split("\n")
    for at in range(0, len(lines), AT_ONCE):
        yield "\n".join(lines[at : at + AT_ONCE])


def _head(name: str, item: ToolEnded) -> Text:
    lasted = f" · {duration(item.ms / 1000)}" if item.ms >= 1000 else ""  # noqa: PLR2004 - a second
    style = "tool" if item.ok else "error"
    return uncut(Text.assemble(("[tool] ", style), name, (lasted, "quiet")))


def _lines(lines: list[str], style: str) -> Text:
    return Text("\n".join(f"  {line}" for line in lines), style)


def _todos(text: str) -> Text:
    painted = Text()
    for line in escape(text).split("\n"):
        painted.append(f"  {line}\n", _TODOS.get(line[:5], ""))
    painted.right_crop(1)
    return painted
