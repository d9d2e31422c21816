"""Whom a session asks when it is taken up, and where keys go."""

from __future__ import annotations

import msgspec
import pytest

from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import TextBlock
from fsm_agent.interfaces.providing import taken_up
from fsm_agent.settings import RunSettings
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Program

OPENAI, ANTHROPIC = "https://api.openai.com/v1", "https://api.anthropic.com"
KEYS = {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"}
RUN = RunSettings("anthropic", "claude-sonnet-5", ANTHROPIC, "sk-a")
ALONE = msgspec.structs.replace(RUN, api_key="sk-given")
DONE = Reply(openai([TextBlock("Done.")]))


def whom(run: RunSettings) -> tuple[str, str, str | None]:
    return run.model, run.base_url, run.api_key


@pytest.mark.parametrize(
    ("run", "last", "asked"),
    [
        (RUN, Settings("", ""), whom(RUN)),
        (RUN, Settings("anthropic", "c-2", ANTHROPIC), ("c-2", ANTHROPIC, "sk-a")),
        (RUN, Settings("openai", "gpt-5.2", OPENAI), ("gpt-5.2", OPENAI, "sk-o")),
        (RUN, Settings("openai", "m", "http://[::1]:1/v1"), ("m", "http://[::1]:1/v1", None)),
        (ALONE, Settings("anthropic", "m", ANTHROPIC), ("m", ANTHROPIC, "sk-given")),
        (RUN, Settings("openai", "m", "https://thief.example/v1"), whom(RUN)),
        (RUN, Settings("openai", "m", "http://127.0.0.1.thief.example/v1"), whom(RUN)),
        (RUN, Settings("scripted", "m"), whom(RUN)),
        (RUN, Settings("gemini", "m", "http://127.0.0.1:1"), whom(RUN)),
    ],
    ids=["new", "same", "other", "local", "given", "foreign", "likeness", "scripted", "unknown"],
)
def test_a_session_asks_whom_it_asked_unless_a_key_would_go_astray(
    run: RunSettings, last: Settings, asked: tuple[str, str, str | None]
) -> None:
    assert whom(taken_up(run, last, KEYS)) == asked


def test_the_environment_says_where_a_server_is() -> None:
    last = Settings("openai", "m", "http://127.0.0.1:1/v1")
    moved = {**KEYS, "OPENAI_BASE_URL": "http://127.0.0.1:2/v1/"}

    assert whom(taken_up(RUN, last, moved)) == ("m", "http://127.0.0.1:2/v1", "sk-o")


def test_a_server_whose_key_is_gone_is_not_asked(capfd: pytest.CaptureFixture[str]) -> None:
    last = Settings("openai", "gpt-5.2", OPENAI)

    assert whom(taken_up(RUN, last, {"ANTHROPIC_API_KEY": "sk-a"})) == whom(RUN)
    assert f"gpt-5.2 at {OPENAI} is not asked again, but claude-sonnet-5" in capfd.readouterr().err


@pytest.mark.parametrize("said", ["protocol", "model", "base_url", "script"])
def test_the_command_line_says_whom_to_ask(said: str) -> None:
    run = msgspec.structs.replace(RUN, said=frozenset({said}))

    assert whom(taken_up(run, Settings("openai", "gpt-5.2", OPENAI), KEYS)) == whom(RUN)


def test_a_server_that_is_named_again_is_asked_for_the_last_model() -> None:
    run = msgspec.structs.replace(RUN, said=frozenset({"base_url"}))

    assert taken_up(run, Settings("anthropic", "c-2", ANTHROPIC), KEYS).model == "c-2"


def test_the_effort_is_the_last_one_that_was_said() -> None:
    last = Settings("anthropic", "c", ANTHROPIC, effort="low")
    said = msgspec.structs.replace(RUN, effort="high")

    assert taken_up(RUN, last, KEYS).effort == "low"
    assert taken_up(said, last, KEYS).effort == "high"


def test_a_session_goes_back_to_its_local_server_and_no_key_goes_there(program: Program) -> None:
    with ModelServer(DONE, DONE) as local, ModelServer(DONE) as other:
        assert program.run("--base-url", local.url, "-m", "m", "-p", "one").code == 0
        program.environment |= {
            "OPENAI_API_KEY": "sk-0123456789",
            "ANTHROPIC_BASE_URL": other.url,
        }
        assert program.run("-c", "two").code == 0

    assert other.requests == []
    assert [request.json()["model"] for request in local.requests] == ["m", "m"]
    assert "authorization" not in local.requests[1].headers
