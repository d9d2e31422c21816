"""What a world holds, as text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

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
from fsm_agent.interfaces.terminal.escaping import escape
from fsm_agent.lifecycles.bodies import Bodies
from fsm_agent.lifecycles.projections import stats
from fsm_agent.lifecycles.world import World


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
    """The state of the plan."""
    return f"the plan is in '{world.at.get('plan', world.tables['plan'].initial)}'"


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
