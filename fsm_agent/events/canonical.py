"""One event, one line: texts that equal a default are the default."""

from __future__ import annotations

from functools import cache

import msgspec

from fsm_agent.events.inputs import Event


@cache
def _said_defaults(kind: type[Event]) -> tuple[tuple[str, str], ...]:
    fields = msgspec.structs.fields(kind)
    return tuple((f.name, f.default) for f in fields if isinstance(f.default, str) and f.default)


def canonical(event: Event) -> Event:
    """The event with each default itself in place of a text that only equals it.

    A field at its default is left out of the line, and "at its default" is told by identity: an
    event made from what somebody typed must have the same line as one that was read.
    """
    equal = {
        name: default
        for name, default in _said_defaults(type(event))
        if (value := getattr(event, name)) == default and value is not default
    }
    return msgspec.structs.replace(event, **equal) if equal else event
