"""Servers that do not answer: said clearly, asked again where that helps."""

from __future__ import annotations

import socket

import pytest

from fsm_agent.events.values import TextBlock, Usage
from fsm_agent.testing import ModelServer, Received, Reply, openai
from fsm_agent.testing.program import Ended, Program
from fsm_agent.testing.replies import GARBAGE, HUNG_UP, redirected, refused

DONE = Reply(openai([TextBlock("Done.")]))
HTML = Reply(
    (b"<!doctype html><h1>Welcome to the proxy</h1>",), headers={"Content-Type": "text/html"}
)
NO_MODEL = {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}
QUOTA = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
FINAL = {
    "a bad model": (refused(404, NO_MODEL), "The model `m` does not exist"),
    "a wrong key": (refused(401, {"error": {"message": "Incorrect API key"}}), "Incorrect API key"),
    "a spent quota": (refused(429, QUOTA), "quota"),
    "a redirect": (redirected("https://elsewhere.example/v1"), "redirects to"),
    "a day to wait": (refused(429, {"error": {"message": "slow"}}, {"Retry-After": "86400"}), ""),
}
PASSING = {
    "a rate limit": refused(429, {"error": {"message": "slow"}}, {"Retry-After": "0.01"}),
    "an overload": refused(503, {"error": {"message": "busy"}}),
    "a gateway's page": Reply((b"<html>502</html>",), 502, {"Content-Type": "text/html"}),
    "no HTTP": GARBAGE,
    "no word": HUNG_UP,
}


def ask(program: Program, url: str, *more: str) -> Ended:
    program.environment["FSM_AGENT_RETRY_BASE_MS"] = "1"
    return program.run(
        "--base-url", url, "-m", "m", "--api-key", "sk-0123456789abcdef", *more, "go"
    )


def check_end(program: Program, code: int) -> None:
    assert [line["code"] for line in program.log("session_end")] == [code]
    assert program.log()[-1]["type"] == "session_end"


@pytest.mark.parametrize("name", FINAL)
def test_a_refusal_for_good_is_asked_once(name: str, program: Program) -> None:
    reply, words = FINAL[name]
    with ModelServer(reply, DONE) as server:
        run = ask(program, server.url)
        assert len(server.requests) == 1

    assert (run.code, run.out) == (1, b"")
    assert words in run.err
    assert "sk-0123" not in run.err
    check_end(program, 1)


@pytest.mark.parametrize("name", PASSING)
def test_what_passes_is_waited_for_and_said(name: str, program: Program) -> None:
    with ModelServer(PASSING[name], PASSING[name], DONE) as server:
        run = ask(program, server.url)

    assert (run.code, run.out) == (0, b"Done.\n")
    if program.log("retry"):
        assert "trying again in" in run.err
    check_end(program, 0)


def test_a_page_in_place_of_an_answer_is_no_success(program: Program) -> None:
    with ModelServer(HTML, HTML, HTML) as server:
        run = ask(program, server.url)

    assert (run.code, run.out) == (1, b"")
    assert "error: " in run.err
    check_end(program, 1)


def test_a_server_that_is_not_there(program: Program) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        run = ask(program, url, "--max-retries", "2")

    assert (run.code, run.out) == (1, b"")
    assert "refused the connection" in run.err
    assert "is the server running" in run.err
    assert len(program.log("retry")) == 2
    check_end(program, 1)


def test_a_key_is_nowhere_but_in_its_header(program: Program) -> None:
    (program.cwd / "AGENTS.md").write_text("the key is sk-0123456789abcdef\n")
    echo = refused(401, {"error": {"message": "Incorrect API key provided: sk-0123456789abcdef"}})
    with ModelServer(echo) as server:
        run = ask(program, server.url)
        (request,) = server.requests
        assert request.headers["authorization"] == "Bearer sk-0123456789abcdef"
        assert b"sk-0123456789abcdef" not in request.body
        assert b"the key is [secret:API_KEY]" in request.body

    assert "sk-0123456789abcdef" not in run.err
    for path in program.home.rglob("*"):
        assert path.is_dir() or b"sk-0123456789abcdef" not in path.read_bytes()


def test_a_context_that_cannot_be_reduced_is_final_and_says_what_takes_the_room(
    program: Program,
) -> None:
    full = refused(400, {"error": {"message": "too long", "code": "context_length_exceeded"}})

    def narrow(request: Received) -> Reply:
        return full if len(request.json()["messages"]) > 2 else DONE

    with ModelServer(*[narrow] * 9) as server:
        first, more = ask(program, server.url), ask(program, server.url, "-c")

    assert (first.code, more.code) == (0, 1)
    assert "the context cannot be reduced: its fixed part is about " in more.err
    assert "fewer tools and shorter instruction files" in more.err
    assert len(server.requests) == 4  # the answer, the refusal, a summary, the last try
    assert [line["code"] for line in program.log("session_end")] == [0, 1]


def test_a_summary_that_fails_is_named_and_the_turn_goes_on(program: Program) -> None:
    full = Reply(openai([TextBlock("Said. " * 2_000)], usage=Usage(input=7_500, output=20)))
    failed, narrow = refused(401, {"error": {"message": "no"}}), ("--context-window", "8000")
    with ModelServer(full, failed, DONE) as server:
        ask(program, server.url, *narrow)
        run = ask(program, server.url, *narrow, "-c")

    assert (run.code, run.out) == (0, b"Done.\n")
    assert "error: no summary was written: HTTP 401: no" in run.err
