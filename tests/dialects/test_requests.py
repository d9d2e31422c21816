"""Bodies grow only at their end, say nothing empty, answer each call."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects import dialect
from fsm_agent.dialects.protocol import Answer
from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import (
    AssistantMessage,
    Block,
    CallBlock,
    Message,
    Result,
    ResultsMessage,
    TextBlock,
    ThinkingBlock,
    ToolSpec,
    UserMessage,
)

Read = Callable[..., Answer]
PROTOCOLS = ("openai", "anthropic")
TOOLS = [ToolSpec("Read", 'Reads "a"\nfile', {"type": "object", "properties": {}})]
MODEL = "claude-opus-5-5"


def chosen(protocol: str, **fields: Any) -> Settings:
    return Settings(**{"protocol": protocol, "model": MODEL, "vendor": "generic", **fields})


def encoded(settings: Settings, messages: Sequence[Message]) -> list[bytes]:
    return [dialect(settings.protocol).message(m, settings) for m in messages]


def body(settings: Settings, messages: Sequence[Message], system: str = "Be brief.") -> Any:
    spoken = dialect(settings.protocol)
    head = spoken.head(settings, system, TOOLS)
    parts = [
        b"," * (n > 0) + part for n, part in enumerate(filter(None, encoded(settings, messages)))
    ]
    plain = b"".join([head, *parts, spoken.tail])
    marked = b"".join(spoken.marked(head, parts))
    mark = b',"cache_control":{"type":"ephemeral"}'
    assert marked.replace(mark, b"") == plain
    return json.loads(marked)


TEXTS = st.text(max_size=20) | st.sampled_from(["", " ", "\0", "\ud800", "\ud83d\ude80", "é\u2028"])
JSON = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)
IDS = st.text(min_size=1, max_size=60)


@st.composite
def rounds(draw: st.DrawFn, protocol: str) -> list[Message]:
    """A question, maybe calls with their results, an answer."""
    calls = draw(st.lists(st.tuples(IDS, TEXTS, JSON), max_size=3, unique_by=lambda c: c[0]))
    blocks: list[Block] = [CallBlock(name, key, given) for key, name, given in calls]
    thinking = ThinkingBlock(draw(TEXTS), partial=draw(st.booleans()))
    maker = draw(st.sampled_from([protocol, "gemini"]))
    answer = AssistantMessage((thinking, TextBlock(draw(TEXTS)), *blocks), maker, MODEL)
    results = [Result(key, name, draw(TEXTS), draw(st.booleans())) for key, name, _ in calls]
    messages: list[Message] = [UserMessage(draw(TEXTS)), answer]
    return messages + ([ResultsMessage(tuple(results))] if results else [])


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[Settings, list[Message]]:
    protocol = draw(st.sampled_from(PROTOCOLS))
    vendor = draw(st.sampled_from(["generic", "openai", "deepseek", "mistral", "openrouter"]))
    return chosen(protocol, vendor=vendor), [
        m for one in draw(st.lists(rounds(protocol), max_size=4)) for m in one
    ]


@given(transcripts())
def test_each_request_begins_with_the_one_before(drawn: tuple[Settings, list[Message]]) -> None:
    settings, messages = drawn
    head = dialect(settings.protocol).head(settings, "Be brief.", TOOLS)
    before = head
    for end in range(len(messages) + 1):
        now = head + b",".join(filter(None, encoded(settings, messages[:end])))
        assert now.startswith(before)
        before = now


@given(transcripts())
def test_every_body_is_json_that_says_nothing_empty(drawn: tuple[Settings, list[Message]]) -> None:
    settings, messages = drawn
    sent = body(settings, [UserMessage("hi"), *messages])
    for message in sent["messages"]:
        content = message["content"]
        assert content or message.get("tool_calls")
        for block in content if isinstance(content, list) else []:
            assert block["type"] != "text" or block["text"].strip()
            assert block["type"] != "tool_result" or block["content"]


@given(transcripts())
def test_each_call_is_answered_once_under_a_legal_id(drawn: tuple[Settings, list[Message]]) -> None:
    settings, messages = drawn
    open_calls: list[str] = []
    for message in body(settings, [UserMessage("hi"), *messages])["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        answered += [message["tool_call_id"]] if message["role"] == "tool" else []
        assert answered == open_calls[: len(answered)]
        open_calls = open_calls[len(answered) :]
        asked = [b["id"] for b in blocks if b["type"] == "tool_use"]
        asked += [call["id"] for call in message.get("tool_calls", [])]
        assert not (asked and open_calls)
        open_calls += asked
        legal = r"[A-Za-z0-9]{9}" if settings.vendor == "mistral" else r"[A-Za-z0-9_-]{1,64}"
        if settings.protocol == "openai":
            assert all(re.fullmatch(legal, one) for one in asked)
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one) for one in asked)
    assert open_calls == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_goes_back_with_the_bytes_it_came_in(read: Read, protocol: str) -> None:
    arguments = '{"path": "a.py",\n "n": 3.0, "u": "\\u00e9"}'
    if protocol == "openai":
        wire: list[Any] = [
            {"reasoning": "why"},
            {"content": "Reading."},
            {
                "tool_calls": [
                    {"index": 0, "id": "c", "function": {"name": "Read", "arguments": arguments}}
                ]
            },
        ]
        events: list[Any] = [{"choices": [{"delta": d}]} for d in wire]
        events.append({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    else:
        blocks = [
            {"type": "thinking", "thinking": "why", "signature": "s+/=="},
            {"type": "redacted_thinking", "data": "E=="},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1.0}},
            {"type": "text", "text": "Reading."},
        ]
        tool = {"type": "tool_use", "id": "c", "name": "Read"}
        piece = {"type": "input_json_delta", "partial_json": arguments}
        starts = [
            {"type": "content_block_start", "index": i, "content_block": b}
            for i, b in enumerate([*blocks, tool])
        ]
        stops = [{"type": "content_block_stop", "index": i} for i in range(5)]
        delta = {"type": "content_block_delta", "index": 4, "delta": piece}
        final = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
        events = [{"type": "message_start", "message": {"id": "m"}}, *starts, delta, *stops, final]
    data = b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events)
    answer = read(protocol, data, vendor="generic")
    settings = chosen(protocol)
    sent = dialect(protocol).message(AssistantMessage(answer.blocks, protocol, MODEL), settings)
    natives = [bytes(b.native) for b in answer.blocks if bytes(b.native)]
    assert len(natives) == {"openai": 2, "anthropic": 4}[protocol]
    for native in natives:
        assert native in sent or json.dumps(native.decode()).encode()[1:-1] in sent
        assert b"\n" not in native


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("maker", "model"), [("gemini", MODEL), ("same", "gpt-6-sol")])
def test_nothing_native_goes_to_another_protocol_or_family(
    protocol: str, maker: str, model: str
) -> None:
    hidden = msgspec.Raw(b'{"type":"redacted_thinking","data":"E=="}')
    blocks = (ThinkingBlock("why", hidden), TextBlock("", hidden), TextBlock("a"))
    made = AssistantMessage(blocks, protocol if maker == "same" else maker, model)
    sent = dialect(protocol).message(made, chosen(protocol))
    assert b"why" not in sent
    assert b"redacted" not in sent
    assert b'"a"' in sent


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_cut_off_does_not_go_back(protocol: str) -> None:
    cut = msgspec.Raw(b'{"type":"thinking","thinking":"why"}')
    blocks: tuple[Block, ...] = (
        ThinkingBlock("why", cut, partial=True),
        TextBlock("Part", partial=True),
        CallBlock("Read", "c", {}, malformed='{"a', partial=True),
    )
    sent = dialect(protocol).message(AssistantMessage(blocks, protocol, MODEL), chosen(protocol))
    message = json.loads(sent)
    assert "why" not in sent.decode()
    assert "tool_calls" not in message
    assert message["content"] in ("Part", [{"type": "text", "text": "Part"}])
    nothing = AssistantMessage(blocks[:1] + blocks[2:], protocol, MODEL)
    assert dialect(protocol).message(nothing, chosen(protocol)) == b""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_malformed_arguments_go_back_as_an_empty_object(protocol: str) -> None:
    call = CallBlock("no such tool!", "c", {}, malformed='{"a')
    sent = dialect(protocol).message(AssistantMessage((call,), protocol, MODEL), chosen(protocol))
    assert b'"no_such_tool_"' in sent
    assert b'"{}"' in sent or b'"input":{}' in sent


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_texts_that_cannot_be_sent_are_mended(protocol: str) -> None:
    result = ResultsMessage((Result("c", "Read", "a\0b\ud800c \ud83d\ude80"),))
    sent = dialect(protocol).message(result, chosen(protocol))
    assert "a\ufffdb\ufffdc 🚀" in sent.decode()


def test_ids_that_differ_stay_different() -> None:
    ids = ["bash:0", "bash_0", "bash;0", "x" * 100, "x" * 99, "", " ", "é", "call|fc_1"]
    for vendor in ("generic", "mistral"):
        calls = tuple(CallBlock("Read", one, {}) for one in ids)
        message = AssistantMessage(calls, "openai", MODEL)
        sent = json.loads(dialect("openai").message(message, chosen("openai", vendor=vendor)))
        assert len({call["id"] for call in sent["tool_calls"]}) == len(ids)


def test_anthropics_results_are_one_message_and_openais_are_several() -> None:
    both = ResultsMessage((Result("c", "Read", "x", ok=False), Result("d", "Read", "")))
    (anthropic,) = body(chosen("anthropic"), [both])["messages"]
    assert [b.get("is_error") for b in anthropic["content"]] == [True, None]
    openai = body(chosen("openai"), [both])["messages"][1:]
    assert [(m["role"], m["content"]) for m in openai] == [("tool", "x"), ("tool", "(no output)")]


def test_a_key_is_sent_once_and_no_key_not_at_all() -> None:
    openai, anthropic = dialect("openai"), dialect("anthropic")
    assert openai.headers(chosen("openai"), "k")["authorization"] == "Bearer k"
    assert openai.headers(chosen("openai", vendor="azure"), "k")["api-key"] == "k"
    assert anthropic.headers(chosen("anthropic"), "k")["x-api-key"] == "k"
    for spoken in (openai, anthropic):
        assert not {"authorization", "x-api-key"} & set(spoken.headers(chosen(spoken.name), None))


def test_tools_are_described_as_they_are() -> None:
    (openai,) = body(chosen("openai"), [UserMessage("hi")])["tools"]
    assert openai["function"]["description"] == 'Reads "a"\nfile'
    (anthropic,) = body(chosen("anthropic"), [UserMessage("hi")])["tools"]
    assert anthropic["input_schema"] == {"type": "object", "properties": {}}


def test_an_unknown_protocol_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="openai and anthropic"):
        dialect("smoke")
