"""The bill's session, run by the program itself on the loopback."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.events.values import Economy, Section, TextBlock, ToolSpec
from fsm_agent.providers.http import HttpProvider
from fsm_agent.testing.answers import openai
from fsm_agent.testing.replies import Reply
from fsm_agent.testing.server import ModelServer, Received
from fsm_agent.testing.stage import Scene, Stage, say
from fsm_agent.tools.protocol import Workplace
from tests.bench.ways import FIXED, SETTINGS, SUMMARY, TOKEN, Bill, Turn, filler

ASKS = INSTRUCTION.partition(".")[0].encode()
"""Words that only a request for a summary has."""
MOST = 10_000
"""Requests that the server answers."""


class Given:
    """A tool that gives what the script says, at once."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.spec = ToolSpec("Bash", filler("tools", FIXED // 2), {"type": "object"})
        self._outputs = (r.results[0].content for turn in turns for _, r in turn.steps)

    async def start(self, _: Mapping[str, Any], __: Workplace) -> Over:
        """Each call is the next of the script."""
        return Over(next(self._outputs))


class Over:
    """A call that has ended."""

    def __init__(self, output: str) -> None:
        self._outcome = ToolOutcome(output)

    async def wait(self) -> ToolOutcome:
        """What it gave."""
        return self._outcome

    async def stop(self) -> ToolOutcome:
        """What it gave."""
        return self._outcome


def played(turns: Sequence[Turn], economy: Economy) -> Bill:
    """The whole session, and what its requests cost."""
    bill = Bill()
    answers = (a for turn in turns for a in (*(answer for answer, _ in turn.steps), turn.answer))

    def reply(request: Received) -> Reply:
        usage = bill.add(request.body, summary=ASKS in request.body)
        if usage.output:
            said = TextBlock(filler(f"summary {bill.summaries}", SUMMARY * TOKEN))
            return Reply(openai([said], usage=usage, size=10_000))
        return Reply(openai(next(answers).blocks, usage=usage, size=10_000))

    with tempfile.TemporaryDirectory() as place, ModelServer(*[reply] * MOST) as server:
        settings = replace(SETTINGS, base_url=f"{server.url}/v1", economy=economy)
        if code := asyncio.run(_play(Path(place).resolve(), turns, settings)):
            raise SystemExit(f"the session ended with {code}")
    return bill


async def _play(place: Path, turns: Sequence[Turn], settings: Any) -> int:
    provider = HttpProvider(settings, None, now=lambda: 0.0)
    scene = Scene(
        tools={"Bash": Given(turns)},
        place=Workplace(str(place), {}),
        sections=(Section("rules", filler("rules", FIXED // 2)),),
        settings=settings,
    )
    stage = Stage(place, "", provider=provider, scene=scene)
    try:
        return await stage.play(*(say(turn.said.text) for turn in turns))
    finally:
        await provider.close()
