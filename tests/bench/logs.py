"""Long logs, made by the pure core without a model: `long_log`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import FORMAT, GENESIS, encode, seal
from fsm_agent.events.values import Section, Usage
from fsm_agent.lifecycles.step import SEMANTICS, Step, step
from fsm_agent.lifecycles.world import World, digest

STEPS = 5
"""Requests of a turn; all but the last are answered by two calls."""
TIME = "2026-11-30T09:12:44.120Z"
SPECS = '[{"name":"Read","description":"Read a file.","parameters":{"type":"object"}}]'
USAGE = Usage(input=120, output=60, cache_read=1000)


@cache
def long_log(session: str, cwd: str, lines: int) -> bytes:
    """A session of whole turns, at least so many lines of them."""
    return b"".join(_batches(session, cwd, lines))


def _batches(session: str, cwd: str, lines: int) -> Iterator[bytes]:
    world, previous = World(lambda _: ""), GENESIS

    def give(*group: i.Event) -> tuple[bytes, Step]:
        nonlocal previous
        done = step(world, group, TIME)
        raw, previous = seal([encode(line) for line in done.lines], previous, digest(world))
        return raw, done

    yield give(
        i.SessionStart(
            v=FORMAT, session=session, program="bench", semantics=SEMANTICS, tables={}, cwd=cwd
        ),
        i.Settings(protocol="openai", model="bench", permission="allow"),
        i.Tools(specs=SPECS),
        i.PromptRead(sections=(Section("rules", "Be brief."),)),
    )[0]
    while world.seq < lines:
        yield from _turn(world, give)
    yield give(i.Leave(reason="done"))[0]


def _turn(world: World, give: Callable[..., tuple[bytes, Step]]) -> Iterator[bytes]:
    """A line of the person, and all that follows from it."""
    raw, done = give(i.UserInput(text="Please look at it and mend it."))
    yield raw
    while done.begins:
        for line in done.begins:
            raw, done = give(*_outcome(world, line.seq, line.event))
            yield raw


def _outcome(world: World, seq: int, event: object) -> Iterator[i.Event]:
    match event:
        case d.SendRequest(instance=name):
            yield i.Opened(instance=name, activity=seq)
        case d.ReadAnswer(instance=name) if world.turn.steps < STEPS:
            for n in (0, 1):
                given = {"path": f"src/file_{seq}_{n}.py"}
                yield i.ToolCall(
                    instance=name, activity=seq, n=n, name="Read", id=f"c{seq}_{n}", input=given
                )
            yield i.Completed(instance=name, activity=seq, stop="tool_use", usage=USAGE)
        case d.ReadAnswer(instance=name):
            yield i.Text(instance=name, activity=seq, n=0, text="It is done. " * 20)
            yield i.Completed(instance=name, activity=seq, stop="end_turn", usage=USAGE)
        case d.RunTool(instance=name):
            yield i.Finished(instance=name, activity=seq, output="a line\n" * 40)
        case _:
            raise ValueError(f"nothing begins so: {event}")
