"""What a person has allowed for the rest of the session."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from fsm_agent.events.inputs import Approved, Scope, ToolCall
from fsm_agent.events.values import CommandKind
from fsm_agent.policy.reaching import covers

EDITS = frozenset({"Write", "Edit"})
"""Tools that "edits inside the workspace" speaks of."""
PLANNING = frozenset({"PlanConfirm", "PlanCancel", "PlanClear"})
"""Tools that the plan's lifecycle settles."""
SCOPES: dict[str, Scope] = {"yes": "once", "command": "command", "edits": "edits"}
"""A person's answers that are a yes, and how far each reaches."""
Allowed: TypeAlias = str | CommandKind
"""A whole command, word for word, or all of one kind."""


class Grants(msgspec.Struct, frozen=True):
    """Standing answers: all edits inside the workspace, whole commands, and kinds of commands."""

    edits: bool = False
    commands: tuple[Allowed, ...] = ()

    def cover(self, call: ToolCall, cwd: str) -> bool:
        """Whether the person has already said yes to a call like this one."""
        if call.name in EDITS:
            return self.edits
        command = call.input.get("command")
        if call.name != "Bash" or not isinstance(command, str):
            return False
        return any(
            command == allowed if isinstance(allowed, str) else covers(allowed, command, cwd)
            for allowed in self.commands
        )

    def with_answer(self, answer: Approved, call: ToolCall, cwd: str) -> Grants:
        """These grants and what the answer adds; a yes for `once` adds nothing."""
        command = call.input.get("command")
        if answer.scope == "edits" and call.name in EDITS:
            return Grants(edits=True, commands=self.commands)
        if answer.scope == "command" and isinstance(command, str) and not self.cover(call, cwd):
            return Grants(self.edits, (*self.commands, answer.reach or command))
        return self

    def without(self, taken: Grants) -> Grants:
        """These grants but for those that are taken back."""
        kept = (allowed for allowed in self.commands if allowed not in taken.commands)
        return Grants(self.edits and not taken.edits, tuple(kept))

    def cleared(self) -> Grants:
        """No grants: approvals do not survive a resume."""
        return Grants()
