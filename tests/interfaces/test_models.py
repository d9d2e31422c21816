"""The verb `models`: what is known is shown, a newer list only when asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from fsm_agent.events.values import TextBlock
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Ended, Program

Verb = Callable[..., Ended]
LIST = {
    "openai": {
        "models": {
            "gpt-77": {
                "limit": {"context": 9_000_000},
                "cost": {"input": 7, "output": 70, "context_over_200k": {"input": 9, "output": 90}},
            },
            "gpt-78": {},
        }
    }
}
SERVED = Reply((msgspec.json.encode(LIST),), headers={"ETag": '"v1"'})


@pytest.mark.parametrize("words", [["models"], ["models", "list"]])
def test_all_models_are_listed_with_their_prices(words: list[str], verb: Verb) -> None:
    run = verb(*words)
    lines = run.out.decode().splitlines()

    assert run.code == 0
    assert lines[0].split() == [
        "model",
        "window",
        "answer",
        "in",
        "out",
        *["cache", "read", "cache", "write"],
    ]
    row = next(line.split() for line in lines if line.startswith("anthropic/claude-sonnet-5 "))
    assert row == [
        "anthropic/claude-sonnet-5",
        "1,000,000",
        "128,000",
        "2.00",
        "10.00",
        "0.20",
        "2.50",
    ]
    assert "models as of 20" in run.err


def test_a_word_narrows_the_list(verb: Verb) -> None:
    lines = verb("models", "list", "Haiku").out.decode().splitlines()

    assert len(lines) > 1
    assert all("haiku" in line for line in lines[1:])


def test_a_word_that_no_id_holds_is_said(verb: Verb) -> None:
    run = verb("models", "list", "nobody")

    assert (run.code, run.out) == (0, b"")
    assert "no model is known" in run.err


@pytest.mark.parametrize("name", ["anthropic/claude-haiku-5-5", "claude-haiku-5.5-20261001"])
def test_one_is_shown_with_all_its_prices(name: str, verb: Verb) -> None:
    run = verb("models", "show", name)

    assert run.code == 0
    assert "window: 1,000,000 tokens" in run.out.decode()
    assert "price above 100,000 tokens: in 0.50, out 2.50" in run.out.decode()


def test_one_that_is_not_known_is_a_usage_error(verb: Verb) -> None:
    run = verb("models", "show", "claude-sonnet")

    assert (run.code, run.out) == (2, b"")
    assert "no model 'claude-sonnet' is known" in run.err


def test_a_fetched_list_is_shown_and_its_gaps_with_it(verb: Verb) -> None:
    with ModelServer(SERVED) as server:
        run = verb("models", "refresh", "--url", f"{server.url}/api.json")
    assert run.code == 0
    assert "2 models as of" in run.err
    rows = [line.split() for line in verb("models", "list", "gpt-7").out.decode().splitlines()[1:]]

    assert rows == [
        ["openai/gpt-77", "9,000,000", "?", "7.00+", "70.00+", "7.00+", "7.00+"],
        ["openai/gpt-78", "?", "?", "?", "?", "?", "?"],
    ]
    assert "price: in ?" in verb("models", "show", "gpt-78").out.decode()


def test_a_young_list_is_not_fetched_again(verb: Verb) -> None:
    with ModelServer(SERVED) as server:
        verb("models", "refresh", "--url", server.url)
        run = verb("models", "refresh", "--url", server.url)

    assert run.code == 0
    assert "younger than a week" in run.err


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply((b"no",), 404, {}), "status 404"),
        (Reply((b"<html>",), headers={}), "this is no list of models"),
    ],
)
def test_a_failed_refresh_is_said_and_changes_nothing(
    reply: Reply, words: str, verb: Verb, home: Path
) -> None:
    with ModelServer(reply) as server:
        run = verb("models", "refresh", "--url", server.url)

    assert (run.code, run.out) == (1, b"")
    assert words in run.err
    assert not home.exists()


def test_what_a_list_names_cannot_steer_the_terminal(verb: Verb) -> None:
    served = Reply((b'{"openai": {"models": {"gpt-\\u001b[31m": {}}}}',), headers={})
    with ModelServer(served) as server:
        verb("models", "refresh", "--url", server.url)

    shown = verb("models", "list", "gpt-\x1b").out

    assert rb"openai/gpt-\x1b[31m" in shown
    assert b"\x1b" not in shown


def test_an_empty_address_is_none(verb: Verb) -> None:
    run = verb("models", "refresh", "--url", "")

    assert run.code == 1
    assert "'' is not the address of a file" in run.err


def test_no_run_fetches_a_list(program: Program) -> None:
    """An old list stays old: only the model is asked."""
    with ModelServer(Reply(openai([TextBlock("Done.")]))) as server:
        run = program.run("--base-url", server.url, "-m", "gpt-5.2", "go")

        assert (run.code, [r.path for r in server.requests]) == (0, ["/chat/completions"])
