"""A model that does what a script says, for demonstrations and tests."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from fsm_agent.context.summarising import INSTRUCTION
from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.values import Block, CallBlock, Failure, TextBlock, ThinkingBlock
from fsm_agent.providers.protocol import Stream
from fsm_agent.providers.script import Attempt, Kill, Pause, Rejection, Step, parse

_LOST = Failure("stream_interrupted", "the answer broke off before its end", retry=True)
_EMPTY = Failure("empty_answer", "the answer is empty", retry=True)
SUMMARY = "summary"
"""The title of steps that answer requests for a summary."""
_UNSCRIPTED = parse("text: Task focus: the script says nothing of it.")[0]
_WORDS = re.compile(r"\s*\S+|\s+")


class _Message(msgspec.Struct):
    role: str
    content: Any = None


class _Body(msgspec.Struct):
    messages: list[_Message]


_body = msgspec.json.Decoder(_Body).decode


class Progress(NamedTuple):
    """How many answers a session has had so far, those cut away too, and how many summaries."""

    answers: int
    summaries: int


def kill_this_process() -> None:
    """End the process as `kill -9` does: nothing is written, closed or said."""
    os.kill(os.getpid(), signal.SIGKILL)


class ScriptedProvider:
    """A model that answers from a script.

    Requests are in the Chat Completions protocol. The step is the number of answers so far: so a
    retry gets the same step, its next attempt, and a session that is taken up again by another
    process goes on where it stood (with the first attempt of that step). A request for a summary
    gets the next of the steps that are called `summary`, or one that says nothing.

    Args:
        steps: From `script.load` or `script.parse`.
        die: What `kill` does; a process that takes up a killed session passes something harmless.

    Attributes:
        progress: Tells where the session is; without it, the request's own answers are counted.
    """

    def __init__(
        self, steps: Sequence[Step], *, die: Callable[[], None] = kill_this_process
    ) -> None:
        self._steps = [step for step in steps if step.title != SUMMARY]
        self._summaries = [step for step in steps if step.title == SUMMARY] or [_UNSCRIPTED]
        self._die = die
        self._given: Counter[tuple[bool, int]] = Counter()  # attempts, by step
        self.progress: Callable[[], Progress] | None = None

    async def open(self, body: bytes) -> Stream | Failure:
        """Take the next attempt of the step that the request is at."""
        messages = _body(body).messages
        summary = bool(messages) and str(messages[-1].content).startswith(INSTRUCTION)
        place = self._place(messages)
        number = place.summaries if summary else place.answers
        steps = self._summaries if summary else self._steps
        if summary:
            number = min(number, len(steps) - 1)
        if number >= len(steps):
            return Failure("script", f"the script has no step {number + 1}")
        attempts = steps[number].attempts
        attempt = attempts[min(self._given[summary, number], len(attempts) - 1)]
        self._given[summary, number] += 1
        if isinstance(attempt.end, Rejection):
            return _failure(attempt.end)
        return _ScriptedStream(attempt, number + 1, self._die)

    async def close(self) -> None:
        """Nothing is held."""

    def _place(self, messages: Sequence[_Message]) -> Progress:
        if self.progress:
            return self.progress()
        return Progress(sum(message.role == "assistant" for message in messages), 0)


class _ScriptedStream:
    """An attempt, given word by word."""

    def __init__(self, attempt: Attempt, number: int, die: Callable[[], None]) -> None:
        self.status = 200
        self.request_id: str | None = None
        self._attempt, self._number, self._die = attempt, number, die
        self._blocks: list[Block] = []
        self._over = False
        self._released = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[Sequence[Delta]]:
        for item in self._attempt.items:
            match item:
                case Pause(seconds):
                    await self._rest(seconds)
                case Kill():
                    self._die()
                case _:
                    for delta in self._say(item):
                        yield (delta,)
                        await asyncio.sleep(0)
                        if self._released.is_set():
                            return
            if self._released.is_set():
                return
        self._over = True

    def answer(self) -> Answer:
        """What was said until now; whole if the script says so and all of it was."""
        end, blocks = self._attempt.end, tuple(self._blocks)
        if self._over and isinstance(end, str) and end != "broken":
            if end == "end_turn" and not any(_says(block) for block in blocks):
                return Answer(blocks, usage=self._attempt.usage, failure=_EMPTY)
            return Answer(blocks, stop=end, usage=self._attempt.usage)
        if self._over and blocks:
            blocks = (*blocks[:-1], _cut(blocks[-1], _text(blocks[-1])))
        return Answer(blocks, usage=self._attempt.usage if self._over else None, failure=_LOST)

    async def close(self) -> None:
        """Let go: a pause ends, and so does the iteration."""
        self._released.set()

    def _say(self, block: Block) -> Iterator[Delta]:
        """The block's deltas; what was said of it is its partial form until all of it was."""
        if isinstance(block, CallBlock):
            place = len(self._blocks) + 1
            block = msgspec.structs.replace(block, id=f"call_{self._number}_{place}")
        said = ""
        self._blocks.append(_cut(block, said))
        if isinstance(block, CallBlock):
            yield Delta("call", block.name)
        for word in _WORDS.findall(_text(block)):
            said += word
            self._blocks[-1] = _cut(block, said)
            yield Delta(_KINDS[type(block)], word, len(self._blocks) - 1)
        self._blocks[-1] = block

    async def _rest(self, seconds: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._released.wait()


_KINDS: Mapping[type[Block], Literal["thinking", "text", "arguments"]] = {
    ThinkingBlock: "thinking",
    TextBlock: "text",
    CallBlock: "arguments",
}


def _text(block: Block) -> str:
    """What the wire would carry of it, in pieces."""
    if isinstance(block, CallBlock):
        return msgspec.json.encode(block.input).decode()
    return block.text


def _says(block: Block) -> bool:
    return not isinstance(block, ThinkingBlock) and bool(_text(block).strip())


def _cut(block: Block, said: str) -> Block:
    """The block as it is when only so much of it came."""
    if isinstance(block, CallBlock):
        return msgspec.structs.replace(block, input={}, malformed=said, partial=True)
    return msgspec.structs.replace(block, text=said, partial=True)


def _failure(rejection: Rejection) -> Failure:
    """Classed as a server's refusal would be."""
    headers = {} if rejection.retry_after is None else {"retry-after": rejection.retry_after}
    error = {"message": rejection.message, "code": rejection.code}
    body = msgspec.json.encode({"error": error})
    return dialect("openai").failure(rejection.status, headers, body, now=0.0)
