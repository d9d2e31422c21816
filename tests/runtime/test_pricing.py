"""A model is found by its id, and by nothing that only looks like it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events.inputs import Settings
from fsm_agent.events.values import Economy, Price
from fsm_agent.runtime.pricing import (
    FETCHED,
    SHIPPED,
    UNKNOWN,
    Model,
    ModelList,
    find,
    informed,
    lookup,
    models,
    read_list,
    renamed,
)

CHEAP, DEAR = Price(1, 2, 3, 4), Price(5, 6, 7, 8)
KNOWN = {
    "anthropic/claude-sonnet-5": Model(1000, 10, CHEAP, "here"),
    "anthropic/claude-opus-5.5": Model(2000, 10, DEAR, "here"),
    "openai/gpt-6": Model(3000, 10, CHEAP, "here"),
    "openai/gpt-6-2026-09-10": Model(3000, 10, DEAR, "here"),
    "groq/openai/gpt-oss-120b": Model(4000, 10, CHEAP, "here"),
    "deepseek/deepseek-v4": Model(5000, 10, CHEAP, "here"),
    "dashscope/deepseek-v4": Model(5000, 10, DEAR, "here"),
}
FOUND = [
    ("anthropic", "claude-sonnet-5", "anthropic/claude-sonnet-5"),
    ("anthropic", "Claude-Sonnet-5", "anthropic/claude-sonnet-5"),
    ("anthropic", "claude-sonnet-5-20260901", "anthropic/claude-sonnet-5"),
    ("anthropic", "claude-sonnet-5-latest", "anthropic/claude-sonnet-5"),
    ("anthropic", "claude-sonnet-5@20260901", "anthropic/claude-sonnet-5"),
    ("anthropic", "anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5"),
    ("anthropic", "claude-opus-5-5", "anthropic/claude-opus-5.5"),
    ("openai", "gpt-6-2026-08-01", "openai/gpt-6"),
    ("openai", "gpt-6-2026-09-10", "openai/gpt-6-2026-09-10"),
    ("azure", "gpt-6", "openai/gpt-6"),
    ("groq", "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"),
    ("openrouter", "anthropic/claude-opus-5.5", "anthropic/claude-opus-5.5"),
    ("generic", "claude-sonnet-5", "anthropic/claude-sonnet-5"),
    ("generic", "openrouter/openai/gpt-6", "openai/gpt-6"),
    ("litellm", "dashscope/deepseek-v4", "dashscope/deepseek-v4"),
]
NOT_FOUND = [
    ("anthropic", "claude-sonnet"),
    ("anthropic", "claude-sonnet-5-5"),
    ("anthropic", "claude-sonnet-5-fast"),
    ("anthropic", "gpt-6"),
    ("openai", "gpt-6-mini"),
    ("openai", "gpt-6-20"),
    ("openai", "anthropic/claude-sonnet-5"),
    ("openrouter", "deepseek/deepseek-v4"),
    ("openrouter", "anthropic/claude-sonnet-5:free"),
    ("generic", "deepseek-v4"),
    ("generic", "somebody/claude-sonnet-5"),
    ("generic", "my-claude-sonnet-5"),
    ("generic", ""),
    ("generic", "/"),
]


@pytest.mark.parametrize(("vendor", "model", "key"), FOUND)
def test_a_model_is_found_by_its_id(vendor: str, model: str, key: str) -> None:
    assert find(KNOWN, model, vendor) == KNOWN[key]


@pytest.mark.parametrize(("vendor", "model"), NOT_FOUND)
def test_a_likeness_is_not_enough(vendor: str, model: str) -> None:
    assert find(KNOWN, model, vendor) is UNKNOWN


@given(st.sampled_from(sorted(KNOWN)), st.text("abcdef-.0123456789", min_size=1, max_size=3))
def test_an_id_with_something_more_is_another_model(key: str, more: str) -> None:
    vendor, _, name = key.partition("/")
    longer = f"{name}{more}".replace(".", "-")
    others = {one.partition("/")[2].replace(".", "-") for one in KNOWN}
    if longer not in others:
        assert find(KNOWN, f"{name}{more}", vendor) is UNKNOWN


def settings(base_url: str, model: str = "claude-sonnet-5", **economy: object) -> Settings:
    made = Settings(protocol="anthropic", model=model, base_url=base_url)
    return msgspec.structs.replace(made, economy=msgspec.convert(economy, Economy))


@pytest.mark.parametrize(
    "base_url",
    ["http://127.0.0.1:8080", "http://localhost:11434/v1", "http://[::1]:1", "http://0.0.0.0:8000"],
)
def test_a_server_on_this_machine_has_a_window_and_no_price(base_url: str) -> None:
    assert lookup(KNOWN, settings(base_url)) == Model(1000, 10, None, "here")


def test_a_server_elsewhere_has_both() -> None:
    assert lookup(KNOWN, settings("https://api.anthropic.com")).price == CHEAP
    assert lookup(KNOWN, settings("https://models.example.com/v1")).price == CHEAP
    assert lookup(KNOWN, settings("https://api.openai.com/v1")) is UNKNOWN


# -- the lists ------------------------------------------------------------------------------------


def keep(home: Path, as_of: str, known: Mapping[str, Model]) -> None:
    home.mkdir(exist_ok=True)
    (home / FETCHED).write_bytes(msgspec.json.encode(ModelList(as_of, dict(known))))


SONNET = "anthropic/claude-sonnet-5"


@pytest.mark.parametrize(("as_of", "wins"), [("2999-01-01", True), ("2000-01-01", False)])
def test_the_newer_of_two_lists_wins(as_of: str, *, wins: bool, home: Path) -> None:
    keep(home, as_of, {SONNET: KNOWN[SONNET], "openai/gpt-99": DEAR_MODEL})

    assert (models(home)[SONNET] == KNOWN[SONNET]) is wins
    assert models(home)["openai/gpt-99"] == DEAR_MODEL
    assert "openai/gpt-5.2" in models(home)


DEAR_MODEL = Model(9, 9, DEAR, "there")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"as_of":1}', b"\xff"])
def test_a_list_that_cannot_be_read_is_as_none(data: bytes, home: Path) -> None:
    home.mkdir()
    (home / FETCHED).write_bytes(data)

    assert models(home) == models(home / "nowhere")


def test_the_shipped_list_has_what_people_use() -> None:
    shipped = read_list(SHIPPED)
    assert shipped
    for vendor, model in [
        ("anthropic", "claude-sonnet-5"),
        ("openai", "gpt-5.2"),
        ("deepseek", "deepseek-v4-pro"),
        ("openrouter", "anthropic/claude-sonnet-4.5"),
    ]:
        found = find(shipped.models, model, vendor)
        assert found.price
        assert found.window >= 128_000


def test_no_two_ids_of_the_shipped_list_are_spelt_alike() -> None:
    shipped = read_list(SHIPPED)
    assert shipped
    spelt = [key.lower().replace(".", "-") for key in shipped.models]

    assert len(set(spelt)) == len(spelt)


def test_each_tier_of_the_shipped_list_is_dearer_than_the_one_below() -> None:
    shipped = read_list(SHIPPED)
    assert shipped
    prices = [one.price for one in shipped.models.values()]
    tiered = [price for price in prices if price and price.tier]
    assert tiered
    for price in tiered:
        assert price.tier
        assert price.above > 0
        assert price.tier.above == 0 or price.tier.above > price.above
        assert price.tier.input >= price.input
        assert price.tier.output >= price.output


# -- the settings -----------------------------------------------------------------------------------

ANTHROPIC = "https://api.anthropic.com"


def test_settings_are_told_what_their_model_takes_and_costs(home: Path) -> None:
    keep(home, "2999-01-01", KNOWN)
    told = informed(settings(ANTHROPIC), home).economy

    assert (told.window, told.price) == (1000, CHEAP)


def test_what_was_given_by_hand_stays(home: Path) -> None:
    keep(home, "2999-01-01", KNOWN)
    given_by_hand = settings(ANTHROPIC, window=7, price={**msgspec.structs.asdict(DEAR)})

    assert informed(given_by_hand, home) == given_by_hand
    assert renamed(given_by_hand, "claude-opus-5-5", home).economy == given_by_hand.economy


def test_another_model_has_another_price(home: Path) -> None:
    keep(home, "2999-01-01", KNOWN)
    first = informed(settings(ANTHROPIC), home)
    second = renamed(first, "claude-opus-5-5", home)
    third = renamed(second, "nobody-knows", home)

    assert (second.model, second.economy.window, second.economy.price) == (
        "claude-opus-5-5",
        2000,
        DEAR,
    )
    assert (third.economy.window, third.economy.price) == (0, None)


def test_the_scripted_model_costs_nothing_that_is_known(home: Path) -> None:
    scripted = Settings(protocol="scripted", model="gpt-5.2")

    assert informed(scripted, home) == scripted
    assert renamed(scripted, "gpt-5.1", home).economy == Economy()
