"""A session as a trajectory: ATIF, version 1.7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from fsm_agent.events.values import Usage
from fsm_agent.interfaces.exporting.transcript import Answer, Call, News, Said, Transcript, Turn

SCHEMA = "ATIF-v1.7"
LEAVES_OUT = frozenset({"permission", "run_tool", "transition", "stop"})
"""What the format has no place for: who allowed a call, when it ran, how a turn ended."""


def atif(transcript: Transcript) -> bytes:
    """`trajectory.json`: a step for each line of the person, news, and answer with its results."""
    steps = [{"step_id": number, **step} for number, step in enumerate(_steps(transcript), 1)]
    made = {
        "schema_version": SCHEMA,
        "session_id": transcript.session,
        "agent": {
            "name": "fsm-agent",
            "version": transcript.program,
            "model_name": transcript.model,
        },
        "steps": steps,
        "final_metrics": {**_totals(transcript.usage), "total_steps": len(steps)},
    }
    return msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n"


def _steps(told: Transcript) -> Iterator[dict[str, Any]]:
    for part in told.parts:
        if isinstance(part, News):
            yield _step(part, "system", part.text)
            continue
        for inner in part.parts:
            match inner:
                case Said():
                    yield _step(inner, "user", inner.text)
                case News():
                    yield _step(inner, "system", inner.text)
                case Answer() if inner.parts:
                    yield _answer(inner)
                case Answer():  # nothing came: the news behind it says so
                    pass


def _step(part: Said | News | Answer | Turn, source: str, message: str) -> dict[str, Any]:
    return {"timestamp": part.time, "source": source, "message": message}


def _answer(answer: Answer) -> dict[str, Any]:
    step = {**_step(answer, "agent", answer.text), "model_name": answer.model}
    if answer.thinking:
        step["reasoning_content"] = answer.thinking
    if calls := answer.calls:
        step["tool_calls"] = [_call(call) for call in calls]
        step["observation"] = {
            "results": [{"source_call_id": call.id, "content": call.content} for call in calls]
        }
    if answer.usage:
        step["metrics"] = {
            "prompt_tokens": answer.usage.prompt,
            "completion_tokens": answer.usage.output,
            "cached_tokens": answer.usage.cache_read,
        }
    return step


def _call(call: Call) -> dict[str, Any]:
    arguments = call.input if call.malformed is None else {"malformed": call.malformed}
    return {"tool_call_id": call.id, "function_name": call.name, "arguments": arguments}


def _totals(usage: Usage) -> dict[str, int]:
    return {
        "total_prompt_tokens": usage.prompt,
        "total_completion_tokens": usage.output,
        "total_cached_tokens": usage.cache_read,
    }
