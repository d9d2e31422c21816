"""The wire's cases come out as their sidecars say, however cut."""

from __future__ import annotations

import contextlib
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Answer
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    CallBlock,
    Failure,
    TextBlock,
    ThinkingBlock,
    Usage,
)

HERE = Path(__file__).parent
PROTOCOLS = {"openai_chat": "openai", "anthropic_messages": "anthropic"}
CASES = {p.stem: p for p in sorted(HERE.glob("wire/*/*.json"))}
STREAMS = {n: p for n, p in CASES.items() if not n.startswith("http_")}
BOM = b"\xef\xbb\xbf"

Read = Callable[..., Answer]


def case(path: Path) -> tuple[str, str, bytes, dict[str, Any]]:
    sidecar = json.loads(path.read_bytes())
    vendor = sidecar["provider"].partition("/")[0]
    data = path.with_suffix(".sse").read_bytes()
    return PROTOCOLS[sidecar["protocol"]], vendor, data, sidecar


def as_expected(answer: Answer) -> dict[str, Any]:
    calls = [b for b in answer.blocks if isinstance(b, CallBlock)]
    failure = answer.failure
    return {
        "text": "".join(b.text for b in answer.blocks if isinstance(b, TextBlock)),
        "thinking": "".join(b.text for b in answer.blocks if isinstance(b, ThinkingBlock)),
        "tool_calls": [
            {"id": c.id, "name": c.name, "arguments": c.input} for c in calls if not c.partial
        ],
        "incomplete_tool_calls": [
            {"id": c.id, "name": c.name, "arguments_raw": c.malformed} for c in calls if c.partial
        ],
        "stop": answer.stop or ("interrupted" if failure and "_int" in failure.error else "error"),
        "usage": answer.usage,
        "error": failure and (failure.error, failure.retry, failure.code),
    }


def wanted(sidecar: dict[str, Any]) -> dict[str, Any]:
    expected = {"incomplete_tool_calls": [], **sidecar["expected"]}
    usage, error = expected["usage"], expected["error"]
    expected["usage"] = usage and Usage(**usage)
    expected["error"] = error and (error["class"], error["retry"], error["code"])
    return {name: expected[name] for name in as_expected(Answer(()))}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("sizes", [1 << 30, 1, 2, 3, 7, 64])
def test_a_stream_comes_out_as_its_sidecar_says(read: Read, name: str, sizes: int) -> None:
    protocol, vendor, data, sidecar = case(STREAMS[name])
    for form in (data, data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r"), BOM + data):
        answer = read(protocol, form, sizes=sizes, vendor=vendor)
        assert as_expected(answer) == wanted(sidecar)


@given(st.sampled_from(sorted(STREAMS)), st.lists(st.integers(1, 400), min_size=1, max_size=9))
@settings(max_examples=60)
def test_any_chunking_gives_the_same_answer(read: Read, name: str, sizes: list[int]) -> None:
    protocol, vendor, data, _ = case(STREAMS[name])
    whole = read(protocol, data, vendor=vendor)
    assert read(protocol, data, sizes=sizes, vendor=vendor) == whole


def bent(value: Any, chance: random.Random) -> Any:
    """The value with some parts left out and some replaced by what nobody expects."""
    if chance.random() < 0.03:
        return chance.choice(
            [
                None,
                -1,
                1.5,
                "",
                "\ud83d",
                [],
                {},
                [None],
                {"a": [{}]},
                10**30,
                True,
                math.inf,
                5e300,
            ]
        )
    if isinstance(value, dict):
        return {k: bent(v, chance) for k, v in value.items() if chance.random() > 0.02}
    return [bent(v, chance) for v in value] if isinstance(value, list) else value


@given(st.sampled_from(sorted(STREAMS)), st.randoms(use_true_random=False))
def test_no_answer_breaks_the_decoder_or_the_next_request(
    read: Read, name: str, chance: random.Random
) -> None:
    protocol, vendor, data, _ = case(STREAMS[name])
    events = []
    for event in data.split(b"\n\n"):
        head, brace, rest = event.partition(b"{")
        with contextlib.suppress(ValueError):
            rest = json.dumps(bent(json.loads(brace + rest), chance)).encode()[1:]
        events.append(head + brace + rest)
    answer = read(protocol, b"\n\n".join(events), vendor=vendor)
    assert (answer.stop is None) != (answer.failure is None)
    assert b"\n" not in msgspec.json.encode(answer)
    given = Settings(protocol=protocol, model="m", vendor=vendor)
    sent = dialect(protocol).message(AssistantMessage(answer.blocks, protocol, "m"), given)
    assert not sent or json.loads(sent)["role"] == "assistant"


@pytest.mark.parametrize("name", [n for n, p in STREAMS.items() if '"class"' in p.read_text()])
def test_an_error_in_a_stream_says_what_it_is(read: Read, name: str) -> None:
    protocol, vendor, data, sidecar = case(STREAMS[name])
    answer, error = read(protocol, data, vendor=vendor), sidecar["expected"]["error"]
    assert answer.failure is not None
    assert error["message_contains"] in answer.failure.message
    assert any(b.partial for b in answer.blocks) == error["partial"]


@pytest.mark.parametrize("name", sorted(set(CASES) - set(STREAMS)))
def test_a_rejection_comes_out_as_its_sidecar_says(name: str) -> None:
    protocol, _, body, sidecar = case(CASES[name])
    now = sidecar["expected"].get("options", {}).get("now_epoch_ms", 0) / 1000
    http, error = sidecar["http"], sidecar["expected"]["error"]
    failure = dialect(protocol).failure(http["status"], http["headers"], body, now)
    assert (failure.error, failure.retry, failure.code) == (
        error["class"],
        error["retry"],
        error["code"],
    )
    assert error["message_contains"] in failure.message
    assert str(http["status"]) in failure.message
    assert failure.retry_after_ms is error["retry_after_s"] is None


@pytest.mark.parametrize(
    "name", [n for n, p in STREAMS.items() if "echo" in json.loads(p.read_bytes())["expected"]]
)
def test_what_must_go_back_goes_back(read: Read, name: str) -> None:
    protocol, vendor, data, sidecar = case(STREAMS[name])
    answer = read(protocol, data, vendor=vendor)
    given = Settings(protocol=protocol, model="m", vendor=vendor)
    body = dialect(protocol).message(AssistantMessage(answer.blocks, protocol, "m"), given)
    sent = json.loads(body)
    for field, value in sidecar["expected"]["echo"].items():
        assert sent[field] == value
    for block in answer.blocks:
        if isinstance(block, ThinkingBlock):
            assert bytes(block.native) in body


RECORDED: dict[str, tuple[str | None, str | None, list[str]]] = {
    "anthropic-auth-ok": ("max_tokens", None, ["text"]),
    "anthropic-count-tokens": (None, "server_error", []),
    "anthropic-error-400": ("max_tokens", None, ["text"]),
    "anthropic-parallel-tools": ("tool_use", None, ["Read", "Read"]),
    "anthropic-text": ("max_tokens", None, ["text"]),
    "anthropic-text-nostream": ("max_tokens", None, ["text"]),
    "anthropic-thinking": ("end_turn", None, ["thinking", "text"]),
    "anthropic-thinking-tool": ("tool_use", None, ["thinking", "Read"]),
    "anthropic-tool": ("tool_use", None, ["Read"]),
    "anthropic-tool-truncated": ("max_tokens", None, ["Write, cut"]),
    "openai-chat-context-midstream": ("max_tokens", None, ["text"]),
    "openai-chat-parallel-tools": ("tool_use", None, ["Read", "Read"]),
    "openai-chat-ping": (None, "empty_answer", []),
    "openai-chat-server-killed": (None, "stream_interrupted", ["text, cut"]),
    "openai-chat-text": ("max_tokens", None, ["text"]),
    "openai-chat-text-nostream": ("max_tokens", None, ["text"]),
    "openai-chat-thinking": ("end_turn", None, ["thinking", "text"]),
    "openai-chat-thinking-only": (None, "empty_answer", ["thinking"]),
    "openai-chat-thinking-tool": ("tool_use", None, ["thinking", "Read"]),
    "openai-chat-tool": ("tool_use", None, ["Read"]),
    "openai-chat-tool-choice-named": ("tool_use", None, ["Read"]),
    "openai-chat-tool-choice-required": ("tool_use", None, ["Read"]),
    "openai-chat-tool-truncated": ("max_tokens", None, ["Write, cut"]),
}
REJECTED = {
    "anthropic-error-401": (401, "auth"),
    "anthropic-error-context-overflow": (400, "context_overflow"),
    "openai-chat-error-400": (400, "bad_request"),
    "openai-chat-error-401": (401, "auth"),
    "openai-chat-error-404": (404, "bad_request"),
    "openai-chat-error-bad-json": (400, "bad_request"),
    "openai-chat-error-context-overflow": (400, "context_overflow"),
}


def test_every_recording_is_looked_at() -> None:
    assert {p.stem for p in HERE.glob("recorded/*.sse")} == {*RECORDED, *REJECTED}


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("sizes", [1 << 30, 1, 1000])
def test_a_real_server_is_understood(read: Read, name: str, sizes: int) -> None:
    protocol = name.partition("-")[0]
    data = (HERE / "recorded" / f"{name}.sse").read_bytes()
    kind = "application/json" if data.startswith(b"{") else "text/event-stream"
    answer = read(protocol, data, sizes=sizes, content_type=kind)
    blocks = []
    for block in answer.blocks:
        what = {"TextBlock": "text", "ThinkingBlock": "thinking"}.get(type(block).__name__, "")
        kind = block.name if isinstance(block, CallBlock) else what
        blocks.append(kind + (", cut" if block.partial else ""))
    assert (answer.stop, answer.failure and answer.failure.error, blocks) == RECORDED[name]
    assert (answer.usage is None) == (name in {"anthropic-count-tokens", *NO_USAGE})


NO_USAGE = {"openai-chat-ping", "openai-chat-server-killed"}


@pytest.mark.parametrize("name", REJECTED)
def test_a_real_servers_rejection_is_understood(name: str) -> None:
    status, kind = REJECTED[name]
    body = (HERE / "recorded" / f"{name}.sse").read_bytes()
    failure = dialect(name.partition("-")[0]).failure(status, {}, body, 0)
    assert (failure.error, failure.retry, failure.status) == (kind, False, status)


def test_the_transports_failure_is_the_answers_unless_it_had_ended(read: Read) -> None:
    broke = Failure("network", "reset by peer", retry=True)
    protocol, vendor, data, _ = case(CASES["text_usage_tail"])
    assert read(protocol, data, broke=broke, vendor=vendor).stop == "end_turn"
    cut = read(protocol, data[:900], broke=broke, vendor=vendor)
    assert cut.failure == broke
    assert cut.blocks == (TextBlock("The parser lives in ", partial=True),)
