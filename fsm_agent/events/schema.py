"""The JSON Schema of a log line, generated from the event classes."""

from __future__ import annotations

from typing import Any

import msgspec

from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import DERIVED, FORMAT, INPUTS, NOTES


def schema() -> dict[str, Any]:
    """One schema that each line of `events.jsonl` satisfies, a definition for each type."""
    place: dict[str, Any] = {
        "seq": {"type": "integer", "minimum": 0},
        "time": {"type": "string", "format": "date-time"},
        "cause": {"type": "integer", "minimum": 0},
        "seal": {
            "type": "object",
            "required": ["state", "hash"],
            "properties": {
                "state": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
                "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            },
        },
    }
    classes = [(kind, c) for kind, room in _KINDS for c in room.values()]
    _, definitions = msgspec.json.schema_components(
        [_plain(c) for _, c in classes], ref_template="#/$defs/{name}"
    )
    for kind, c in classes:
        one = definitions[c.__name__]
        one["properties"] = {**place, "kind": {"const": kind}, **one["properties"]}
        one["required"] = ["seq", "time", "kind", *one.get("required", [])]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"fsm-agent log line, format {FORMAT}",
        "anyOf": [{"$ref": f"#/$defs/{c.__name__}"} for _, c in classes],
        "$defs": definitions,
    }


def _plain(c: type[Event]) -> type[msgspec.Struct]:
    """The class with `Any` for raw JSON, whose default has no form in a schema."""
    fields = msgspec.structs.fields(c)
    if all(f.type is not msgspec.Raw for f in fields):
        return c
    return msgspec.defstruct(
        c.__name__,
        [
            (f.name, f.type)
            if f.required
            else (f.name, Any, None)
            if f.type is msgspec.Raw
            else (f.name, f.type, f.default)
            for f in fields
        ],
        tag_field="type",
        tag=str(c.__struct_config__.tag),
        kw_only=True,
    )


_KINDS = (("input", INPUTS), ("derived", DERIVED), ("note", NOTES))
