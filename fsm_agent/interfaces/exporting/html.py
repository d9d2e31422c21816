"""A session as one page to read, without anything from outside."""

from __future__ import annotations

import html as markup
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt

from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.exporting.page import PAGE, STYLE
from fsm_agent.interfaces.exporting.transcript import (
    Answer,
    Call,
    Diff,
    News,
    Said,
    Text,
    Thought,
    Transcript,
    Turn,
)
from fsm_agent.interfaces.painting.escaping import escape, escape_line, shorten
from fsm_agent.interfaces.painting.items import call_of
from fsm_agent.interfaces.painting.pictures import tokens
from fsm_agent.interfaces.painting.view import seconds_between

LEAVES_OUT: frozenset[str] = frozenset()
_BAD = frozenset({"error", "refusal", "crashed", "log_damage"})
"""Kinds of news that are no good news."""
_prose = MarkdownIt("js-default").disable("image")  # no raw HTML, no script links, nothing loaded
_DIFF = {"+++": "place", "---": "place", "@@": "place", "+": "added", "-": "removed"}


def html(transcript: Transcript) -> bytes:
    """The page; all of the session's text is escaped, the model's read as Markdown."""
    first = next((p.text for t in transcript.turns for p in t.parts if isinstance(p, Said)), "")
    title = _line(shorten(escape_line(first), 90)) or _line(transcript.session)
    day = transcript.began[:16].replace("T", " ")
    lasted = duration(seconds_between(transcript.began, transcript.ended))
    facts = [transcript.session, day, lasted, transcript.model, transcript.cwd]
    page = PAGE.format(
        title=title,
        style=STYLE,
        facts=_line(" · ".join(filter(None, [*facts, *tokens(transcript.usage)]))),
        turns="\n".join(_session(transcript)),
    )
    return page.encode()


def _session(told: Transcript) -> Iterator[str]:
    for part in told.parts:
        if isinstance(part, Turn):
            yield from _turn(part)
        else:
            yield _news(part)


def _turn(turn: Turn) -> Iterator[str]:
    yield f'<section class="turn" id="{_line(turn.name)}">'
    for part in turn.parts:
        match part:
            case Said():
                when = f'<span class="when">{_clock(part.time)}</span>'
                yield f'<div class="person">{when}{_text(part.text)}</div>'
            case News():
                yield _news(part)
            case Answer():
                yield from _answer(part)
    good = "good" if turn.how == "answered" else "bad"
    facts = [duration(seconds_between(turn.time, turn.ended)), *tokens(turn.usage)]
    how = f'<span class="{good}">{turn.how or "not ended"}</span>'
    yield f"<footer>{how} · {_line(' · '.join(facts))}</footer>\n</section>"


def _answer(answer: Answer) -> Iterator[str]:
    for part in answer.parts:
        match part:
            case Thought():
                cut = " (cut off)" if part.partial else ""
                yield '<details class="thinking"><summary>thinking' + cut
                yield f"</summary><div>{_text(part.text)}</div></details>"
            case Text():
                cut = " […]" if part.partial else ""
                yield f'<div class="answer">{_prose.render(escape(part.text) + cut)}</div>'
            case Call():
                yield from _call(part)
    if answer.failure:
        yield f'<p class="news bad">{_text(answer.failure)}</p>'


def _call(call: Call) -> Iterator[str]:
    subject = call_of(call.name, call.input).subject
    facts = [_counted(call.diffs), call.fault]
    if call.began and call.ended:
        facts.append(duration(seconds_between(call.began, call.ended)))
    head = f"<code>{_line(call.name)}</code> {_line(shorten(escape_line(subject), 70))}"
    aside = f'<span class="aside">{_line(" · ".join(filter(None, facts)))}</span>'
    shown = " open" if call.diffs or not call.ok else ""
    kind = "call" if call.ok else "call failed"
    yield f'<details class="{kind}"{shown}><summary>{aside}{head}</summary>'
    if call.decision:
        verdict = "allowed" if call.decision == "allow" else "not allowed"
        yield f'<p class="label">{verdict}: {_line(call.reason)} ({_line(call.layer)})</p>'
    if not (call.diffs and call.ok):
        yield f'<pre class="input">{_text(call.given)}</pre>'
    for diff in call.diffs:
        yield f'<p class="label">{_line(diff.path)}</p><pre class="diff">{_diff(diff)}</pre>'
    if call.content and not (call.diffs and call.ok):
        yield f'<pre class="output">{_text(call.content)}</pre>'
    yield "</details>"


def _counted(diffs: Sequence[Diff]) -> str:
    """Lines added and removed; nothing for no change."""
    added, removed = sum(d.added for d in diffs), sum(d.removed for d in diffs)
    return f"+{added} −{removed}" if diffs else ""


def _diff(diff: Diff) -> str:
    lines = diff.text.removesuffix("\n").split("\n")[2:]  # the path stands above
    return "".join(f"<span{_diff_class(line)}>{_text(line)}</span>" for line in lines)


def _diff_class(line: str) -> str:
    found = next((name for start, name in _DIFF.items() if line.startswith(start)), None)
    return f' class="{found}"' if found else ""


def _news(news: News) -> str:
    kind = "news bad" if news.kind in _BAD else "news"
    return f'<p class="{kind}">{_clock(news.time)} · {_text(news.text)}</p>'


def _clock(time: str) -> str:
    return _line(time[11:19])


def _text(text: str) -> str:
    return markup.escape(escape(text))


def _line(text: str) -> str:
    return markup.escape(escape_line(text))
