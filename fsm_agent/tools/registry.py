"""The built-in tools by their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fsm_agent.tools.bash import bash_tool
from fsm_agent.tools.compressing import compress_tool
from fsm_agent.tools.editing import edit_tool
from fsm_agent.tools.protocol import Tool
from fsm_agent.tools.reading import read_tool
from fsm_agent.tools.remembering import Told, remember_tool
from fsm_agent.tools.search import glob_tool, grep_tool
from fsm_agent.tools.seen import Seen
from fsm_agent.tools.todo import todo_tool
from fsm_agent.tools.writing import write_tool

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "read_file": "Read",
        "write_file": "Write",
        "edit": "Edit",
        "bash": "Bash",
        "grep": "Grep",
    }
)
"""Names that models also use, and the tools they mean."""


def canonical(name: str) -> str:
    """The name that a tool is registered under; other names stay as they are."""
    return ALIASES.get(name, name)


def builtin_tools(told: Told = MappingProxyType({})) -> Mapping[str, Tool]:
    """All tools of one session, in the order in which the model is told of them.

    `told`: memory as the model knows it; what somebody else has changed since is not written over.
    """
    seen = Seen()
    tools: tuple[Tool, ...] = (
        read_tool(seen),
        write_tool(seen),
        edit_tool(seen),
        bash_tool(),
        glob_tool(),
        grep_tool(),
        todo_tool(),
        compress_tool(),
        remember_tool(told),
    )
    return MappingProxyType({tool.spec.name: tool for tool in tools})
