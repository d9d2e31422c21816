"""Conversation and figures as files beside the log."""

from __future__ import annotations

import msgspec

from fsm_agent.events.derived import SessionEnd, Transition
from fsm_agent.events.lines import Line
from fsm_agent.events.values import Message
from fsm_agent.lifecycles.world import World

_encode = msgspec.json.Encoder().encode


def conversation(messages: list[Message]) -> bytes:
    """Lines of `conversation.jsonl`: one neutral message each."""
    return b"".join(_encode(message) + b"\n" for message in messages)


def stats(world: World) -> bytes:
    """`stats.json`: counts, tokens and cost of the whole session; the time is the log's.

    The cost is null as long as that of any answer is not known.
    """
    figures = {
        "current_turn_count": world.turns,
        "agent_request_count": world.requests,
        "total_input_tokens": world.usage.input,
        "total_output_tokens": world.usage.output,
        "total_reasoning_tokens": world.usage.reasoning,
        "total_cache_read_tokens": world.usage.cache_read,
        "total_cache_creation_tokens": world.usage.cache_write,
        "current_context_tokens": world.context,
        "total_cost_microdollars": None if world.unpriced else world.cost,
        "unpriced_answer_count": world.unpriced,
        "last_updated": world.time,
    }
    return msgspec.json.format(_encode(figures), indent=2) + b"\n"


def closes(line: Line) -> bool:
    """Whether a turn, or the run, ends with this line: `stats.json` is written then."""
    event = line.event
    rests = isinstance(event, Transition) and (event.instance, event.target) == ("session", "idle")
    return rests or isinstance(event, SessionEnd)
