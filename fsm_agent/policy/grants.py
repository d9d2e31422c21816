"""What a person has allowed for the rest of the session."""

from __future__ import annotations

import msgspec

from fsm_agent.events.inputs import ToolCall

EDITS = frozenset({"Write", "Edit"})
"""Tools that "edits inside the workspace" speaks of."""
PLANNING = frozenset({"PlanConfirm", "PlanCancel", "PlanClear"})
"""Tools that the plan's lifecycle settles."""


class Grants(msgspec.Struct, frozen=True):
    """Standing answers: all edits inside the workspace, and whole commands, word for word."""

    edits: bool = False
    commands: tuple[str, ...] = ()

    def cover(self, call: ToolCall) -> bool:
        """Whether the person has already said yes to a call like this one."""
        if call.name in EDITS:
            return self.edits
        return call.name == "Bash" and call.input.get("command") in self.commands

    def with_scope(self, scope: str, call: ToolCall) -> Grants:
        """These grants and what the answer adds; `once` adds nothing."""
        command = call.input.get("command")
        if scope == "edits" and call.name in EDITS:
            return Grants(edits=True, commands=self.commands)
        if scope == "command" and isinstance(command, str) and not self.cover(call):
            return Grants(self.edits, (*self.commands, command))
        return self

    def cleared(self) -> Grants:
        """No grants: approvals do not survive a resume."""
        return Grants()
