"""One function: does a call run, is a person asked, is it blocked?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from fsm_agent.events.inputs import Settings, ToolCall
from fsm_agent.policy.grants import EDITS, PLANNING, Grants
from fsm_agent.policy.paths import is_control, is_inside
from fsm_agent.policy.secrets import held

ACTING = EDITS | {"Bash", "Remember"}
"""Tools that change something."""


class Verdict(msgspec.Struct, frozen=True):
    """What to do with a call, the layer that decided, and why in words for model and person."""

    action: Literal["run", "ask", "block", "plan"]
    layer: str
    reason: str


def plan_of(draft: str) -> str:
    """Where the plan lies, beside its draft."""
    return draft.removesuffix("plan.draft") + "plan.md"


def judge(
    call: ToolCall, settings: Settings, grants: Grants, cwd: str, known: Sequence[str]
) -> Verdict:
    """Decide about one call.

    Layers in order: the call itself, borders of the workspace, the mode, standing grants, a
    person. A block by an earlier layer is never lifted by a later one.
    """
    return (
        _malformed(call, known)
        or _planning(call, settings)
        or _borders(call, cwd)
        or _mode(call, settings)
        or _person(call, settings, grants, cwd)
    )


def _malformed(call: ToolCall, known: Sequence[str]) -> Verdict | None:
    if call.name not in known:
        names = ", ".join(known)
        return Verdict("block", "tool", f"there is no tool '{call.name}'. The tools: {names}")
    if call.malformed is not None:
        start = call.malformed[:200]
        return Verdict("block", "arguments", f"the arguments are not a JSON object: {start}")
    if call.name in ACTING and (secret := _secret(call)):
        why = f"{secret} stands for a value you have not seen; a person must put it in"
        return Verdict("block", "secret", why)
    return None


def _secret(call: ToolCall) -> str | None:
    texts = (value for value in call.input.values() if isinstance(value, str))
    return next((secret for text in texts if (secret := held(text))), None)


def _planning(call: ToolCall, settings: Settings) -> Verdict | None:
    """Draft and plan lie outside the workspace: the draft is anyone's, the plan can be read."""
    if call.name in PLANNING:
        return Verdict("plan", "plan", "the plan's lifecycle decides")
    path = call.input.get("path")
    if not settings.draft or call.name not in EDITS | {"Read"}:
        return None
    if path == settings.draft or (path == plan_of(settings.draft) and call.name == "Read"):
        return Verdict("run", "plan", "the draft is anyone's to write")
    if path == plan_of(settings.draft):
        return Verdict("block", "plan", "a confirmed plan is locked; write a new draft")
    return None


def _borders(call: ToolCall, cwd: str) -> Verdict | None:
    path = call.input.get("path")
    if call.name == "Bash" or not isinstance(path, str):
        return None
    if not is_inside(path, cwd):
        return Verdict("block", "workspace", f"{path} is outside the workspace {cwd}")
    if call.name in EDITS and is_control(path, cwd):
        return Verdict("block", "control", f"{path} steers other programs; a person must edit it")
    return None


def _mode(call: ToolCall, settings: Settings) -> Verdict | None:
    if call.name not in ACTING:
        return Verdict("run", "tool", "it only reads")
    match settings.permission:
        case "read":
            return Verdict("block", "mode", "the mode is read-only")
        case "plan":
            return Verdict("block", "mode", "in plan mode only the draft of the plan is written")
        case "allow":
            return Verdict("run", "mode", "the mode allows it")
        case "edits" if call.name in EDITS:
            return Verdict("run", "mode", "the mode allows edits inside the workspace")
        case "edits" if call.name == "Remember":
            return Verdict("run", "mode", "the mode allows edits of memory")
    return None


def _person(call: ToolCall, settings: Settings, grants: Grants, cwd: str) -> Verdict:
    if grants.cover(call, cwd):
        return Verdict("run", "grant", "allowed earlier in this session")
    if not settings.person:
        return Verdict("block", "nobody", "it needs a person's yes, and nobody can be asked")
    return Verdict("ask", "person", "a person decides")
