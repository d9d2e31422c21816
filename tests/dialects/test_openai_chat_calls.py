"""Calls that servers number badly, or not at all, stay apart and whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from fsm_agent.dialects.protocol import Answer
from fsm_agent.events.values import CallBlock

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


ONE, TWO = {"pattern": "foo", "path": "src"}, {"pattern": "bar", "path": "docs"}
A, B = json.dumps(ONE), json.dumps(TWO)


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param([(0, "a", "grep", A), (0, "b", "grep", B)], id="all index 0"),
        pytest.param(
            [
                (None, "a", "grep", A[:9]),
                (None, None, None, A[9:]),
                (None, "b", "grep", B[:9]),
                (None, None, None, B[9:]),
            ],
            id="no index",
        ),
        pytest.param([(0, "a", "grep", A), (2, "b", "grep", B)], id="a gap"),
        pytest.param(
            [(0, "a", "grep", A), (0, "b", "grep", B[:9]), (1, None, None, B[9:])],
            id="tail on the next index",
        ),
        pytest.param(
            [(0, "a", "grep", A), (0, "b", "grep", B[:9]), (1, "b", None, B[9:])],
            id="tail on the next index, with its id",
        ),
        pytest.param(
            [
                (0, "a", "grep", A[:9]),
                (1, "b", "grep", B[:9]),
                (0, None, None, A[9:]),
                (1, None, None, B[9:]),
            ],
            id="interleaved",
        ),
        pytest.param(
            [
                (0, "a", "grep", A[:5]),
                (0, "a", "grep", A[5:9]),
                (0, "a", "grep", A[9:]),
                (1, "b", "grep", B[:5]),
                (1, "b", "grep", B[5:]),
            ],
            id="name in each delta",
        ),
        pytest.param(
            [(0, "a", "gr", ""), (0, "a", "ep", ""), (0, None, None, A), (1, "b", "grep", B)],
            id="name in parts",
        ),
        pytest.param(
            [(0, "a", "grep", ""), (0, "", "", A), (1, "b", "grep", None), (1, "", None, B)],
            id="empty strings are absent",
        ),
        pytest.param([(0, "a", "grep", ONE), (1, "b", "grep", TWO)], id="arguments as objects"),
    ],
)
def test_two_calls_stay_two_calls(read: Read, deltas: list[Any]) -> None:
    data = b"".join(call(*d) for d in deltas) + finish("tool_calls") + DONE
    answer = read("openai", data)
    assert calls(answer) == [("a", "grep", ONE), ("b", "grep", TWO)]
    assert answer.stop == "tool_use"


@pytest.mark.parametrize("ids", [("x", "x"), ("", ""), (None, None)])
@pytest.mark.parametrize("indices", [(0, 1), (0, 0), (None, None)])
def test_ids_that_are_reused_or_missing_merge_nothing(
    read: Read, ids: tuple[str | None, ...], indices: tuple[int | None, ...]
) -> None:
    data = call(indices[0], ids[0], "grep", A) + call(indices[1], ids[1], "grep", B)
    answer = read("openai", data + finish("stop"))
    assert [c[2] for c in calls(answer)] == [ONE, TWO]
    assert answer.stop == "tool_use"


@pytest.mark.parametrize(
    "text", ["{", '["a"]', "null", "1", '{"a":1}}', '{"a":' * 70 + "1" + "}" * 70, "{'a': 1}"]
)
def test_arguments_that_are_no_object_are_kept_as_text(read: Read, text: str) -> None:
    answer = read("openai", call(0, "a", "grep", text) + finish("tool_calls"))
    assert answer.blocks == (CallBlock("grep", "a", {}, malformed=text),)
    assert answer.stop == "tool_use"


def test_arguments_beyond_their_limit_are_malformed(read: Read) -> None:
    piece = call(0, None, None, "x" * 100_000)
    data = call(0, "a", "Write", '{"t":"') + piece * 12 + call(0, None, None, '"}')
    (block,) = read("openai", data + finish("tool_calls")).blocks
    assert isinstance(block, CallBlock)
    assert block.input == {}
    assert len(block.malformed or "") <= 1 << 20


@pytest.mark.parametrize("text", ["", " ", "{}"])
def test_no_arguments_are_an_empty_object(read: Read, text: str) -> None:
    answer = read("openai", call(0, "a", "ls", text) + finish("tool_calls"))
    assert answer.blocks == (CallBlock("ls", "a", {}),)


def test_arguments_are_kept_as_their_bytes_without_line_ends(read: Read) -> None:
    text = '{\n "n": 3.0,\r\n "u": "\\u00e9\\n"}'
    (block,) = read("openai", call(0, "a", "f", text) + finish("stop")).blocks
    assert isinstance(block, CallBlock)
    assert bytes(block.native) == text.replace("\n", " ").replace("\r", " ").encode()
    assert block.input == {"n": 3.0, "u": "é\n"}
