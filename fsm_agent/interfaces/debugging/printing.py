"""What a world holds, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec
from msgspec.structs import asdict

from fsm_agent.context.cutting import Asked
from fsm_agent.context.prompt import render
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Message,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    UserMessage,
)
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.cuts import context_now, weighed
from fsm_agent.lifecycles.projections import stats
from fsm_agent.lifecycles.world import World, sha256


def conversation(world: World) -> str:
    """What was said so far, each message under its role."""
    return "\n".join(map(message, world.messages)) or "nothing has been said"


def message(said: Message) -> str:
    """One message as text."""
    return escape("\n".join(_parts(said)))


def _parts(said: Message) -> Iterator[str]:
    match said:
        case UserMessage():
            yield f"[{'note' if said.note else 'user'}]\n{said.text}"
        case ResultsMessage():
            for result in said.results:
                failed = "" if result.ok else " failed"
                yield f"[result of {result.name} {result.call}{failed}]\n{result.content}"
        case AssistantMessage():
            for block in said.blocks:
                yield _block(block)


def _block(block: ThinkingBlock | TextBlock | CallBlock) -> str:
    cut = " cut off" if block.partial else ""
    match block:
        case ThinkingBlock():
            return f"[thinking{cut}]\n{block.text}"
        case TextBlock():
            return f"[answer{cut}]\n{block.text}"
        case CallBlock():
            given = block.malformed or msgspec.json.encode(block.input).decode()
            return f"[call {block.name} {block.id}{cut}]\n{given}"


def states(world: World) -> str:
    """The state of every instance, and the seq of the activity that is open for it."""
    return "\n".join(
        f"{name:12} {state}" + (f"  (does {world.open[name]})" if name in world.open else "")
        for name, state in sorted(world.at.items())
    )


def plan(world: World) -> str:
    """The state of the plan, and the texts of draft and plan."""
    plans = world.plans
    lines = [f"the plan is in '{world.at.get('plan', world.tables['plan'].initial)}'"]
    for name, text in (("draft", plans.draft), ("plan in force", plans.plan)):
        if world.text(text).strip():
            lines.append(f"[{name}, sha256 {sha256(text)[:16]}]\n{world.text(text)}")
    if plans.draft:
        spoken = "has" if plans.spoke > plans.drafted else "has not"
        lines.append(f"a person {spoken} answered the draft as it is")
    return escape("\n".join(lines))


def economy(world: World) -> str:
    """What is known of the context, and which cut each reason for one would make here."""
    weights, cutting = world.settings.economy, world.cutting
    requests, tokens = world.asked
    now, said = context_now(world), world.sums[-1] if world.sums else 0
    window = f"{weights.window:,} tokens" if weights.window else "unknown"
    lines = [
        f"context: {now:,} tokens, {world.context:,} of them as reported; window: {window}",
        f"messages: {len(world.messages)}, {said:,} tokens by their size",
        f"so far: {cutting.cuts} cuts, {requests} requests of {tokens:,} tokens, {world.turns} turns",
        f"cuts are made {'where they pay' if weights.automatic else 'when asked for only'}",
    ]
    return "\n".join([*lines, *(f"{asked:13}{_cut(world, asked)}" for asked in get_args(Asked))])


def _cut(world: World, asked: Asked) -> str:
    cut = weighed(world, asked)
    if cut is None:
        return "nothing is cut"
    stays = "" if cut.pinned is None else f", but for message {cut.pinned}"
    words = (
        f"{cut.why}: messages before {cut.start} go{stays}: {cut.before:,} → {cut.after:,} tokens"
    )
    if cut.net is not None:
        words += f", saves {cut.net:,} micro-dollars"
    if cut.numbers is not None:
        figures = asdict(cut.numbers).items()
        words += f" ({' '.join(f'{name}={value}' for name, value in figures)})"
    return words


def figures(world: World) -> str:
    """`stats.json` as it would be here."""
    return stats(world).decode().rstrip("\n")


def prompt(world: World) -> str:
    """The system prompt, and the names of the tools.

    Raises:
        DamagedLog: If a blob is missing.
    """
    names = ", ".join(tool.name for tool in world.tools) or "none"
    return escape(f"{render(world.sections, world.text)}\n\ntools: {names}")


def body(world: World) -> str:
    """The body of a request sent here, as it goes out; before it, its digest and size.

    Cache marks are in it; digest and size leave them out, as in the log.

    Raises:
        UsageError: If nothing has said yet which model is asked.
        DamagedLog: If a blob is missing.
    """
    bodies = Bodies()
    whole = bodies.next(world)
    head = f"sha256 {whole.digest}, {whole.size} bytes"
    body = b"".join(bodies.marked(world)).decode()
    return f"{head}\n{escape(body)}"
