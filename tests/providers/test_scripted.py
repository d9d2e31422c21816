"""A scripted model answers by the place in the conversation."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial

import msgspec
import pytest

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Delta
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Failure,
    Message,
    TextBlock,
    ThinkingBlock,
    Usage,
    UserMessage,
)
from fsm_agent.providers.protocol import Stream
from fsm_agent.providers.script import parse
from fsm_agent.providers.scripted import Progress, ScriptedProvider

SETTINGS = Settings(protocol="scripted", model="script")


def asked(answers: int, last: str = "") -> bytes:
    """The body of a request in whose conversation the model has spoken so often."""
    scripted = dialect("scripted")
    said = AssistantMessage((TextBlock("yes"),), "scripted", "script")
    messages: list[Message] = [UserMessage("go")]
    for _ in range(answers):
        messages += [said, UserMessage("on")]
    messages += [UserMessage(last)] if last else []
    encoded = (scripted.message(message, SETTINGS) for message in messages)
    return scripted.head(SETTINGS, "", ()) + b",".join(encoded) + scripted.tail


async def opened(provider: ScriptedProvider, answers: int) -> Stream:
    stream = await provider.open(asked(answers))
    assert not isinstance(stream, Failure), stream
    return stream


async def said(provider: ScriptedProvider, answers: int) -> str:
    """All text and thinking of the answer, and how it ended."""
    return await whole(await opened(provider, answers))


async def whole(stream: Stream) -> str:
    text = "".join([delta.text async for deltas in stream for delta in deltas])
    answer = stream.answer()
    return f"{text} [{answer.stop or (answer.failure and answer.failure.error)}]"


async def refused(provider: ScriptedProvider, answers: int) -> Failure:
    failed = await provider.open(asked(answers))
    assert isinstance(failed, Failure)
    return failed


async def test_an_answer_is_streamed_in_pieces_and_whole_at_its_end() -> None:
    steps = parse('thinking: Hm.\ntext: I will  look.\ncall: Read {"a": "é"}\nusage: 9 3')
    stream = await opened(ScriptedProvider(steps), 0)
    deltas = [delta async for batch in stream for delta in batch]

    assert deltas == [
        Delta("thinking", "Hm."),
        Delta("text", "I", 1),
        Delta("text", " will", 1),
        Delta("text", "  look.", 1),
        Delta("call", "Read"),
        Delta("arguments", '{"a":"é"}', 2),
    ]
    answer = stream.answer()
    assert (answer.stop, answer.failure, answer.usage) == ("tool_use", None, Usage(9, 3))
    assert answer.blocks == (
        ThinkingBlock("Hm."),
        TextBlock("I will  look."),
        CallBlock("Read", "call_1_3", {"a": "é"}),
    )


async def test_the_step_is_the_number_of_answers_in_the_request() -> None:
    provider = ScriptedProvider(parse("text: a\n---\ntext: b\n---\ntext: c"))

    assert [await said(provider, n) for n in (0, 1, 2)] == [
        "a [end_turn]",
        "b [end_turn]",
        "c [end_turn]",
    ]
    assert await said(ScriptedProvider(parse("text: a\n---\ntext: b")), 1) == "b [end_turn]"


async def test_behind_the_last_step_is_a_clear_failure() -> None:
    failed = await refused(ScriptedProvider(parse("text: a")), 1)

    assert failed == Failure("script", "the script has no step 2")


async def test_attempts_are_taken_in_order_and_the_last_one_again() -> None:
    provider = ScriptedProvider(
        parse("error: 429 retry-after=2 slow down\ntext: a\nbroken\ntext: b")
    )
    failed = await refused(provider, 0)

    assert (failed.error, failed.retry, failed.retry_after_ms) == ("rate_limit", True, 2000)
    assert "slow down" in failed.message
    assert await said(provider, 0) == "a [stream_interrupted]"
    assert await said(provider, 0) == "b [end_turn]"
    assert await said(provider, 0) == "b [end_turn]"


async def test_an_error_is_classed_as_a_server_s_would_be() -> None:
    script = "error: 400 code=context_length_exceeded too long\n---\nerror: 401 who are you"
    provider = ScriptedProvider(parse(script))

    assert (await refused(provider, 0)).error == "context_overflow"
    assert (await refused(provider, 1)).error == "auth"


async def test_a_cut_context_goes_on_with_the_next_step() -> None:
    provider = ScriptedProvider(parse("\n---\n".join(f"text: {n}" for n in range(6))))
    provider.progress = lambda: Progress(answers=4, summaries=1)

    assert await said(provider, 1) == "4 [end_turn]"


async def test_a_summary_is_a_step_of_its_own() -> None:
    steps = parse("text: a\n--- summary\ntext: s1\n---\ntext: b\n--- summary\ntext: s2")
    provider = ScriptedProvider(steps)
    answers = []
    for done in range(3):
        provider.progress = partial(Progress, 1, done)
        stream = await provider.open(asked(1, INSTRUCTION))
        assert not isinstance(stream, Failure)
        answers.append(await whole(stream))

    assert answers == ["s1 [end_turn]", "s2 [end_turn]", "s2 [end_turn]"]
    assert await said(provider, 1) == "b [end_turn]"


async def test_a_summary_that_nobody_scripted_says_so() -> None:
    stream = await ScriptedProvider(parse("text: a")).open(asked(1, INSTRUCTION))

    assert not isinstance(stream, Failure)
    assert await whole(stream) == "Task focus: the script says nothing of it. [end_turn]"


@pytest.mark.parametrize(
    ("script", "blocks"),
    [
        ("text: a b\nbroken", (TextBlock("a b", partial=True),)),
        (
            'text: a\ncall: Read {"b": 1}\nbroken',
            (
                TextBlock("a"),
                CallBlock("Read", "call_1_2", {}, malformed='{"b": 1}', partial=True),
            ),
        ),
        ("broken", ()),
    ],
)
async def test_a_break_is_inside_the_last_block(script: str, blocks: Sequence[object]) -> None:
    stream = await opened(ScriptedProvider(parse(script)), 0)
    _ = [batch async for batch in stream]

    answer = stream.answer()
    assert [shape(block) for block in answer.blocks] == [shape(block) for block in blocks]
    assert answer.failure
    assert (answer.failure.error, answer.failure.retry) == ("stream_interrupted", True)


def shape(block: object) -> object:
    """Without the spaces of JSON."""
    if isinstance(block, CallBlock) and block.malformed:
        return msgspec.structs.replace(block, malformed=block.malformed.replace(" ", ""))
    return block


async def test_what_was_said_until_it_was_let_go_is_there() -> None:
    stream = await opened(ScriptedProvider(parse("text: a b\ntext: c\nhang\ntext: d")), 0)
    iterator = aiter(stream)
    await anext(iterator)
    assert stream.answer().blocks == (TextBlock("a", partial=True),)
    await anext(iterator)
    await anext(iterator)

    waiting = asyncio.ensure_future(anext(iterator, None))
    await asyncio.sleep(0.01)
    started = time.monotonic()
    await stream.close()
    assert await waiting is None
    assert time.monotonic() - started < 1
    assert stream.answer().blocks == (TextBlock("a b"), TextBlock("c"))
    assert stream.answer().stop is None


async def test_a_delay_passes() -> None:
    started = time.monotonic()

    assert await said(ScriptedProvider(parse("delay: 0.05\ntext: a")), 0) == "a [end_turn]"
    assert 0.05 <= time.monotonic() - started < 5


async def test_death_can_be_made_harmless() -> None:
    deaths: list[str] = []
    provider = ScriptedProvider(parse("kill\ntext: a"), die=lambda: deaths.append("once"))

    assert await said(provider, 0) == "a [end_turn]"
    assert deaths == ["once"]


def test_death_is_that_of_kill_9() -> None:
    code = """
import asyncio
from fsm_agent.providers.script import parse
from fsm_agent.providers.scripted import ScriptedProvider

async def main():
    stream = await ScriptedProvider(parse("text: a\\nkill")).open(b'{"messages": []}')
    async for batch in stream:
        print(batch[0].text, flush=True)

asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=20, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGKILL, b"a\n", b"")


def test_a_scripted_model_needs_no_http() -> None:
    code = "import sys, fsm_agent.providers.scripted; sys.exit('httpx' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], timeout=20, check=False).returncode == 0
