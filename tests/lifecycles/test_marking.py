"""What was taken in behind a mark leaves no trace once it is taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.marking import back, mark
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.log.reading import read

LOGS = sorted((Path(__file__).parents[1] / "replays" / "1" / "good").glob("*.jsonl"))


def facts(world: World) -> tuple[Any, ...]:
    """All that can be seen of a world, and the body that it would send next."""
    fields = msgspec.structs.asdict(world)
    hidden = {"blobs", "tables", "body", "spoken"}
    seen = {name: repr(value) for name, value in fields.items() if name not in hidden}
    body = world.body.next(world) if world.settings.protocol else None
    return seen, digest(world), body, world.settings.protocol and world.body.marked(world)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_world_is_as_it_was(log: Path) -> None:
    world = World(lambda _: "")
    batches = list(read(log))
    for number, batch in enumerate(batches):
        before, marked = facts(world), mark(world)
        for line in (line for later in batches[number:] for line in later.lines):
            apply(world, line)
            facts(world)  # the body grows along
        assert facts(world) != before

        back(world, marked)

        assert facts(world) == before
        for line in batch.lines:
            apply(world, line)
