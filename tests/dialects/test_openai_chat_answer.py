"""Chat completions are read whatever servers leave out or bend."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import CallBlock, TextBlock, ThinkingBlock

Read = Callable[..., Answer]
DONE = b"data: [DONE]\n\n"


def event(**chunk: Any) -> bytes:
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def delta(**fields: Any) -> bytes:
    return event(choices=[{"index": 0, "delta": fields}])


def say(text: str) -> bytes:
    return delta(content=text)


def call(index: int | None, called: str | None, name: str | None, arguments: Any) -> bytes:
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    head = {k: v for k, v in (("index", index), ("id", called)) if v is not None}
    return delta(tool_calls=[{**head, "type": "function", "function": function}])


def finish(reason: str) -> bytes:
    return event(choices=[{"index": 0, "delta": {}, "finish_reason": reason}])


def calls(answer: Answer) -> list[tuple[str, str, dict[str, Any]]]:
    return [(b.id, b.name, b.input) for b in answer.blocks if isinstance(b, CallBlock)]


def end(answer: Answer) -> str | None:
    return answer.failure.error if answer.failure else answer.stop


@pytest.mark.parametrize("sizes", [1, 2, 3, 7, 1 << 30])
def test_legal_framing_of_all_kinds_is_understood(read: Read, sizes: int) -> None:
    taipei = json.dumps({"choices": [{"delta": {"content": "台北"}}]}, ensure_ascii=False)
    rocket = json.dumps({"choices": [{"delta": {"content": "🚀 é"}}]}, ensure_ascii=False)
    head, tail = rocket.encode().split(b'"delta":')
    data = (
        b"\xef\xbb\xbf: PROCESSING\r\n\r\n:\n\nevent: ping\ndata:\n\ndata:"
        + taipei.encode() + b"\r\n\r\n"
        + b"id: 7\nretry: 10\ndata: " + head + b'"delta":\ndata: ' + tail + b"\n\n"
        + finish("stop") + b"data: [DONE]\r\r"
    )  # fmt: skip
    answer = read("openai", data, sizes=sizes)
    assert answer == Answer((TextBlock("台北🚀 é"),), "end_turn")


ONE = {"pattern": "foo", "path": "src"}
A = json.dumps(ONE)


def test_an_answer_cut_off_keeps_what_came_as_partial(read: Read) -> None:
    data = say("Editing") + call(0, "z", "edit", '{"a":1}') + delta(tool_calls=[])
    for broken in (data, data + b'data: {"choices":[{"delta":{"con'):
        answer = read("openai", broken)
        assert end(answer) == "stream_interrupted"
        assert answer.failure is not None
        assert answer.failure.retry
        assert all(block.partial for block in answer.blocks)


def test_a_call_in_a_truncated_answer_is_partial_only_if_it_is_not_whole(read: Read) -> None:
    data = call(0, "a", "grep", A) + call(1, "b", "grep", A[:9]) + finish("length")
    answer = read("openai", data)
    assert answer.stop == "max_tokens"
    assert [b.partial for b in answer.blocks] == [False, True]


@pytest.mark.parametrize(
    ("error", "kind", "retry", "says"),
    [
        ({"message": "Overloaded", "type": "overloaded_error"}, "overloaded", True, "Overloaded"),
        (
            {"message": "bad tool schema", "type": "invalid_request_error", "code": 400},
            "bad_request",
            False,
            "bad tool schema",
        ),
        ("plain text", "server_error", True, "plain text"),
        ({"code": "429", "message": "slow"}, "rate_limit", True, "slow"),
        ({"code": 402, "message": "no credits"}, "quota_exhausted", False, "no credits"),
        (
            {"message": "This model's maximum context length is 8192 tokens."},
            "context_overflow",
            False,
            "8192",
        ),
        ({"code": "context_length_exceeded"}, "context_overflow", False, "without saying"),
        ({"code": "server_error", "message": "oops"}, "server_error", True, "oops"),
    ],
)
@pytest.mark.parametrize("before", [b"", say("Part")])
def test_an_error_inside_a_200_is_that_error(
    read: Read, before: bytes, error: Any, kind: str, retry: bool, says: str
) -> None:
    answer = read("openai", before + event(error=error))
    assert answer.failure is not None
    assert (answer.failure.error, answer.failure.retry) == (kind, retry)
    assert says in answer.failure.message
    assert answer.blocks == ((TextBlock("Part", partial=True),) if before else ())


@pytest.mark.parametrize(
    "data",
    [
        b"event: error\n\n",
        b"event: error\ndata:\n\n",
        b"event: error\ndata: upstream gone\n\n",
        b'event: error\ndata: {"message":"gone"}\n\n',
        b'{"error":"gone"}',
        b'[{"error":{"message":"gone"}}]',
        b'\n \n{"error":{"message":"gone"}}\n',
    ],
)
def test_an_error_of_any_form_ends_the_answer_with_a_text(read: Read, data: bytes) -> None:
    answer = read("openai", data)
    assert end(answer) == "server_error"
    assert answer.failure is not None
    assert answer.failure.message
    assert answer.failure.retry


def test_an_error_after_the_end_is_a_warning(read: Read) -> None:
    data = say("ok") + finish("stop") + event(error={"message": "late"}) + say("more")
    answer = read("openai", data)
    assert (answer.blocks, answer.stop) == ((TextBlock("ok"),), "end_turn")
    assert "late" in (answer.warning or "")


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", "end_turn"),
        ("eos", "end_turn"),
        ("tool_calls", "end_turn"),
        ("length", "max_tokens"),
        ("model_length", "max_tokens"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("model_context_window_exceeded", "context_overflow"),
        ("insufficient_system_resource", "overloaded"),
        ("network_error", "server_error"),
        ("error", "server_error"),
    ],
)
def test_each_finish_reason_has_its_meaning(read: Read, reason: str, stop: str) -> None:
    answer = read("openai", say("x") + finish(reason) + finish("stop") + DONE)
    assert end(answer) == stop
    assert answer.warning is None


def test_an_unknown_finish_reason_is_an_end_with_a_warning(read: Read) -> None:
    answer = read("openai", say("x") + finish("novel"))
    assert answer.stop == "end_turn"
    assert "novel" in (answer.warning or "")


def test_the_end_mark_alone_is_an_end_only_where_servers_are_known_for_it(read: Read) -> None:
    data = say("x") + b"data:  [DONE] \n\n"
    assert end(read("openai", data)) == "stream_interrupted"
    assert end(read("openai", data, vendor="ollama")) == "end_turn"
    assert end(read("openai", data, base_url="http://localhost:11434/v1")) == "end_turn"


@pytest.mark.parametrize(
    "data", [finish("stop"), say(" \n") + finish("stop"), delta(reasoning="x") + finish("stop")]
)
def test_an_answer_that_says_nothing_is_a_failure(read: Read, data: bytes) -> None:
    answer = read("openai", data + DONE)
    assert end(answer) == "empty_answer"
    assert answer.failure is not None
    assert answer.failure.retry


@pytest.mark.parametrize(
    ("fields", "vendor", "native"),
    [
        ({"reasoning_content": "why"}, "generic", b""),
        ({"reasoning": "why"}, "generic", b'"reasoning"'),
        ({"reasoning_text": "why"}, "generic", b'"reasoning_text"'),
        ({"reasoning": "why"}, "ollama", b""),
        ({"reasoning_content": "why", "reasoning": "why"}, "generic", b""),
        ({"content": [{"type": "thinking", "thinking": "why"}]}, "mistral", b""),
        (
            {"reasoning_details": [{"type": "reasoning.text", "text": "why", "signature": "s"}]},
            "generic",
            b'[{"type":"reasoning.text","text":"why","signature":"s"}]',
        ),
    ],
)
def test_reasoning_is_kept_once_with_the_field_it_came_in(
    read: Read, fields: dict[str, Any], vendor: str, native: bytes
) -> None:
    data = delta(**fields) + call(0, "a", "grep", A) + finish("tool_calls")
    thinking, _ = read("openai", data, vendor=vendor).blocks
    assert isinstance(thinking, ThinkingBlock)
    assert (thinking.text, bytes(thinking.native)) == ("why", native)


@pytest.mark.parametrize("tail", ["", "<", "</thi"])
def test_a_text_that_only_begins_like_a_tag_is_text(read: Read, tail: str) -> None:
    for text in (f"<thin{tail}", f"a <think> b{tail}"):
        answer = read("openai", say(text) + finish("stop"), vendor="vllm")
        assert answer.blocks == (TextBlock(text),)


def test_tags_mean_nothing_to_servers_that_parse_reasoning(read: Read) -> None:
    answer = read("openai", say("<think>a</think>b") + finish("stop"), vendor="openai")
    assert answer.blocks == (TextBlock("<think>a</think>b"),)


@pytest.mark.parametrize("other", [1, 2.5, "0", None, {}])
def test_of_several_answers_the_one_with_index_0_is_read(read: Read, other: object) -> None:
    said, unwanted = ({"content": text} for text in ("yes", "no"))
    chunk = {"choices": [{"index": other, "delta": unwanted}, {"index": 0, "delta": said}]}
    data = b"data: " + json.dumps(chunk).encode() + b"\n\n"
    assert read("openai", data + finish("stop")).blocks == (TextBlock("yes"),)


def test_pages_and_texts_with_status_200_are_the_servers_fault(read: Read) -> None:
    page = b"<!doctype html><html><head><title>502 Bad Gateway</title></head><body>x</body></html>"
    for data in (
        page,
        b"upstream connect error",
        b'{"detail":"Not Found"}',
        b"{}",
        b"[]",
        b"{oops",
    ):
        answer = read("openai", data, sizes=5, content_type="text/html; charset=utf-8")
        assert end(answer) == "server_error"
        assert answer.failure is not None
        assert answer.failure.retry
        if data is page:
            assert "502 Bad Gateway" in answer.failure.message
            assert "<" not in answer.failure.message


@pytest.mark.parametrize("data", [b"", b"\n\n", b": keep-alive\n\n"])
def test_a_connection_that_ends_before_anything_is_an_interruption(read: Read, data: bytes) -> None:
    assert end(read("openai", data)) == "stream_interrupted"


@pytest.mark.parametrize(
    "junk",
    [
        b'data: {"choices":"\\ud83d"}\n\n',
        b'data: {"choices":[{"delta":{"tool_calls":[{"index":"' + b"1" * 5000 + b'"}]}}]}\n\n',
        b"data: oops\n\n",
        b'data: {"choices":[\n\n',
        b"data: {\xff}\n\n",
    ],
)
def test_an_event_that_cannot_be_read_is_an_interruption(read: Read, junk: bytes) -> None:
    answer = read("openai", say("Part") + junk + say("lost") + finish("stop"))
    assert end(answer) == "stream_interrupted"
    assert answer.blocks == (TextBlock("Part", partial=True),)


def test_a_decoder_knows_its_progress_and_its_end() -> None:
    decoder = dialect("openai").decoder(Settings(protocol="openai", model="m"), "text/event-stream")
    decoder.feed(b": keep-alive\n\nevent: ping\ndata: {}\n\n")
    assert (decoder.progress, decoder.ended) == (0, False)
    decoder.feed(say("a") + say("b"))
    assert (decoder.progress, decoder.ended) == (2, False)
    decoder.feed(finish("stop"))
    assert not decoder.ended
    decoder.feed(DONE)
    assert decoder.ended


def test_deltas_show_the_answer_as_it_comes(read: Read) -> None:
    shown: list[Delta] = []
    data = delta(reasoning_content="hm") + say("a") + say("b") + call(0, "i", "grep", "{")
    read("openai", data + call(0, None, None, "}") + finish("stop"), deltas=shown)
    assert [(d.kind, d.text) for d in shown] == [
        ("thinking", "hm"),
        ("text", "a"),
        ("text", "b"),
        ("call", "grep"),
        ("arguments", "{"),
        ("arguments", "}"),
    ]
