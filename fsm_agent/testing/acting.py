"""People, deaths and proofs for plays on a stage."""

from __future__ import annotations

import asyncio

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line, type_of
from fsm_agent.lifecycles.replay import fold, verify
from fsm_agent.lifecycles.world import digest
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.testing.stage import Stage


class Crash(BaseException):
    """Raised while a line is shown: the process dies after that batch, and nothing can catch it."""


class Person:
    """Somebody who answers questions one by one; without an answer left, they think for ever."""

    def __init__(self, *answers: tuple[str, str]) -> None:
        """Take (`yes`, `command`, `edits` or `no`; a word to the model) for each question."""
        self._answers = list(answers)

    async def ask(self, _: i.ToolCall, __: str) -> tuple[str, str]:
        """The next answer."""
        if not self._answers:
            await asyncio.Event().wait()
        return self._answers.pop(0)


def is_line(line: Line, kind: str, instance: str = "") -> bool:
    """Whether the line is of this type, and its instance named so (or in part)."""
    return type_of(line.event) == kind and instance in getattr(line.event, "instance", instance)


def prove(stage: Stage) -> None:
    """Assert that the log verifies and that folding it gives the state its last seal names."""
    blobs = BlobStore(stage.directory).text
    batches = list(read(stage.directory / "events.jsonl"))
    assert verify(batches, blobs) == len(batches)  # noqa: S101 - what this is for
    assert digest(fold(batches, blobs)) == batches[-1].seal.state  # noqa: S101 - what this is for
