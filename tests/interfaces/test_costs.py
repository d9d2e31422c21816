"""What a run costs is shown where its price is known, `?` where it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.events.values import Price, TextBlock, Usage
from fsm_agent.interfaces.assembly import recorded_settings, with_what_is_known
from fsm_agent.settings import RunSettings
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Program

USAGE = Usage(input=1000, output=100, cache_read=10_000)
PRICE = "3,15,0.30"
COST = 1000 * 3 + 100 * 15 + 10_000 * 3 // 10
"""What `USAGE` costs at `PRICE`, in micro-dollars."""
DONE = Reply(openai([TextBlock("Done.")], usage=USAGE))


def answer(program: Program, *options: str) -> Any:
    """What one shot prints as JSON, asked of a server on this machine."""
    with ModelServer(DONE) as server:
        run = program.run(
            "--base-url", server.url, "-m", "gpt-5.2", *options, "--output-format", "json", "go"
        )
    assert run.code == 0, run.err
    return msgspec.json.decode(run.out)


def economy(program: Program) -> Any:
    return program.log("settings")[0].get("economy", {})


def stats(program: Program) -> Any:
    (file,) = program.home.glob("projects/*/*/stats.json")
    return msgspec.json.decode(file.read_bytes())


def test_a_given_price_is_reckoned_with(program: Program) -> None:
    result = answer(program, "--price", PRICE)

    assert (result["cost_microdollars"], result["unpriced_answers"]) == (COST, 0)
    assert stats(program)["total_cost_microdollars"] == COST


def test_a_price_may_come_from_the_environment_and_the_option_wins(program: Program) -> None:
    program.environment["FSM_AGENT_PRICE"] = "1,1"
    assert answer(program)["cost_microdollars"] == 11_100
    assert answer(program, "--price", PRICE)["cost_microdollars"] == COST


def test_a_server_on_this_machine_has_no_price(program: Program) -> None:
    result = answer(program)

    assert (result["cost_microdollars"], result["unpriced_answers"]) == (None, 1)
    assert stats(program)["total_cost_microdollars"] is None
    assert "price" not in economy(program)
    assert economy(program)["window"] == 272_000


def test_a_given_window_wins(program: Program) -> None:
    program.environment["FSM_AGENT_CONTEXT_WINDOW"] = "64k"
    answer(program)
    assert economy(program)["window"] == 64_000


def test_what_cuts_are_weighed_by_comes_from_the_environment(program: Program) -> None:
    names = ("BASELINE_E", "E_FIXED", "L", "S", "V")
    program.environment |= {f"FSM_AGENT_DP_{name}": str(n) for n, name in enumerate(names, 10)}
    program.environment |= {"FSM_AGENT_DP_R": "0.7", "FSM_AGENT_DP_BETA": "0"}
    program.environment["FSM_AGENT_DP_MIN_KEEP_RATIO"] = "0.25"
    answer(program)
    told = economy(program)

    assert [told[f] for f in ("turns", "turns_left", "calls", "summary", "fixed")] == [
        *range(10, 15)
    ]
    assert [told[f] for f in ("retention", "loss", "keep")] == ["0.7", "0", "0.25"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("FSM_AGENT_PRICE", "cheap"),
        ("FSM_AGENT_CONTEXT_WINDOW", "0"),
        ("FSM_AGENT_DP_BASELINE_E", "-1"),
        ("FSM_AGENT_DP_R", "1.5"),
    ],
)
def test_a_variable_that_cannot_be_read_is_named(name: str, text: str, program: Program) -> None:
    program.environment[name] = text
    run = program.run("--base-url", "http://127.0.0.1:9", "-m", "m", "go")

    assert (run.code, run.out) == (2, b"")
    assert f"{name}: '{text}'" in run.err


@pytest.mark.parametrize(("option", "text"), [("--price", "3"), ("--context-window", "much")])
def test_an_option_that_cannot_be_read_is_named(option: str, text: str, program: Program) -> None:
    run = program.run("--base-url", "http://127.0.0.1:9", "-m", "m", option, text, "go")

    assert (run.code, run.out) == (2, b"")
    assert option in run.err


@pytest.mark.parametrize(
    ("protocol", "base_url", "key"),
    [
        ("openai", "https://api.openai.com/v1", "s-1"),
        ("openai", "https://it.openai.azure.com/openai/v1", "s-1"),
        ("openai", "https://api.x.ai/v1", "s-1"),
        ("openai", "http://127.0.0.1:8080/v1", ""),
        ("anthropic", "https://api.anthropic.com", ""),
        ("scripted", "", ""),
    ],
)
def test_a_session_is_named_only_to_a_server_that_takes_it(
    protocol: str, base_url: str, key: str, home: Path
) -> None:
    settings = RunSettings(protocol=protocol, model="m", base_url=base_url)
    recorded = recorded_settings(settings, "", person=False)

    assert with_what_is_known(recorded, home, "s-1").cache_key == key


def test_a_vendor_s_model_has_its_list_price(home: Path) -> None:
    settings = RunSettings("anthropic", "claude-sonnet-5", "https://api.anthropic.com")
    recorded = recorded_settings(settings, "", person=False)
    told = with_what_is_known(recorded, home, "s-1").economy

    assert told.window == 1_000_000
    assert told.price == Price(2_000_000, 10_000_000, 200_000, 2_500_000)
