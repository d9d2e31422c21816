"""The tools that a model is told of."""

from __future__ import annotations

import msgspec

from fsm_agent.tools.registry import ALIASES, builtin_tools, canonical


def test_all_tools_stand_under_their_own_names() -> None:
    tools = builtin_tools()

    files = ["Read", "Write", "Edit", "Bash", "Glob", "Grep"]
    assert list(tools) == [*files, "TodoWrite", "Compress", "Remember"]
    assert all(tool.spec.name == name for name, tool in tools.items())


def test_other_names_lead_to_a_tool_or_nowhere() -> None:
    assert {canonical(name) for name in ALIASES} <= set(builtin_tools())
    assert canonical("Read") == "Read"
    assert canonical("unknown") == "unknown"


def test_schemas_are_plain_and_small() -> None:
    tools = builtin_tools()
    specs = [tool.spec for tool in tools.values()]
    text = msgspec.json.encode(specs).decode()

    assert len(text) < 3500
    assert "$ref" not in text
    for spec in specs:
        assert spec.parameters["type"] == "object"
        assert all("type" in part for part in spec.parameters["properties"].values())
    assert tools["TodoWrite"].spec.parameters["properties"]["todos"]["items"] == {
        "type": "object",
        "properties": {
            "content": {"type": "string"},
            "status": {"type": "string", "enum": ["completed", "in_progress", "pending"]},
        },
        "required": ["content", "status"],
    }
