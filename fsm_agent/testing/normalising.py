"""A session's events as short texts in which nothing depends on the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Line, type_of

WORKSPACE = "<workspace>"
"""Stands for the session's directory, wherever it is named."""
RUN = frozenset(
    {"session", "source", "program", "semantics", "tables", "v", "cwd"}  # which run it was
    | {"activity", "of", "kept", "n", "at"}  # other lines, by number
    | {"ms", "us", "retry_after_ms", "retry_base_ms"}  # how long something took
    | {"id", "request_id", "native", "digest", "bytes", "shared", "base_url"}  # made by others
)
"""Fields that are left out, with `type` and those of the line's place (`seq time cause seal`)."""


def normalised(lines: Iterable[Line]) -> list[str]:
    """Each event as one text, for snapshots: `turn-1 stream --completed[T30]--> tool_exec …`.

    Left out are notes, `RUN`, and what prompt and tools say beyond their names. The session's
    directory is `WORKSPACE`; a text that stands in a blob is `<blob>`.
    """
    return list(_texts(lines))


def _texts(lines: Iterable[Line]) -> Iterator[str]:
    cwd = ""
    for line in lines:
        event = line.event
        if line.kind == "note":
            continue
        if isinstance(event, i.SessionStart):
            cwd = event.cwd
        text = _move(event) if isinstance(event, d.Transition) else _other(event)
        yield text.replace(cwd, WORKSPACE) if len(cwd) > 1 else text


def _move(event: d.Transition) -> str:
    answers = "".join(f" {ask}={answer}" for ask, answer in event.answers.items())
    by = f" by {event.by}" if event.by else ""
    return f"{event.instance} {event.source} --{event.trigger}[{event.row}]--> {event.target}" + (
        answers + by
    )


def _other(event: Event | d.Unknown) -> str:
    words = [type_of(event), *filter(None, [getattr(event, "instance", "")])]
    match event:
        case i.PromptRead():
            words += [section.name or section.tag for section in event.sections]
        case i.Tools():
            pass
        case _:
            fields: dict[str, Any] = msgspec.to_builtins(event)
            told = {
                name: _kept(v)
                for name, v in fields.items()
                if name not in {*RUN, "type", "instance"}
            }
            words += [f"{name}={_json(value)}" for name, value in told.items()]
    return " ".join(words)


def _kept(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """A value without what depends on the run."""
    if isinstance(value, dict):
        if value.keys() == {"blob", "bytes"}:
            return "<blob>"
        return {name: _kept(inner) for name, inner in value.items() if name not in RUN}
    return [_kept(inner) for inner in value] if isinstance(value, list | tuple) else value


def _json(value: Any) -> str:  # noqa: ANN401 - any JSON
    return value if isinstance(value, str) and value.isidentifier() else _encode(value).decode()


_encode = msgspec.json.encode
