"""What a session costs by estimate, with its cuts or with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec.structs import replace

from fsm_agent.context.cutting import Asked, Cut
from fsm_agent.context.economy import size
from fsm_agent.context.prompt import render
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.lines import Batch, Line
from fsm_agent.events.values import Blob, Usage
from fsm_agent.lifecycles import cuts, prompts
from fsm_agent.lifecycles.replay import Instead, take
from fsm_agent.lifecycles.world import World

BY_ITSELF = frozenset({"benefit", "valve"})
"""What a turn makes a cut for; all others were asked for, and would be with other settings, too."""
_encode = msgspec.json.Encoder().encode


class Bill(msgspec.Struct):
    """Requests, summaries among them, tokens by estimate; micro-dollars, None if not known."""

    requests: int = 0
    summaries: int = 0
    tokens: Usage = Usage()
    cost: int | None = 0


class Reckoning:
    """A session's requests once more, with its own cuts or with those of other settings.

    What was said stays as it was; only cuts are decided again, and failed ones are not made. All
    sizes are estimates, so that two bills can be compared. A prompt is taken to lie in the cache
    until the next cut.
    """

    def __init__(self, blobs: Callable[[Blob], str], settings: Instead | None = None) -> None:
        self.bill = Bill()
        self._world, self._settings = World(blobs), settings
        self._prefix, self._head, self._cached = "", 0, 0

    def take(self, batch: Batch) -> None:
        """The next batch."""
        for line in batch.lines:
            for now in self._instead(line, self._settings) if self._settings else (line,):
                self._take(now)

    # -- what would have been ----------------------------------------------------------------------

    def _instead(self, line: Line, settings: Instead) -> Iterator[Line]:
        """The lines that stand in this one's place."""
        match line.event:
            case i.Settings() as event:
                yield replace(line, event=settings(event))
            case d.SendRequest():
                if not self._world.turn.tries:
                    yield from self._cut(line, "auto")
                yield line
            case d.ContextUpdate(of=int(), why=why) if why not in BY_ITSELF:
                yield from self._cut(line, why)  # type: ignore[arg-type]  # who asked is its name
            case d.ContextUpdate() | d.Summarise() | i.Summarised():
                pass
            case i.PromptRead() if line.kind == "derived":
                yield from self._made(line, prompts.prompt)
            case i.Completed(usage=Usage() as usage) as event:
                estimate = Usage(self._cached, usage.output)
                yield replace(line, event=replace(event, usage=estimate))
            case _:
                yield line

    def _cut(self, line: Line, asked: Asked) -> Iterator[Line]:
        world = self._world
        cut, summary = cuts.weighed(world, asked), world.settings.economy.summary
        if cut is None:
            return
        yield replace(line, event=_request(cut))
        yield replace(line, event=i.Summarised("compaction", line.seq, "abc " * summary))
        yield from self._made(line, cuts.context_update)
        yield from self._made(line, prompts.prompt)

    def _made(self, line: Line, emit: Callable[..., Iterable[Event]]) -> Iterator[Line]:
        for event in emit(self._world, "compaction", line.event):
            yield replace(line, event=event, kind="derived")

    # -- what it costs -----------------------------------------------------------------------------

    def _take(self, line: Line) -> None:
        world, event = self._world, line.event
        match event:
            case d.SendRequest():
                self._pay(world.sums[-1] if world.sums else 0, 0)
                self.bill.requests += 1
            case d.Summarise():
                self._pay(world.sums[event.start - 1], world.settings.economy.instruction)
                self.bill.requests += 1
                self.bill.summaries += 1
            case i.Summarised():
                self._add(Usage(0, size(len(world.text(event.text).encode()))))
            case _:
                pass
        take(world, line)
        if isinstance(event, d.Blocks):
            self._add(Usage(0, world.sums[-1] - (world.sums[-2] if world.sums[1:] else 0)))

    def _pay(self, said: int, asking: int) -> None:
        """A request: head, so many tokens of the conversation, and what is asked behind them."""
        world = self._world
        if world.prefix != self._prefix:
            tools = size(len(_encode(world.tools)))
            head = tools + size(len(render(world.sections, world.text).encode()))
            self._prefix, self._head, self._cached = world.prefix, head, 0
        prompt = self._head + said
        cached = min(self._cached, prompt)
        self._add(Usage(prompt - cached + asking, 0, cached))
        if not asking:
            self._cached = prompt

    def _add(self, usage: Usage) -> None:
        bill, price = self.bill, self._world.settings.economy.price
        bill.tokens += usage
        if bill.cost is not None:
            bill.cost = bill.cost + price.cost(usage) if price else None


def _request(cut: Cut) -> d.Summarise:
    """A request for this cut's summary; nobody will ask for its bytes."""
    return d.Summarise(
        instance="compaction",
        protocol="",
        model="",
        digest="",
        bytes=0,
        shared=0,
        why=cut.why,
        strategy=cut.strategy,
        start=cut.start,
        pinned=cut.pinned,
        before=cut.before,
        after=cut.after,
    )


def bills(batches: Iterable[Batch], blobs: Callable[[Blob], str], other: Instead) -> list[Bill]:
    """What the session cost by estimate: as it was, and with other settings."""
    both = Reckoning(blobs), Reckoning(blobs, other)
    for batch in batches:
        for one in both:
            one.take(batch)
    return [one.bill for one in both]
