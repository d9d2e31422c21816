"""What a tool gives back, split by who reads it."""

from __future__ import annotations

import msgspec


class Change(msgspec.Struct, frozen=True):
    """A file a tool has changed, with its bytes before and after (None: it was not there)."""

    path: str
    before: bytes | None
    after: bytes | None


class ToolOutcome(msgspec.Struct, frozen=True):
    """The end of a tool; a failure is a value like any other.

    Attributes:
        output: For the model: whole and cleaned, not yet cut to the result limit.
        ok: Whether the tool did what was asked.
        display: For the person, where it differs (a diff, one summary line).
        changes: For the record and for undo.
    """

    output: str
    ok: bool = True
    display: str | None = None
    changes: tuple[Change, ...] = ()
