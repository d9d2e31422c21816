"""The conversation is rewound to before a turn; each play proves itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from fsm_agent.audit.auditing import Options, audit
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.values import (
    AssistantMessage,
    Economy,
    Message,
    TextBlock,
    ThinkingBlock,
    Usage,
    UserMessage,
)
from fsm_agent.lifecycles.bodies import size_of
from fsm_agent.lifecycles.cuts import context_now
from fsm_agent.lifecycles.replay import check, fold
from fsm_agent.lifecycles.world import World
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.providers.http import HttpProvider
from fsm_agent.runtime.forking import starting_point
from fsm_agent.testing.acting import Crash, prove
from fsm_agent.testing.answers import anthropic, openai
from fsm_agent.testing.replies import Reply
from fsm_agent.testing.server import ModelServer
from fsm_agent.testing.stage import CWD, Scene, Stage, say
from fsm_agent.tools.compressing import compress_tool
from fsm_agent.tools.protocol import Workplace

FIELDS = "Task focus: the port. Progress: three parts are done."
TEXTS = "\n".join(f"---\ntext: Part {n}." for n in range(1, 9))
SCRIPT = f"{TEXTS}\n--- summary\ntext: {FIELDS}"
COMPACT = [i.CompactCommand()]
UNCOMPACT = i.Command(name="uncompact")


def undo(turn: int) -> i.Command:
    return i.Command(name="undo", arguments={"turn": turn, "talk": True})


REDO = i.Command(name="redo", arguments={"talk": True})


def told(first: int, last: int) -> list[list[i.Event]]:
    return [say(f"say {n} " + "word " * 40) for n in range(first, last + 1)]


def world_of(stage: Stage) -> World:
    return fold(read(stage.directory / "events.jsonl"), BlobStore(stage.directory).text)


def said(messages: Sequence[Message]) -> list[str]:
    """The conversation, by the first two words of each message."""
    found = []
    for message in messages:
        match message:
            case UserMessage():
                found.append(" ".join(message.text.split()[:2]))
            case AssistantMessage():
                found.extend(b.text for b in message.blocks if isinstance(b, TextBlock))
            case _:
                found.append("results")
    return found


async def played(home: Path, *acts: Sequence[i.Event]) -> World:
    stage = Stage(home, SCRIPT, economy=Economy(keep="0.5"))
    await stage.play(*acts)
    prove(stage)
    (judged,) = audit([stage.directory], Options(derive=True)).results
    assert judged.findings == []
    kept = (stage.directory / "conversation.jsonl").read_bytes().splitlines()
    world = world_of(stage)
    assert [msgspec.json.decode(raw, type=Message) for raw in kept] == world.messages
    return world


async def test_turns_from_one_on_leave_the_conversation(tmp_path: Path) -> None:
    world = await played(tmp_path, *told(1, 3), [undo(2)], say("say other"))

    assert said(world.messages) == ["say 1", "Part 1.", "say other", "Part 4."]
    assert world.begun == {1: 0, 4: 2}
    assert (world.turns, world.requests) == (4, 4)


async def test_a_turn_that_is_not_there_is_not_rewound_to(tmp_path: Path) -> None:
    world = await played(tmp_path, *told(1, 2), [undo(2)], [undo(2)], [undo(7)], *told(3, 3))

    assert said(world.messages) == ["say 1", "Part 1.", "say 3", "Part 3."]


async def test_what_was_rewound_is_had_back_step_by_step(tmp_path: Path) -> None:
    world = await played(tmp_path, *told(1, 3), [undo(3)], [undo(2)], [REDO], [REDO], [REDO])

    assert said(world.messages)[-2:] == ["say 3", "Part 3."]
    assert world.begun == {1: 0, 2: 2, 3: 4}
    assert world.rewound == {}


async def test_nothing_is_had_back_once_a_turn_has_begun(tmp_path: Path) -> None:
    world = await played(tmp_path, *told(1, 2), [undo(2)], say("say other"), [REDO])

    assert said(world.messages) == ["say 1", "Part 1.", "say other", "Part 3."]


async def test_nothing_is_had_back_into_another_epoch(tmp_path: Path) -> None:
    other = i.Settings(protocol="scripted", model="other", permission="allow")
    world = await played(tmp_path, *told(1, 2), [undo(2)], [other, *say("say 3")], [REDO])

    assert said(world.messages) == ["say 1", "Part 1.", "say 3", "Part 3."]


async def test_a_turn_that_a_cut_kept_is_rewound_to_behind_the_summary(tmp_path: Path) -> None:
    world = await played(tmp_path, *told(1, 4), COMPACT, *told(5, 5), [undo(4)], *told(6, 6))

    assert said(world.messages) == ["say 3", "Part 3.", "say 6", "Part 6."]
    assert [s.tag for s in world.sections][-1] == "context-snapshot"


async def test_a_turn_in_the_summary_is_rewound_to_where_the_cut_is_taken_back(
    tmp_path: Path,
) -> None:
    acts: list[Sequence[i.Event]] = [*told(1, 4), COMPACT, *told(5, 5)]
    world = await played(tmp_path / "a", *acts, [undo(2)])
    assert said(world.messages)[0] == "say 3"

    world = await played(tmp_path / "b", *acts, [UNCOMPACT, undo(2)], *told(6, 6))
    assert said(world.messages) == ["say 1", "Part 1.", "say 6", "Part 6."]
    assert "context-snapshot" not in [s.tag for s in world.sections]


async def test_a_cut_is_taken_back_without_what_was_rewound(tmp_path: Path) -> None:
    world = await played(
        tmp_path, *told(1, 4), COMPACT, *told(5, 5), [undo(4)], *told(6, 6), [UNCOMPACT]
    )

    assert said(world.messages) == [
        *("say 1", "Part 1.", "say 2", "Part 2.", "say 3", "Part 3."),
        *("say 6", "Part 6."),
    ]
    assert world.begun == {1: 0, 2: 2, 3: 4, 6: 6}


async def test_what_was_told_before_the_line_stays(tmp_path: Path) -> None:
    word = [i.UserInject(text="By the way"), *told(2, 2)[0]]
    world = await played(tmp_path, *told(1, 1), word, [undo(2)], *told(3, 3))

    assert said(world.messages) == ["say 1", "Part 1.", "By the", "say 3", "Part 3."]


async def test_a_changed_file_is_told_of_again(tmp_path: Path) -> None:
    seen = i.Seen(what="instructions", path="/p/AGENTS.md", text="Be kind.")
    world = await played(tmp_path, *told(1, 1), [seen, *told(2, 2)[0]], [undo(1)], *told(3, 3))

    assert said(world.messages) == ["The file", "say 3", "Part 3."]


async def test_a_command_has_a_word_to_the_model(tmp_path: Path) -> None:
    note = i.Command(name="undo", arguments={"turn": 1, "note": "a.py is gone"})
    world = await played(tmp_path, *told(1, 1), [note], *told(2, 2))

    assert said(world.messages) == ["say 1", "Part 1.", "a.py is", "say 2", "Part 2."]


async def test_a_turn_that_was_cut_short_is_not_gone_on_with(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "text: One.\n---\ntext: Two\nhang\n---\ntext: Three.")

    def react(line: object) -> Sequence[Sequence[i.Event]]:
        event = getattr(line, "event", None)
        hangs = isinstance(event, d.ReadAnswer) and event.instance == "turn-2"
        return [[i.Interrupt()]] if hangs else ()

    await stage.play(*told(1, 2), [undo(2)], [i.Continue()], react=react)

    prove(stage)
    assert [line.event.what for line in stage.lines if isinstance(line.event, d.Refusal)] == [
        "continue"
    ]
    assert said(world_of(stage).messages) == ["say 1", "One."]


async def test_a_session_is_taken_up_and_forked_as_it_was_rewound(tmp_path: Path) -> None:
    stage = Stage(tmp_path, SCRIPT)

    def dies(line: object) -> None:
        if isinstance(getattr(line, "event", None), i.Command):
            raise Crash

    with pytest.raises(Crash):
        await stage.play(*told(1, 3), [undo(2)], react=dies)
    await stage.resume(*told(4, 4))

    prove(stage)
    assert said(world_of(stage).messages) == ["say 1", "Part 1.", "say 4", "Part 4."]
    log = read(stage.directory / "events.jsonl")
    line = next(x.seq for x in stage.lines[::-1] if isinstance(x.event, i.UserInput))
    point = starting_point(log, BlobStore(stage.directory).text, line)
    assert said(point.left.messages) == ["say 1", "Part 1."]


async def test_the_context_is_smaller_by_what_is_gone(tmp_path: Path) -> None:
    texts = "\n".join(f"---\ntext: Part {n}.\nusage: {n}000 10" for n in range(1, 4))
    stage = Stage(tmp_path, texts)
    await stage.play(*told(1, 3), [undo(2)])

    world = world_of(stage)
    assert world.usage.prompt == 6000
    assert 2500 < context_now(world) < 3000
    prove(stage)


SAYS = {"openai": openai, "anthropic": anthropic}


@pytest.mark.parametrize("protocol", SAYS)
async def test_on_the_wire_what_is_left_is_a_prefix_with_its_reasoning(
    protocol: str, tmp_path: Path
) -> None:
    says, use = SAYS[protocol], Usage(900, 20)
    blocks = [(ThinkingBlock(f"I think {n}."), TextBlock(f"Part {n}.")) for n in range(1, 5)]
    replies = [Reply(says(list(pair), usage=use)) for pair in blocks]
    async with ModelServer(*replies) as server:
        settings = i.Settings(protocol=protocol, model="m", base_url=server.url, effort="high")
        provider = HttpProvider(settings, "key", connect_s=5, idle_s=5, now=lambda: 0.0)
        stage = Stage(
            tmp_path, "", provider=provider, protocol=protocol, model="m", base_url=server.url
        )
        await stage.play(*told(1, 3), [undo(2)], [undo(1)], [REDO], *told(4, 4))
        bodies = [request.body for request in server.requests]

    prove(stage)
    marks = (b',"cache_control":{"type":"ephemeral"}', b"")
    _, second, third, fourth = (body.replace(*marks) for body in bodies)
    asked = [line.event for line in stage.lines if isinstance(line.event, d.SendRequest)]
    assert 0 < asked[3].shared < asked[1].shared + len(second)
    assert fourth[: asked[3].shared] == third[: asked[3].shared] == second[: asked[3].shared]
    assert b"Part 1." in fourth[: asked[3].shared]
    world = world_of(stage)
    assert size_of(world, len(world.messages) - 2) - asked[3].shared < 10
    answers = [m for m in world.messages if isinstance(m, AssistantMessage)]
    assert [isinstance(answer.blocks[0], ThinkingBlock) for answer in answers] == [True, True]


async def test_turns_behind_what_the_model_summed_up_are_rewound_to(tmp_path: Path) -> None:
    asking = {"first_turn": 4, "last_turn": 5, "summary": "Parts 4 and 5 are done."}
    call = f"call: Compress {msgspec.json.encode(asking).decode()}"
    texts = "\n".join(f"---\ntext: Part {n}. {'word ' * 60}" for n in range(1, 9))
    script = f"{texts}\n---\n{call}\n---\ntext: Noted.\n--- summary\ntext: {FIELDS}"
    scene = Scene({"Compress": compress_tool()}, Workplace(root=CWD, environment={}))
    stage = Stage(tmp_path, script, scene=scene, economy=Economy(keep="0.8"))
    await stage.play(*told(1, 8), say("make room"), COMPACT, [undo(4)], [undo(7)])

    prove(stage)
    world = world_of(stage)
    assert list(world.begun) == [6]
    assert said(world.messages)[-3:] == ["[turns 4–5,", "say 6", f"Part 6. {'word ' * 60}".strip()]


async def test_with_other_cuts_a_turn_may_not_be_there_to_be_rewound_to(tmp_path: Path) -> None:
    stage = Stage(tmp_path, SCRIPT, economy=Economy(keep="0.5"))
    await stage.play(*told(1, 4), COMPACT, [undo(3)], *told(5, 5), [undo(5)], [REDO], *told(6, 6))
    batches, blobs = list(read(stage.directory / "events.jsonl")), BlobStore(stage.directory).text

    def narrow(known: i.Settings) -> i.Settings:
        return msgspec.structs.replace(known, economy=Economy(keep="0.1"))

    assert check(batches, blobs, again=lambda: batches).divergences == []
    found = check(batches, blobs, settings=narrow, carry_on=True)
    assert found.batches == len(batches)
    assert "summarise" in found.divergences[0].told()
