"""Messages are read block by block, whatever overlaps or goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fsm_agent.dialects.protocol import Answer, Delta
from fsm_agent.events.values import CallBlock, TextBlock, ThinkingBlock, Usage

Read = Callable[..., Answer]


def event(kind: str, **fields: Any) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def start(name: str = "msg_1", **fields: Any) -> bytes:
    return event("message_start", message={"id": name, "content": [], **fields})


def begin(index: int, **block: Any) -> bytes:
    return event("content_block_start", index=index, content_block=block)


def add(index: int, **delta: Any) -> bytes:
    return event("content_block_delta", index=index, delta=delta)


def stop(index: int) -> bytes:
    return event("content_block_stop", index=index)


def end(reason: str | None, **fields: Any) -> bytes:
    return event("message_delta", delta={"stop_reason": reason, **fields}) + event("message_stop")


def text(index: int, said: str) -> bytes:
    return begin(index, type="text", text="") + add(index, type="text_delta", text=said)


def tool(index: int, called: str, arguments: str) -> bytes:
    head = begin(index, type="tool_use", id=called, name="Read", input={})
    return head + add(index, type="input_json_delta", partial_json=arguments)


def test_blocks_that_overlap_stay_apart(read: Read) -> None:
    data = start() + begin(0, type="thinking", thinking="") + text(1, "a")
    data += add(0, type="thinking_delta", thinking="hm") + add(1, type="text_delta", text="b")
    data += add(0, type="signature_delta", signature="s==") + stop(0) + stop(1) + end("end_turn")
    thinking, said = read("anthropic", data).blocks
    assert said == TextBlock("ab")
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.text == "hm"
    native = json.loads(bytes(thinking.native))
    assert native == {"type": "thinking", "thinking": "hm", "signature": "s=="}


def test_what_only_the_server_understands_is_kept_as_its_bytes(read: Read) -> None:
    hidden = b'{"type": "redacted_thinking", "data": "E\\u00e9==", "n": 1.0}'
    novel = b'{"type": "novel", "x": [1.50, {"y": null}]}'
    data = start() + b"".join(
        b'data: {"type":"content_block_start","index":%d,"content_block":%s}\n\n' % (i, block)
        + stop(i)
        for i, block in enumerate((hidden, novel))
    )
    one, two = read("anthropic", data + text(2, "x") + stop(2) + end("end_turn")).blocks[:2]
    assert isinstance(one, ThinkingBlock)
    assert isinstance(two, TextBlock)
    assert (one.text, two.text) == ("", "")
    for part in (b'"E\\u00e9=="', b"1.0"):
        assert part in bytes(one.native)
    assert b'[1.50, {"y": null}]' in bytes(two.native)


@pytest.mark.parametrize("junk", [b"{oops}", b'{"type":[]}', b'{"type":"\xff"}'])
def test_an_event_that_cannot_be_read_is_an_interruption(read: Read, junk: bytes) -> None:
    answer = read(
        "anthropic", start() + text(0, "a") + b"data: " + junk + b"\n\n" + end("end_turn")
    )
    assert answer.failure is not None
    assert answer.failure.error == "stream_interrupted"
    assert "codec" not in answer.failure.message


def test_a_servers_own_tool_keeps_the_input_that_came_in_pieces(read: Read) -> None:
    data = start() + begin(0, type="server_tool_use", id="s", name="web_search", input={})
    data += add(0, type="input_json_delta", partial_json='{"q": ')
    data += add(0, type="input_json_delta", partial_json='"x"}') + stop(0) + end("pause_turn")
    answer = read("anthropic", data)
    (block,) = answer.blocks
    assert answer.stop == "pause"
    assert json.loads(bytes(block.native))["input"] == {"q": "x"}
    assert b'{"q": "x"}' in bytes(block.native)


def test_a_block_without_its_end_is_partial(read: Read) -> None:
    data = start() + text(0, "a") + stop(0) + begin(1, type="thinking", thinking="hm")
    data += tool(2, "t", '{"p":1}')
    answer = read("anthropic", data)
    assert answer.failure is not None
    assert (answer.failure.error, answer.failure.retry) == ("stream_interrupted", True)
    assert answer.blocks == (
        TextBlock("a"),
        ThinkingBlock("hm", partial=True),
        CallBlock("Read", "t", {"p": 1}, partial=True),
    )


@pytest.mark.parametrize(
    ("reason", "with_call", "expected"),
    [
        ("end_turn", False, "end_turn"),
        ("tool_use", False, "end_turn"),
        ("tool_use", True, "tool_use"),
        ("end_turn", True, "tool_use"),
        ("stop_sequence", False, "stop_sequence"),
        ("max_tokens", True, "max_tokens"),
        ("refusal", True, "refusal"),
        ("pause_turn", False, "pause"),
        ("compaction", False, "pause"),
        ("model_context_window_exceeded", False, "context_overflow"),
        ("novel", False, "end_turn"),
    ],
)
def test_each_stop_reason_has_its_meaning(
    read: Read, reason: str, with_call: bool, expected: str
) -> None:
    data = start() + text(0, "a") + stop(0)
    data += tool(1, "t", "{}") + stop(1) if with_call else b""
    answer = read("anthropic", data + end(reason))
    assert answer.stop == expected
    assert bool(answer.warning) == (reason == "novel")


def test_a_stop_reason_without_the_last_event_is_an_end(read: Read) -> None:
    data = start() + text(0, "a") + stop(0) + end("end_turn").partition(b"event: message_stop")[0]
    assert read("anthropic", data).stop == "end_turn"


def test_the_last_event_without_a_stop_reason_is_no_end(read: Read) -> None:
    answer = read("anthropic", start() + text(0, "a") + stop(0) + event("message_stop"))
    assert answer.failure is not None
    assert answer.failure.error == "stream_interrupted"


def test_an_answer_that_says_nothing_is_a_failure_but_a_refusal_is_not(read: Read) -> None:
    empty = read("anthropic", start() + end("end_turn"))
    assert empty.failure is not None
    assert empty.failure.error == "empty_answer"
    refused = read("anthropic", start() + end("refusal", stop_details={"category": "cyber"}))
    assert (refused.stop, refused.blocks) == ("refusal", ())
    assert "cyber" in (refused.warning or "")


def test_a_call_cut_by_the_limit_is_partial(read: Read) -> None:
    answer = read("anthropic", start() + tool(0, "t", '{"p":"a') + stop(0) + end("max_tokens"))
    assert answer.blocks == (CallBlock("Read", "t", {}, malformed='{"p":"a', partial=True),)


def test_a_whole_call_that_is_no_object_is_malformed(read: Read) -> None:
    answer = read("anthropic", start() + tool(0, "t", '{"p":"a') + stop(0) + end("tool_use"))
    assert answer.blocks == (CallBlock("Read", "t", {}, malformed='{"p":"a'),)
    assert answer.stop == "tool_use"


def test_a_message_begun_twice_counts_once_and_another_begins_anew(read: Read) -> None:
    first = start("a", usage={"input_tokens": 5}) + text(0, "one") + stop(0)
    tail = text(1, "two") + stop(1) + end("end_turn")
    same = read("anthropic", first + start("a") + tail)
    assert same.blocks == (TextBlock("one"), TextBlock("two"))
    other = read("anthropic", first + start("b") + tail)
    assert (other.blocks, other.usage) == ((TextBlock("two"),), None)


@pytest.mark.parametrize(
    ("kind", "error", "retry"),
    [
        ("overloaded_error", "overloaded", True),
        ("api_error", "server_error", True),
        ("rate_limit_error", "rate_limit", True),
        ("timeout_error", "server_error", True),
        ("invalid_request_error", "bad_request", False),
        ("authentication_error", "auth", False),
        ("permission_error", "auth", False),
        ("billing_error", "quota_exhausted", False),
        ("not_found_error", "bad_request", False),
        ("request_too_large", "context_overflow", False),
    ],
)
@pytest.mark.parametrize("before", [b"", start() + text(0, "Part")])
def test_an_error_inside_a_200_is_that_error(
    read: Read, before: bytes, kind: str, error: str, retry: bool
) -> None:
    data = before + event("error", error={"type": kind, "message": "as it is"})
    answer = read("anthropic", data + event("message_stop"))
    assert answer.failure is not None
    assert (answer.failure.error, answer.failure.retry) == (error, retry)
    assert (answer.failure.code, answer.failure.message) == (kind, "as it is")
    assert answer.blocks == ((TextBlock("Part", partial=True),) if before else ())


@pytest.mark.parametrize(
    "data",
    [
        b"event: error\n\n",
        b"event: error\ndata: gone\n\n",
        b'data: {"error":"gone"}\n\n',
        b'{"error":{}}',
    ],
)
def test_an_error_of_any_form_ends_the_answer_with_a_text(read: Read, data: bytes) -> None:
    answer = read("anthropic", data)
    assert answer.failure is not None
    assert answer.failure.error == "server_error"
    assert answer.failure.message


def test_an_error_after_the_end_is_a_warning(read: Read) -> None:
    done = end("end_turn").partition(b"event: message_stop")[0]
    late = event("error", error={"type": "api_error", "message": "late"})
    answer = read("anthropic", start() + text(0, "ok") + stop(0) + done + late)
    assert (answer.blocks, answer.stop) == ((TextBlock("ok"),), "end_turn")
    assert "late" in (answer.warning or "")


def test_what_is_new_or_strange_is_passed_over(read: Read) -> None:
    data = start() + event("novel", index=0) + b'data: {"choices":[]}\n\n' + text(0, "a")
    data += add(0, type="novel_delta", text="x") + add(9, type="text_delta", text="lost")
    answer = read("anthropic", data + stop(0) + stop(7) + end("end_turn") + b"data: [DONE]\n\n")
    assert answer == Answer((TextBlock("a"),), "end_turn")


@pytest.mark.parametrize("sizes", [1, 100, 1 << 30])
def test_a_message_that_was_not_streamed_is_an_answer(read: Read, sizes: int) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"p": 1.0}}
    message = {
        "type": "message",
        "id": "m",
        "content": [{"type": "text", "text": "a"}, call],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    answer = read("anthropic", json.dumps(message, indent=1).encode(), sizes=sizes)
    said, called = answer.blocks
    assert (said, answer.stop, answer.usage) == (TextBlock("a"), "tool_use", Usage(3, 2))
    assert isinstance(called, CallBlock)
    assert called.input == {"p": 1.0}
    assert not called.partial


def test_deltas_show_the_answer_as_it_comes(read: Read) -> None:
    shown: list[Delta] = []
    data = start() + begin(0, type="thinking", thinking="h")
    data += add(0, type="thinking_delta", thinking="m") + text(1, "a") + tool(2, "t", "{}")
    read("anthropic", data, deltas=shown)
    assert [(d.kind, d.text) for d in shown] == [
        ("thinking", "h"),
        ("thinking", "m"),
        ("text", "a"),
        ("call", "Read"),
        ("arguments", "{}"),
    ]
