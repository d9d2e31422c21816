"""All rules cost no more than a few times what reading costs at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from fsm_agent.audit import audit
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import GENESIS, decode, encode, seal
from fsm_agent.events.values import Section, Usage
from fsm_agent.lifecycles.step import step
from fsm_agent.lifecycles.world import World, digest

TIMES = 5
"""How many times a bare loop of decoding and hashing; 3.3 where nothing else runs."""
TURNS = 60


def long_log() -> bytes:
    """A session of many turns, each with four steps of two calls: about 7,800 lines."""
    world, raw, previous = World(lambda _: ""), b"", GENESIS

    def give(*group: i.Event) -> None:
        nonlocal raw, previous
        done = step(world, group, "2026-11-30T09:12:44.120Z")
        batch, previous = seal([encode(line) for line in done.lines], previous, digest(world))
        raw += batch

    specs = '[{"name":"Read","description":"","parameters":{}}]'
    give(
        i.SessionStart(v=1, session="s", program="1", semantics=1, tables={}, cwd="/p"),
        i.Settings(protocol="openai", model="m"),
        i.Tools(specs=specs),
        i.PromptRead(sections=(Section("rules", "Be brief."),)),
    )
    for turn in range(1, TURNS + 1):
        name = f"turn-{turn}"
        give(i.UserInput(text="please look at it and mend it"))
        for number in range(4):
            give(i.Opened(instance=name, activity=world.open[name]))
            answer = world.open[name]
            ids = [f"c{turn}_{number}_{n}" for n in (1, 2)]
            calls = [
                i.ToolCall(
                    instance=name, activity=answer, n=n, name="Read", id=id_, input={"n": id_}
                )
                for n, id_ in enumerate(ids)
            ]
            usage = Usage(100, 50, 1000)
            give(*calls, i.Completed(instance=name, activity=answer, stop="tool_use", usage=usage))
            for tool in (f"tool-{turn}.{2 * number + n}" for n in (1, 2)):
                give(i.Finished(instance=tool, activity=world.open[tool], output="a line\n" * 40))
        give(i.Opened(instance=name, activity=world.open[name]))
        answer = world.open[name]
        give(
            i.Text(instance=name, activity=answer, n=0, text="It is done. " * 20),
            i.Completed(instance=name, activity=answer, stop="end_turn"),
        )
    give(i.Leave(reason="done"))
    return raw


def bare(path: Path) -> None:
    """Typed decode of every line, and the chain of hashes."""
    previous, lines = GENESIS, list[bytes]()
    with path.open("rb") as file:
        for raw in file:
            decode(raw)
            lines.append(raw)
            if raw.endswith(b'"}}\n'):
                previous = sha256(previous + b"".join(lines)).digest()
                lines = []


def seconds(do: Callable[[], object]) -> float:
    """The best of five."""
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        do()
        best = min(best, time.process_time() - began)
    return best


def test_all_rules_cost_a_few_times_a_bare_loop(write: Callable[[bytes], Path]) -> None:
    path = write(long_log())
    report = audit([path])
    ratio = seconds(lambda: audit([path])) / seconds(lambda: bare(path))

    assert report.findings == []
    assert report.results[0].lines > 7_000
    assert ratio < TIMES, f"{ratio:.1f} times"
