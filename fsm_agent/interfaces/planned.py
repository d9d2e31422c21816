"""One shot about a plan: only to draft it, or only to carry it out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.lifecycles.world import World, sha256
from fsm_agent.runtime.planning import CAP

CARRY_OUT = "Carry out the plan in current-plan, all of it and nothing else."
"""What is asked where the person says nothing more."""


class Agreed(msgspec.Struct, frozen=True):
    """A plan that somebody has agreed to elsewhere: its text, and the SHA-256 they named."""

    text: str
    digest: str


def read_agreed(path: Path, digest: str) -> Agreed:
    """The plan in a file.

    Raises:
        UsageError: If it is not the text that was agreed to, or none that can be a plan.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or device may never end
            raise UsageError(f"--execute-plan: {path}: it is not a regular file")
        with path.open("rb") as file:
            raw = file.read(CAP + 1)
    except OSError as error:
        raise UsageError(f"--execute-plan: {path}: {error.strerror}") from None
    if len(raw) > CAP:
        raise UsageError(f"--execute-plan: {path}: a plan has at most {CAP} bytes")
    found = hashlib.sha256(raw).hexdigest()
    if found != digest.lower():
        raise UsageError(
            f"{path} is not the plan that was agreed to: its SHA-256 is {found}; nothing was run"
        )
    if b"\r\n" in raw or raw.startswith(b"\xef\xbb\xbf"):
        raise UsageError(f"{path}: a plan has plain line ends and no BOM")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: a plan is a text in UTF-8") from None
    if not text.strip():
        raise UsageError(f"{path}: there is nothing in it to carry out")
    return Agreed(text, found)


def drafted(world: World) -> tuple[str, str] | None:
    """The draft that waits for a yes, and its SHA-256."""
    text = world.text(world.plans.draft)
    return (text, sha256(world.plans.draft)) if text.strip() else None


def carry_out(
    agreed: Agreed, world: World, draft: Path, line: i.UserInput
) -> Iterator[Sequence[i.Event]]:
    """What to hand in, each as the session rests: the yes to this text, then the person's line.

    Where another text is in force then, nothing is begun.
    """
    if not _in_force(agreed, world):
        draft.write_text(agreed.text, encoding="utf-8", newline="")
        yield [i.PlanCommand(verb="CONFIRM", digest=agreed.digest)]
    if not _in_force(agreed, world):
        yield [i.Leave(reason="planned")]
        return
    yield [line]
    yield [i.Leave(reason="done")]


def _in_force(agreed: Agreed, world: World) -> bool:
    return world.at.get("plan") == "executing" and sha256(world.plans.plan) == agreed.digest
