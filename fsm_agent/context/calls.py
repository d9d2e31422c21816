"""The ids that tool calls are sent with: unique and legal everywhere."""

from __future__ import annotations

import re
from collections.abc import Container

_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,40}")


def sent_id(given: str, instance: str, used: Container[str]) -> str:
    """The provider's id if it is legal and new, else one made from the instance.

    Args:
        given: The id in the answer, maybe empty or seen before.
        instance: `tool-TURN.NUMBER`, unique in the session.
        used: Ids already in the conversation.
    """
    if _LEGAL.fullmatch(given) and given not in used:
        return given
    made = "call_" + instance.removeprefix("tool-").replace(".", "_")
    while made in used:
        made += "x"
    return made
