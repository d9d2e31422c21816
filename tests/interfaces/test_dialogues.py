"""Whole dialogues with a server, in each protocol."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from fsm_agent.events.values import Block, CallBlock, TextBlock, ThinkingBlock
from fsm_agent.testing import ModelServer, Received, Reply, anthropic, openai
from fsm_agent.testing.program import Ended, Program

Answer = Callable[[Sequence[Block]], tuple[bytes, ...]]
ANSWERS: dict[str, Answer] = {"anthropic": anthropic, "openai": openai}
CALLS: list[Block] = [
    ThinkingBlock("why"),
    TextBlock("I'll look."),
    CallBlock("Bash", "c1", {"command": "echo one"}),
    CallBlock("Bash", "c2", {"command": "echo two; false"}),
]
DONE: list[Block] = [TextBlock("Done.")]


@pytest.fixture
def ask(program: Program) -> Callable[..., Ended]:
    """Ask a server; it is not waited for."""
    program.environment["FSM_AGENT_RETRY_BASE_MS"] = "1"

    def ask(server: ModelServer, *more: str, protocol: str = "openai") -> Ended:
        return program.run(
            *("--base-url", server.url, "--protocol", protocol, "-m", "m"), *(more or ("go",))
        )

    return ask


Ask = Callable[..., Ended]


def bare(request: Received) -> bytes:
    """A body without cache marks and its end: what the next one begins with."""
    body = re.sub(rb',"cache_control":\{[^}]*\}', b"", request.body)
    assert body.endswith(b"]}")
    return body.removesuffix(b"]}")


def check_bodies(program: Program, requests: Sequence[Received]) -> None:
    """Each body begins with the one before, and the log knows its digest and size."""
    sent = [bare(request) for request in requests]
    lines = program.log("send_request")
    for body, line in zip(sent, lines, strict=True):
        assert line["digest"] == hashlib.sha256(body + b"]}").hexdigest()
        assert line["bytes"] == len(body) + 2
    for before, after, line in zip(sent, sent[1:], lines[1:], strict=False):
        assert after.startswith(before)
        assert line["shared"] == len(before)


@pytest.mark.parametrize("protocol", ANSWERS)
def test_a_round_trip_with_two_tools(protocol: str, program: Program, ask: Ask) -> None:
    answer = ANSWERS[protocol]
    with ModelServer(*(Reply(answer(blocks)) for blocks in (CALLS, DONE, DONE))) as server:
        run = ask(server, protocol=protocol)
        again = ask(server, "-c", "more", protocol=protocol)
        check_bodies(program, server.requests)
        second = server.requests[1].json()["messages"]

    assert (run.code, run.out, again.out) == (0, b"Done.\n", b"Done.\n")
    results = second[-1]["content"] if protocol == "anthropic" else second[-2:]
    names = [result.get("tool_use_id") or result.get("tool_call_id") for result in results]
    assert names == ["c1", "c2"]
    assert results[0]["content"] == "one\n"
    assert "two" in results[1]["content"]
    assert program.log()[-1]["type"] == "session_end"


def test_anthropic_s_thinking_comes_back_signed(program: Program, ask: Ask) -> None:
    with ModelServer(Reply(anthropic(CALLS)), Reply(anthropic(DONE))) as server:
        ask(server, protocol="anthropic")
        assistant = server.requests[1].json()["messages"][1]["content"]

    assert assistant[0] == {"type": "thinking", "thinking": "why", "signature": "c2lnbmVk"}
    assert [block["type"] for block in assistant] == ["thinking", "text", "tool_use", "tool_use"]


def chunk(delta: dict[str, Any] | None = None, **choice: Any) -> bytes:
    """One event of a chat stream."""
    whole = {"index": 0, "delta": delta or {}, **choice}
    return b"data: " + msgspec.json.encode({"choices": [whole]}) + b"\n\n"


def calls(*named: tuple[str | None, str]) -> tuple[bytes, ...]:
    """A chat stream that calls Bash with these ids (none: no id field) and commands."""
    parts = []
    for number, (name, command) in enumerate(named):
        arguments = msgspec.json.encode({"command": command}).decode()
        call = {"index": number, "function": {"name": "Bash", "arguments": arguments}}
        parts.append(chunk({"tool_calls": [call if name is None else call | {"id": name}]}))
    return (*parts, chunk(finish_reason="tool_calls"), b"data: [DONE]\n\n")


DETAILS = [{"type": "reasoning.text", "text": "why", "signature": "s"}]
REASONING: dict[str, Any] = {
    "reasoning_content": "why",
    "reasoning": "why",
    "reasoning_details": DETAILS,
}


@pytest.mark.parametrize("name", REASONING)
def test_reasoning_comes_back_under_its_name(name: str, program: Program, ask: Ask) -> None:
    given = {name: REASONING[name]}
    replies = Reply((chunk(given), *calls(("c1", "true")))), Reply(openai(DONE))
    with ModelServer(*replies, Reply(openai(DONE))) as server:
        ask(server)
        ask(server, "-c", "more")
        check_bodies(program, server.requests)
        for request in server.requests[1:]:
            message = request.json()["messages"][2]
            assert message[name] == given[name]


def test_reasoning_under_two_names_is_not_doubled(program: Program, ask: Ask) -> None:
    both = chunk({"reasoning": "why", "reasoning_content": "why"})
    with ModelServer(Reply((both, *calls(("c1", "true")))), Reply(openai(DONE))) as server:
        ask(server)
        assert server.requests[1].body.count(b'"why"') == 1

    assert [line["text"] for line in program.log("thinking")] == ["why"]


def test_ids_that_are_reused_empty_or_missing(program: Program, ask: Ask) -> None:
    answers = [
        calls(("bash:0", "echo 1")),
        calls(("bash:0", "echo 2")),
        calls(("x", "echo 3"), ("x", "echo 4")),
        calls(("", "echo 5")),
        calls((None, "echo 6")),
        openai(DONE),
        openai(DONE),
    ]
    with ModelServer(*map(Reply, answers)) as server:
        codes = [ask(server).code, ask(server, "-c", "more").code]
        check_bodies(program, server.requests)
        messages = server.requests[-1].json()["messages"]

    assert codes == [0, 0]
    asked = [call["id"] for m in messages for call in m.get("tool_calls", ())]
    given = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
    assert len(set(asked)) == len(asked) == 6
    assert [given[name] for name in asked] == [f"{n}\n" for n in range(1, 7)]
    assert [line["id"] for line in program.log("tool_call")][:4] == ["bash:0", "bash:0", "x", "x"]


def error(value: object, name: bytes = b"error") -> bytes:
    """An error as an event of a stream."""
    return b"event: %s\ndata: %s\n\n" % (name, msgspec.json.encode(value))


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
SCHEMA = {"message": "bad tool schema", "type": "invalid_request_error", "code": 400}


def test_an_overload_inside_a_200_is_tried_again(program: Program, ask: Ask) -> None:
    with ModelServer(Reply((error(OVERLOADED),)), Reply(anthropic(DONE))) as server:
        run = ask(server, protocol="anthropic")

    assert (run.code, run.out) == (0, b"Done.\n")
    assert [line["error"] for line in program.log("retry")] == ["overloaded"]


def test_an_error_after_text_is_not_tried_again_and_the_text_is_kept(
    program: Program, ask: Ask
) -> None:
    part = anthropic([TextBlock("Part")])[:3]
    replies = Reply((*part, error(OVERLOADED))), Reply(anthropic(DONE))
    with ModelServer(*replies, Reply(anthropic(DONE))) as server:
        run = ask(server, protocol="anthropic")
        asked = len(server.requests)
        again = ask(server, "-c", protocol="anthropic")
        second = server.requests[-1].json()["messages"]

    assert (run.code, run.out, asked) == (1, b"Part\n", 1)
    assert "Overloaded" in run.err
    assert (again.code, again.out) == (0, b"Done.\n")
    assert [message["role"] for message in second] == ["user", "assistant", "user"]


FINAL = {
    "a named error": (b"data: " + msgspec.json.encode({"error": SCHEMA}) + b"\n\n", "bad tool"),
    "a plain text": (b'data: {"error": "plain text"}\n\n', "plain text"),
    "no data": (b"event: error\n\n", "error"),
}


@pytest.mark.parametrize("name", FINAL)
def test_an_error_inside_a_200_is_never_an_empty_success(
    name: str, program: Program, ask: Ask
) -> None:
    raw, words = FINAL[name]
    with ModelServer(*[Reply((raw,))] * 10) as server:
        run = ask(server, "--max-retries", "2", "go")
        asked = len(server.requests)

    assert (run.code, run.out) == (1, b"")
    assert words in run.err
    assert asked == (1 if name == "a named error" else asked)
    assert program.log()[-1]["code"] == 1


def test_an_error_after_the_end_is_a_warning(program: Program, ask: Ask) -> None:
    late = b'data: {"error": {"message": "too late"}}\n\n'
    body = openai(DONE)
    with ModelServer(Reply((*body[:-1], late, body[-1]))) as server:
        run = ask(server)

    assert (run.code, run.out) == (0, b"Done.\n")
    assert "too late" in program.log("completed")[0]["warning"]
