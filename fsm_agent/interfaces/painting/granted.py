"""What a person has allowed, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.policy.grants import Allowed, Grants
from fsm_agent.policy.paths import CONTROL_NAMES

EDITS = f"Write and Edit of any file in the workspace, but for {', '.join(sorted(CONTROL_NAMES))}"
_INSIDE = "arguments inside the workspace"


def words(allowed: Allowed) -> str:
    """All that it lets through: a command word for word, or commands of one kind."""
    if isinstance(allowed, str):
        return f"{escape_line(allowed)} (word for word)"
    return f"{escape_line(' '.join(allowed.words))} … ({_limits(allowed.options)})"


def listed(grants: Grants) -> Iterator[tuple[Grants, str]]:
    """Each standing yes by itself, and what it lets through."""
    if grants.edits:
        yield Grants(edits=True), EDITS
    for allowed in grants.commands:
        yield Grants(commands=(allowed,)), words(allowed)


def revoked(arguments: Mapping[str, Any]) -> str:
    """What a line of the log says that takes standing answers back."""
    try:
        taken = msgspec.convert(arguments, Grants)
    except msgspec.ValidationError:  # nobody's log has this
        return "/permissions revoke"
    return f"asked about again: {', '.join(told for _, told in listed(taken))}"


def _limits(options: tuple[str, ...]) -> str:
    if not options:
        return f"{_INSIDE}, no options"
    return f"{_INSIDE}, of options only {escape_line(' '.join(options))}"
