"""`/model` and `/effort`: who is asked from now on, and how."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.values import TextBlock
from fsm_agent.testing import ModelServer, Reply, anthropic, openai

ANSWER = "text: All is well.\n"
MORE = f"{ANSWER}---\n{ANSWER}"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)


def test_a_model_of_another_protocol_goes_on_with_the_conversation(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch, workspace: Path
) -> None:
    said = [TextBlock("Here, too.")]
    with ModelServer(Reply(openai(said))) as first, ModelServer(Reply(anthropic(said))) as second:
        monkeypatch.setenv("OPENAI_BASE_URL", first.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", second.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
        person = sits_down(f"thinking: Hm.\n{ANSWER}")
        person.asks("one")
        person.sees("All is well.")
        person.types("/model openai:m-1\r")
        person.sees(f"the model is now m-1 at {first.url}")
        person.types("/model\r")
        person.sees(f"  m-1 at {first.url} (openai)\n  /model NAME asks another one there")
        person.types("two\r")
        person.until(lambda: len(person.ends()) == 2)
        person.types("/model anthropic:m-2\r")
        person.sees(f"the model is now m-2 at {second.url}")
        person.types("three\r")
        person.until(lambda: len(person.ends()) == 3)
        person.types("/quit\r")
        assert person.leaves() == 0

    (asked,) = first.requests
    assert "authorization" not in asked.headers
    assert [m["role"] for m in asked.json()["messages"]] == ["system", "user", "assistant", "user"]
    (asked,) = second.requests
    assert asked.headers["x-api-key"] == "sk-ant-0123456789"
    assert asked.json()["model"] == "m-2"
    assert len(asked.json()["messages"]) == 5
    assert person.ends() == ["answered"] * 3
    verified = subprocess.run(
        [sys.executable, "-m", "fsm_agent", "replay", "--verify"],
        cwd=workspace,
        env={**os.environ, "FSM_AGENT_HOME": str(person.home)},
        capture_output=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stderr


def test_a_server_without_its_key_is_not_gone_to(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("/model openai:gpt-5.2")
    person.sees("/model: https://api.openai.com/v1 wants a key: OPENAI_API_KEY is not set")
    person.types("/model openai:\r")
    person.sees("/model: which model? openai:NAME")
    person.types("/model\r")
    person.sees("  scripted (scripted)")

    assert len(person.log("settings")) == 1


def test_a_model_is_listed_with_its_like_and_asked_where_it_is_known(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-0123456789")
    person = sits_down(ANSWER)
    person.asks("/model anthropic:claude-sonnet-5")
    person.sees("the model is now claude-sonnet-5 at https://api.anthropic.com")
    person.types("/model\r")
    person.sees(" known there: claude-sonnet-5, claude-sonnet-")
    person.types("/model gpt-5.2\r")
    person.until(lambda: "/model openai:gpt-5.2" in person.text().split("> /model gpt-5.2")[-1])
    person.types("/effort\r")
    person.sees("it takes default, off, minimal = low, medium, high, xhigh, max")

    assert len(person.log("settings")) == 2


def test_an_effort_is_one_that_there_is(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("/effort")
    person.sees("  default\n  it takes default, off, minimal, low, medium, high, xhigh, max")
    person.types("/effort huge\r")
    person.sees("/effort: there is no effort 'huge'; it takes default, off,")
    person.types("/effort none\r")
    person.sees("· the effort is now off")
    person.sees("scripted · effort off · ask")
    person.types("/effort off\r")
    person.sees("  nothing changes")
    person.types("/effort default\r")
    person.sees("· the effort is now the default")

    assert [line.get("effort", "") for line in person.log("settings")] == ["", "off", ""]


def test_model_and_effort_are_kept_when_the_session_is_taken_up(sits_down: Sits) -> None:
    person = sits_down(MORE)
    person.asks("/model other")
    person.sees("the model is now other")
    person.types("/effort low\r")
    person.sees("the effort is now low")
    person.types("/quit\r")
    person.leaves()

    again = sits_down(MORE, "-c")
    again.sees("· other · session")
    again.asks("/effort")
    again.sees("\n  low\n")
    again.types("/quit\r")
    again.leaves()
    assert len(again.log("settings")) == 3

    third = sits_down(MORE, "-c", "-m", "third", "--effort", "high")
    third.sees("· third · session")
    third.asks("/effort")
    third.sees("\n  high\n")


def test_settings_that_are_typed_at_once_all_hold(sits_down: Sits) -> None:
    person = sits_down(ANSWER)
    person.asks("")
    person.types("/model other\r/effort high\r/mode plan\r/mode\r")
    person.sees("  plan; /mode ask|")
    person.until(lambda: len(person.log("settings")) == 4)

    held = person.log("settings")[-1]
    assert (held["model"], held["effort"], held["permission"]) == ("other", "high", "plan")
