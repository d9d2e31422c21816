"""Between two cuts a request is the one before and more behind it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.dialects import dialect
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import (
    AssistantMessage,
    Block,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    Section,
    TextBlock,
    ThinkingBlock,
    Usage,
    UserMessage,
)
from fsm_agent.lifecycles.bodies import Bodies, summary_of
from fsm_agent.lifecycles.world import World
from fsm_agent.providers.http import HttpProvider
from fsm_agent.testing.acting import prove
from fsm_agent.testing.answers import anthropic, openai
from fsm_agent.testing.replies import Reply
from fsm_agent.testing.server import ModelServer
from fsm_agent.testing.stage import Stage, say

PROTOCOLS = ("openai", "anthropic")
TEXTS = st.text(max_size=20)


@st.composite
def answers(draw: st.DrawFn, number: int) -> list[Message]:
    """An answer with some calls, and their results."""
    kinds = draw(st.lists(st.sampled_from(["thinking", "text", "call"]), min_size=1, max_size=4))
    blocks: list[Block] = []
    results = []
    for place, kind in enumerate(kinds):
        text = draw(TEXTS)
        match kind:
            case "thinking":
                blocks.append(ThinkingBlock(text))
            case "text":
                blocks.append(TextBlock(text))
            case _:
                call = f"call_{number}_{place}"
                blocks.append(CallBlock("Read", call, {"path": text}))
                results.append(Result(call, "Read", draw(TEXTS), ok=draw(st.booleans())))
    said: list[Message] = [AssistantMessage(tuple(blocks), "openai", "m")]
    return [*said, ResultsMessage(tuple(results))] if results else said


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = []
    for number in range(draw(st.integers(1, 6))):
        messages.append(UserMessage(draw(TEXTS), note=draw(st.booleans())))
        messages += draw(answers(number))
    return messages


def world_of(protocol: str) -> World:
    world = World(lambda _: "")
    world.settings = i.Settings(protocol=protocol, model="m", base_url="http://127.0.0.1:1")
    world.sections = (Section("rules", "Play."),)
    world.reshape()
    return world


def whole(world: World) -> bytes:
    """The body, made at once."""
    form = dialect(world.settings.protocol)
    parts = [form.message(message, world.settings) for message in world.messages]
    head = form.head(world.settings, "<rules>\nPlay.\n</rules>", world.tools)
    return head + b",".join(filter(None, parts)) + form.tail


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=40, deadline=None)
@given(conversation=conversations())
def test_a_body_grows_at_its_end_alone(protocol: str, conversation: list[Message]) -> None:
    world, body = world_of(protocol), Bodies()
    bodies = []
    for message in conversation:
        world.say(message)
        made = body.next(world)
        bodies.append(raw := whole(world))
        assert (made.digest, made.size) == (sha256(raw).hexdigest(), len(raw))

    tail = len(dialect(protocol).tail)
    for one, other in itertools.pairwise(bodies):
        assert other.startswith(one[:-tail])


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=40, deadline=None)
@given(conversation=conversations(), data=st.data())
def test_a_request_for_a_summary_begins_as_the_turns_did(
    protocol: str, conversation: list[Message], data: st.DataObject
) -> None:
    world = world_of(protocol)
    for message in conversation:
        world.say(message)
    count = data.draw(st.integers(0, len(conversation)))
    asking = summary_of(world, count, "")
    rest = world.messages[count:]

    del world.messages[count:]
    before = whole(world)
    world.say(UserMessage(INSTRUCTION, note=True))
    raw = whole(world)

    assert (asking.digest, asking.size) == (sha256(raw).hexdigest(), len(raw))
    tail = len(dialect(protocol).tail)
    assert asking.size - asking.tail == len(before) - tail
    assert raw.startswith(before[:-tail])
    assert rest == conversation[count:]


SAYS: dict[str, Callable[..., Any]] = {"openai": openai, "anthropic": anthropic}


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_on_the_wire_a_summary_shares_all_of_the_prefix(
    protocol: str, tmp_path: Path
) -> None:
    says, use = SAYS[protocol], Usage(900, 20)
    texts = ("One.", "Two.", "Task focus: all.", "Three.", "Four.")
    replies = [Reply(says([TextBlock(text)], usage=use)) for text in texts]
    async with ModelServer(*replies) as server:
        told = i.Settings(protocol=protocol, model="m", base_url=server.url)
        provider = HttpProvider(told, "key", connect_s=5, idle_s=5, now=lambda: 0.0)
        stage = Stage(
            tmp_path, "", provider=provider, protocol=protocol, model="m", base_url=server.url
        )
        lines = [say(f"part {n} " + "word " * 50) for n in range(1, 5)]
        await stage.play(*lines[:2], [i.CompactCommand()], *lines[2:])
        bodies = [request.body for request in server.requests]

    prove(stage)
    marks = (b',"cache_control":{"type":"ephemeral"}', b"")
    first, second, summary, third, fourth = (body.replace(*marks) for body in bodies)
    tail = len(dialect(protocol).tail)
    assert second.startswith(first[:-tail])
    assert fourth.startswith(third[:-tail])
    assert b"context-snapshot" in third
    (asked,) = (line.event for line in stage.lines if isinstance(line.event, d.Summarise))
    assert asked.digest == sha256(summary).hexdigest()
    assert second.startswith(summary[: asked.shared])
    assert INSTRUCTION[:40].encode() in summary[asked.shared :]
