"""The prompt as a cut or the plan makes it anew, out of what was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fsm_agent.context.prompt import INSTRUCTIONS_CAP, instruction_sections, replaced
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import BlobText, Section
from fsm_agent.lifecycles.world import World
from fsm_agent.policy.judging import plan_of

SNAPSHOT, PLAN = "context-snapshot", "current-plan"
"""Tags of the sections that a cut and the plan rebuild."""


def prompt(world: World, _: str, __: Event) -> Iterator[Event]:
    """The prompt with the summary, the plan and the files as they are now."""
    parts = lasting(world, world.sections)
    for tag in _SECTION.values():
        parts = replaced(parts, tag, _with_fresh(world, parts, tag))
    yield i.PromptRead(sections=parts)


def lasting(world: World, parts: tuple[Section, ...]) -> tuple[Section, ...]:
    """The sections with what no source but the log holds: the summary and the plan."""
    text, plan = world.cutting.summary, world.plans.plan
    parts = replaced(parts, SNAPSHOT, [Section(SNAPSHOT, text)] if text else [])
    locked = Section(PLAN, plan, name=plan_of(world.settings.draft))
    return replaced(parts, PLAN, [locked] if plan else [])


def _with_fresh(world: World, parts: tuple[Section, ...], tag: str) -> list[Section]:
    """The sections of this kind, with the texts that were seen since the prompt was read."""
    known: dict[str | None, BlobText | None] = {p.name: p.text for p in parts if p.tag == tag}
    known |= {path: text for path, (kind, text) in world.fresh.items() if kind == tag}
    found = [(path or "", text) for path, text in known.items() if text is not None]
    if tag == "instruction-file" and sum(map(_bytes, dict(found).values())) > INSTRUCTIONS_CAP:
        return [*instruction_sections([(path, world.text(text)) for path, text in found])]
    return [Section(tag, text, name=path) for path, text in found]


def _bytes(text: BlobText) -> int:
    return len(text.encode()) if isinstance(text, str) else text.bytes


def seen(world: World, event: i.Seen, seq: int) -> None:
    """What the prompt holds has changed: said in a note now, taken in where an epoch starts."""
    if tag := _SECTION.get(event.what):
        world.pending[seq] = changed(world, event.path, event.text)
        world.fresh[event.path] = tag, event.text


def changed(world: World, path: str, text: BlobText | None) -> str:
    """The note that says so."""
    now = "it is gone" if text is None else f"its text is now:\n{world.text(text)}"
    return f"{_head(path)}{now}"


def _head(path: str) -> str:
    return f"The file {path} has changed; "


def needless(world: World) -> tuple[int, ...]:
    """The waiting notes that a prompt which is read anew makes needless."""
    heads = tuple(map(_head, world.fresh))
    return tuple(seq for seq, note in world.pending.items() if note.startswith(heads))


def _read(world: World, event: i.PromptRead, _: int) -> None:
    for seq in event.holds:
        world.pending.pop(seq, None)


_SECTION = {"instructions": "instruction-file", "memory": "memory"}


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    (i.Seen, seen),
    (i.PromptRead, _read),
)
"""What each line changes of what the prompt does not hold yet."""
