"""Cuts of the context: when one is made, what it asks for, what it leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from msgspec.structs import asdict

from fsm_agent.context.cutting import Asked, Cut, decide, is_full
from fsm_agent.context.economy import Facts, may_pay, size
from fsm_agent.context.pruning import (
    PROTECTED,
    Compressed,
    Prune,
    apply,
    behind_summaries,
    compressed,
    prunes,
    turns,
)
from fsm_agent.context.summarising import rounding_off
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.inputs import Event
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Message,
    ResultsMessage,
    UserMessage,
)
from fsm_agent.lifecycles.bodies import summary_of
from fsm_agent.lifecycles.prompts import lasting
from fsm_agent.lifecycles.world import World

MOST_IN_VAIN = 2
"""Cuts that a turn makes by itself without the context becoming smaller."""
UNCOMPACT = "uncompact"


# -- questions -----------------------------------------------------------------------------------


def weighed(world: World, asked: Asked) -> Cut | None:
    """The cut that is made if this is what asks for it."""
    economy, sums = world.settings.economy, world.sums
    facts = Facts(world.turns, *world.asked, world.cutting.cuts, context_now(world))
    if asked == "auto":
        if not economy.automatic or world.turn.stuck >= MOST_IN_VAIN or not sums:
            return None
        if not is_full(facts, economy) and not may_pay(sums, facts, economy):
            return None
    return decide(
        [upto - before for before, upto in zip([0, *sums], sums, strict=False)],
        [_is_line(message) for message in world.messages],
        [isinstance(message, AssistantMessage) for message in world.messages],
        facts,
        economy,
        asked,
    )


def asked_by(world: World) -> Asked:
    """What the compaction is asked for: by the plan, by the turn that waits for it, by a person."""
    match world.at.get("plan"), world.at.get(world.live or ""):
        case "confirming", _:
            return "plan_confirm"
        case "clearing", _:
            return "plan_clear"
        case _, "compact":
            return world.turn.due
        case _:
            return "manual"


def context_now(world: World) -> int:
    """Tokens of the context: as last reported, and what has come since by its size.

    Where nothing was reported, all of it by its size; 0 if nothing was sent yet.
    """
    if not world.context:
        whole = world.settings.economy.fixed + (world.sums[-1] if world.sums else 0)
        return whole if world.requests else 0
    before = world.sums[world.measured - 1] if world.measured else 0
    return world.context + (world.sums[-1] if world.sums else 0) - before


def _is_line(message: Message) -> bool:
    return isinstance(message, UserMessage) and not message.note


# -- what is done and emitted ----------------------------------------------------------------------


def summarise(world: World, name: str) -> d.Activity:
    """The request for the summary. It shares its prefix with the turns' requests."""
    if world.cutting.asked:
        return world.cutting.asked  # once more, just as before
    cut = weighed(world, asked_by(world))
    if cut is None:
        raise AssertionError("a summary is asked for only where something is dropped")
    body = summary_of(world, cut.start, world.cutting.instruction)
    return d.Summarise(
        instance=name,
        protocol=world.settings.protocol,
        model=world.settings.model,
        digest=body.digest,
        bytes=body.size,
        shared=body.size - body.tail,
        why=cut.why,
        strategy=cut.strategy,
        start=cut.start,
        pinned=cut.pinned,
        before=cut.before,
        after=cut.after,
        net=cut.net,
        numbers=asdict(cut.numbers) if cut.numbers else {},
    )


def context_update(world: World, name: str, _: Event) -> Iterator[Event]:
    """The cut, and what is thinned out of the rest now that the prefix breaks anyway."""
    cutting, price = world.cutting, world.settings.economy.price
    asked = cutting.asked
    if asked is None:
        return
    text = world.text(cutting.text)
    yield d.ContextUpdate(
        instance=name,
        strategy=asked.strategy,
        of=cutting.request,
        why=asked.why,
        before=asked.before,
        after=asked.after + size(len(text.encode())),
        kept_from=asked.start,
        pinned=asked.pinned,
        cost=price.cost(cutting.spent) if price and cutting.spent else None,
        net=asked.net,
        numbers=asked.numbers,
    )
    for prune in chain(_compressed(world)[1], _later(lambda: prunes(world.messages))):
        yield d.ContextUpdate(
            instance=name,
            strategy=prune.why,
            call=prune.call,
            before=prune.before,
            after=prune.after,
        )


def _later(found: Callable[[], list[Prune]]) -> Iterator[Prune]:
    """What is found when it is asked for, not before."""
    yield from found()


def _compressed(world: World) -> tuple[list[Message], list[Prune]]:
    """The messages with the model's own summaries in them, and what that saves."""
    results = {
        result.call
        for message in world.messages
        if isinstance(message, ResultsMessage)
        for result in message.results
        if result.ok
    }
    ranges = [
        Compressed(
            int(block.input["first_turn"]),  # the tool takes "4", too
            int(block.input["last_turn"]),
            block.input["summary"],
        )
        for message in world.messages
        if isinstance(message, AssistantMessage)
        for block in message.blocks
        if isinstance(block, CallBlock) and block.name == "Compress" and block.id in results
    ]
    return compressed(world.messages, ranges, world.cutting.lines + 1)


def nudge(world: World) -> str:
    """A word to the model, once between two cuts, when the context is filling up."""
    economy, now = world.settings.economy, context_now(world)
    if world.cutting.nudged or not economy.window or now * 100 <= economy.window * economy.nudge:
        return ""
    here = list(turns(world.messages, world.cutting.lines + 1))
    first, last = next((n for n, _ in here if n), 0), here[-1][1] if here else 0
    if last - first < PROTECTED:
        return ""  # there is nothing yet that it could do about it
    return rounding_off(now * 100 // economy.window, first, last)


# -- the fold ------------------------------------------------------------------------------------


def summarise_asked(world: World, event: d.Summarise, seq: int) -> None:
    """The request is out."""
    cutting = world.cutting
    cutting.request, cutting.asked, cutting.failure, cutting.spent = seq, event, None, None


def transition(world: World, event: d.Transition, _: int) -> None:
    """Somebody asks anew."""
    if event.trigger == "asked":
        cutting = world.cutting
        cutting.asked, cutting.tries, cutting.failure = None, 0, None


def forked(world: World, event: i.SessionFork, _: int) -> None:
    """A fork begins with the summary that was in force."""
    world.cutting.summary = event.summary


def summarised(world: World, event: i.Summarised, _: int) -> None:
    """The summary has come."""
    if world.open.get(event.instance) == event.activity:
        world.cutting.text, world.cutting.tries = event.text, 0
        world.cutting.spent = event.usage


def compact_command(world: World, event: i.CompactCommand, _: int) -> None:
    """A person's word to the summary."""
    world.cutting.instruction = event.instruction


def updated(world: World, event: d.ContextUpdate, _: int) -> None:
    """Messages have gone; what they were is kept until the next cut."""
    if event.of is None:
        _pruned(world, event)
        return
    cutting, old = world.cutting, world.messages
    pinned = [] if event.pinned is None else [old[event.pinned]]
    here = list(turns(old, cutting.lines + 1))
    first = event.kept_from if event.pinned is None else event.pinned
    cutting.lines = max(here[first][0] - 1, 0)
    cutting.before, cutting.former, cutting.summary = old, cutting.summary, cutting.text
    cutting.context, now, cutting.begun = world.context, context_now(world), world.begun
    kept = old[event.kept_from :]
    world.cut([*pinned, *kept], len(kept))
    cutting.kept, cutting.request, cutting.instruction = len(world.messages), None, ""
    cutting.cuts, cutting.nudged = cutting.cuts + 1, False
    if world.context:
        world.context = max(now - event.before + event.after, 1)
    world.measured = len(world.messages)
    world.turn.stuck += 1


def _pruned(world: World, event: d.ContextUpdate) -> None:
    kept, same = world.messages, len(world.messages)
    if event.strategy == "compressed":
        kept, _ = _compressed(world)
        same = behind_summaries(kept)
    elif event.call and event.strategy in ("duplicate", "failed_input"):
        prune = Prune(event.call, event.strategy, event.before, event.after)
        kept = apply(world.messages, [prune])
    world.cut(kept, same)
    world.measured = world.cutting.kept = len(kept)


def uncompact(world: World, event: i.Command, _: int) -> None:
    """The messages before the last cut are back, and the summary before it."""
    cutting = world.cutting
    if event.name != UNCOMPACT or not cutting.before:
        return
    since = world.messages[cutting.kept :]
    world.cut([*cutting.before, *since], len(since))
    world.begun = {**cutting.begun, **world.begun}
    cutting.before, cutting.summary = [], cutting.former
    world.sections = lasting(world, world.sections)
    world.context, world.measured = 0, 0
    world.reshape()


def noticed(world: World, event: d.Notices, _: int) -> None:
    """Once is enough."""
    world.cutting.nudged = world.cutting.nudged or event.nudge


FOLDS: tuple[tuple[type, Callable[[World, Any, int], None]], ...] = (
    (d.Summarise, summarise_asked),
    (d.Transition, transition),
    (d.ContextUpdate, updated),
    (i.SessionFork, forked),
    (i.Summarised, summarised),
    (i.CompactCommand, compact_command),
    (i.Command, uncompact),
    (d.Notices, noticed),
)
"""What each line changes of what is known of cuts."""
