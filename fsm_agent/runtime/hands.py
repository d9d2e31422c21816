"""Performs activities; what one holds belongs to its instance."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.events.values import (
    INLINE_LIMIT,
    Blob,
    BlobText,
    Failure,
    FileChange,
)
from fsm_agent.lifecycles.asks import verdict_on
from fsm_agent.lifecycles.bodies import marked_summary_of
from fsm_agent.lifecycles.world import World
from fsm_agent.policy.grants import EDITS, SCOPES
from fsm_agent.policy.reaching import reach
from fsm_agent.providers.protocol import Provider, Stream
from fsm_agent.runtime.answering import answer_lines, block_lines, summary_line
from fsm_agent.runtime.redaction import Redactor
from fsm_agent.tools.protocol import Running, Tool, Workplace

Give = Callable[[Sequence[i.Event]], None]
"""Hand an input to the loop; never blocks."""


class Asker(Protocol):
    """Somebody who can be asked, one question at a time. Cancelling takes the question back."""

    async def ask(self, call: i.ToolCall, reason: str) -> tuple[str, str]:
        """Answer `yes`, `command`, `edits` or `no`, and a word to the model (maybe empty)."""


class Blobs(Protocol):
    """Where bytes go that are too long for a line."""

    def put(self, data: bytes) -> Blob:
        """Keep the bytes, on disk before this returns."""


class Hands:
    """Begins activities of a world; each gives its outcome, or is stopped by another."""

    def __init__(  # noqa: PLR0913 - each is one edge that acting touches
        self,
        world: World,
        give: Give,
        *,
        provider: Provider,
        tools: Mapping[str, Tool],
        place: Workplace,
        blobs: Blobs,
        redactor: Redactor | None = None,
        now: Callable[[], float],
        asker: Asker | None = None,
        show: Callable[[str, Sequence[Delta]], None] = lambda _, __: None,
    ) -> None:
        self._world, self._give, self._show = world, give, show
        self._provider, self._tools, self._place = provider, tools, place
        self._blobs, self._asker, self._now = blobs, asker, now
        self._redactor = redactor or Redactor({})
        self._streams: dict[str, Stream] = {}
        self._running: dict[str, asyncio.Task[Running]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._asking = asyncio.Lock()

    def begin(self, line: Line) -> Coroutine[Any, Any, None]:  # noqa: PLR0911 - one a kind
        """The activity of this line, ready to run; what it needs of the world is taken now."""
        event, seq = line.event, line.seq
        match event:
            case d.SendRequest():
                return self._send(event, seq, b"".join(self._world.body.marked(self._world)))
            case d.Summarise():
                instruction = self._world.cutting.instruction
                pieces = marked_summary_of(self._world, event.start, instruction)
                return self._summarise(event, seq, b"".join(pieces))
            case d.ReadAnswer():
                return self._read(event, seq, self._streams[event.instance])
            case d.StopAnswer():
                return self._stop_answer(event, seq, self._streams.pop(event.instance))
            case d.Sleep():
                return self._sleep(event, seq)
            case d.RunTool():
                call = self._world.turn.calls[event.instance].line
                start = self._tools[call.name].start(call.input, self._place)
                task = asyncio.get_running_loop().create_task(start)
                self._running[event.instance] = task
                return self._run_tool(event, seq, task)
            case d.StopTool():
                return self._stop_tool(event, seq, self._running.pop(event.instance))
            case d.AskUser():
                return self._ask(event, seq, self._world.turn.calls[event.instance].line)
            case _:
                raise TypeError(f"nothing performs {event}")

    def release(self, instance: str) -> None:
        """Close an answer that began too late for anyone to read it."""
        if stream := self._streams.pop(instance, None):
            task = asyncio.get_running_loop().create_task(stream.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Let go of all that is held: streams closed, tools stopped."""
        while self._streams:
            await self._streams.popitem()[1].close()
        while self._running:
            start = self._running.popitem()[1]
            with contextlib.suppress(Exception):  # a tool's fault does not save the others
                await (await start).stop()
        await self._provider.close()

    # -- the model ---------------------------------------------------------------------------

    async def _send(self, event: d.SendRequest, seq: int, body: bytes) -> None:
        begun = await self._provider.open(body)
        if isinstance(begun, Failure):
            self._give([i.Rejected(instance=event.instance, activity=seq, failure=begun)])
            return
        self._streams[event.instance] = begun
        self._give(
            [
                i.Opened(
                    instance=event.instance,
                    activity=seq,
                    status=begun.status,
                    request_id=begun.request_id,
                )
            ]
        )

    async def _read(self, event: d.ReadAnswer, seq: int, stream: Stream) -> None:
        async for deltas in stream:
            self._show(event.instance, deltas)
        if self._streams.get(event.instance) is stream:  # else it is being stopped elsewhere
            del self._streams[event.instance]
            self._give(answer_lines(event.instance, seq, stream.answer()))
            await stream.close()

    async def _stop_answer(self, event: d.StopAnswer, seq: int, stream: Stream) -> None:
        await stream.close()
        answer = stream.answer()
        lines = block_lines(event.instance, seq, answer.blocks)
        self._give([*lines, i.Stopped(instance=event.instance, activity=seq, usage=answer.usage)])

    async def _summarise(self, event: d.Summarise, seq: int, body: bytes) -> None:
        begun = await self._provider.open(body)
        if isinstance(begun, Failure):
            failed = i.Rejected(instance=event.instance, activity=seq, failure=begun)
            self._give([failed])
            return
        try:
            async for _ in begun:  # nobody watches a summary being written
                pass
        finally:
            await begun.close()
        self._give([summary_line(event, seq, begun.answer(), self._text)])

    async def _sleep(self, event: d.Sleep, seq: int) -> None:
        await asyncio.sleep(event.ms / 1000)
        self._give([i.Waited(instance=event.instance, activity=seq)])

    # -- tools -------------------------------------------------------------------------------

    async def _run_tool(self, event: d.RunTool, seq: int, start: asyncio.Task[Running]) -> None:
        began = self._now()
        try:
            outcome = await (await start).wait()
        except Exception as fault:  # noqa: BLE001 - one bad tool does not end the session
            outcome = ToolOutcome(
                f"Error: the tool failed: {type(fault).__name__}: {fault}", ok=False
            )
        if self._running.get(event.instance) is not start:
            return
        del self._running[event.instance]
        self._give(
            [
                i.Finished(
                    instance=event.instance,
                    activity=seq,
                    output=self._text(outcome.output),
                    ok=outcome.ok,
                    display=outcome.display,
                    changes=self._changes(outcome.changes),
                    ms=max(0, round((self._now() - began) * 1000)),
                )
            ]
        )

    async def _stop_tool(self, event: d.StopTool, seq: int, start: asyncio.Task[Running]) -> None:
        outcome: ToolOutcome = await (await start).stop()
        self._give(
            [
                i.Stopped(
                    instance=event.instance,
                    activity=seq,
                    output=self._text(outcome.output),
                    changes=self._changes(outcome.changes),
                )
            ]
        )

    def _yes(self, instance: str, seq: int, scope: i.Scope, call: i.ToolCall) -> i.Approved:
        command = call.input.get("command")
        kind = None
        if scope == "command" and isinstance(command, str):
            kind = reach(command, self._world.cwd)
        return i.Approved(instance=instance, activity=seq, scope=scope, reach=kind)

    def _text(self, text: str) -> BlobText:
        raw = self._redactor.data(text.encode())
        return raw.decode() if len(raw) <= INLINE_LIMIT else self._blobs.put(raw)

    def _changes(self, changes: Sequence[Change]) -> tuple[FileChange, ...]:
        def kept(data: bytes | None) -> Blob | None:
            return None if data is None else self._blobs.put(data)

        return tuple(FileChange(c.path, kept(c.before), kept(c.after)) for c in changes)

    async def _ask(self, event: d.AskUser, seq: int, call: i.ToolCall) -> None:
        async with self._asking:  # the loop takes an answer before the next one comes here
            answer, word = self._answered(event.instance, call), ""
            if not answer and self._asker:
                answer, word = await self._asker.ask(call, event.reason)
            outcome: i.Event
            if answer in SCOPES:
                outcome = self._yes(event.instance, seq, SCOPES[answer], call)
            else:
                word = word if self._asker else "nobody can be asked here"
                outcome = i.Declined(instance=event.instance, activity=seq, word=word)
            self._give([outcome])

    def _answered(self, instance: str, call: i.ToolCall) -> str:
        """The yes that has been given while this question waited for its turn; else nothing."""
        if verdict_on(self._world, instance).action != "run":
            return ""
        if not self._world.grants.cover(call, self._world.cwd):
            return "yes"
        return "edits" if call.name in EDITS else "command"
