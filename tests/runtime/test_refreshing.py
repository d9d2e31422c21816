"""A newer list of models is taken whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.errors import NotFetched
from fsm_agent.events.values import Price
from fsm_agent.runtime.pricing import FETCHED, Model, models, read_list
from fsm_agent.runtime.refreshing import FRESH_S, read_models, refresh
from fsm_agent.testing import ModelServer, Reply

NOON = 1_796_040_000.0
"""2026-11-30, in Unix time."""


class At:
    """A clock that stands."""

    def __init__(self, unix: float = NOON) -> None:
        self._unix = unix

    def unix(self) -> float:
        return self._unix

    def session_id(self) -> str:
        raise AssertionError("no session is made here")


SONNET: dict[str, Any] = {
    "id": "claude-sonnet-6",
    "limit": {"context": 2_000_000, "output": 64_000},
    "cost": {"input": 2, "output": 10.5, "cache_read": 0.2, "cache_write": 2.5},
    "reasoning": True,
}
LONG = {
    "limit": {"context": 1_050_000, "input": 922_000, "output": 128_000},
    "cost": {
        "input": 1,
        "output": 4,
        "context_over_200k": {"input": 2, "output": 6},
        "context_over_500k": {"input": 3, "output": 9, "cache_read": 0.3},
    },
}


def listing(**providers: object) -> bytes:
    return msgspec.json.encode({name: {"models": entries} for name, entries in providers.items()})


LIST = listing(anthropic={"claude-sonnet-6": SONNET}, nobody={"m": SONNET})


def served(body: bytes = LIST, etag: str = '"v1"') -> Reply:
    return Reply((body,), headers={"Content-Type": "application/json", "ETag": etag})


def age(home: Path, seconds: float) -> None:
    """Let the fetched list have been written so long before noon."""
    os.utime(home / FETCHED, (NOON - seconds, NOON - seconds))


def test_a_fetched_list_is_known_from_then_on(home: Path) -> None:
    with ModelServer(served()) as server:
        new = refresh(home, At(), f"{server.url}/api.json")

    assert new
    assert (new.as_of, new.etag, list(new.models)) == (
        "2026-11-30",
        '"v1"',
        ["anthropic/claude-sonnet-6"],
    )
    found = models(home)["anthropic/claude-sonnet-6"]
    assert found.price == Price(2_000_000, 10_500_000, 200_000, 2_500_000)
    assert (found.window, found.output, found.source) == (
        2_000_000,
        64_000,
        f"{server.url}/api.json",
    )
    assert [file.name for file in home.iterdir()] == [FETCHED]


def test_within_a_week_nobody_is_asked_unless_forced(home: Path) -> None:
    with ModelServer(served(), served(etag='"v2"')) as server:
        refresh(home, At(), server.url)
        age(home, FRESH_S - 1)

        assert refresh(home, At(), server.url) is None
        assert len(server.requests) == 1
        forced = refresh(home, At(), server.url, force=True)
        assert forced
        assert forced.etag == '"v2"'


def test_after_a_week_an_unchanged_list_is_confirmed(home: Path) -> None:
    with ModelServer(served(), Reply(status=304, headers={}, framing="length")) as server:
        first = refresh(home, At(), server.url)
        age(home, FRESH_S)
        second = refresh(home, At(NOON + 86_400), server.url)

        assert server.requests[1].headers["if-none-match"] == '"v1"'
    assert first
    assert second == msgspec.structs.replace(first, as_of="2026-12-01")
    assert read_list(home / FETCHED) == second


def test_another_server_is_asked_for_the_whole_list(home: Path) -> None:
    with ModelServer(served()) as one, ModelServer(served()) as other:
        refresh(home, At(), one.url)
        refresh(home, At(), other.url)

        assert "if-none-match" not in other.requests[0].headers


BAD = {
    "no JSON": served(b"<html>"),
    "cut JSON": served(LIST[:-5]),
    "an array": served(b"[]"),
    "nothing known": served(listing(nobody={"m": SONNET})),
    "no models": served(listing(anthropic=[])),
    "nothing": served(b""),
    "nested without end": served(b'{"anthropic":' * 20_000),
    "a status": Reply((b"no",), 404, {}),
    "a cut": Reply((LIST,), headers={}, framing="length", missing=10, ending="cut"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_list_leaves_the_old_one(name: str, home: Path) -> None:
    with ModelServer(served(), BAD[name]) as server:
        refresh(home, At(), server.url)
        before = (home / FETCHED).read_bytes()
        with pytest.raises(NotFetched, match=server.url):
            refresh(home, At(), server.url, force=True)

    assert (home / FETCHED).read_bytes() == before
    assert [file.name for file in home.iterdir()] == [FETCHED]


def test_a_list_that_cannot_be_kept_is_said(home: Path) -> None:
    home.mkdir()
    (home / FETCHED).mkdir()
    with ModelServer(served()) as server, pytest.raises(NotFetched, match="cannot be written"):
        refresh(home, At(), server.url)

    assert [file.name for file in home.iterdir()] == [FETCHED]


def test_a_long_prompt_has_its_own_price() -> None:
    (found,) = read_models(listing(openai={"M": LONG}), "u").values()
    dearest = Price(3_000_000, 9_000_000, 300_000, 3_000_000)
    dearer = Price(2_000_000, 6_000_000, 2_000_000, 2_000_000, above=500_000, tier=dearest)

    assert found == Model(
        922_000,
        128_000,
        Price(1_000_000, 4_000_000, 1_000_000, 1_000_000, above=200_000, tier=dearer),
        "u",
    )


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {"limit": {"context": "long"}},
        {"cost": {"input": "free", "output": 1}},
        {"cost": {"input": -1, "output": 1}},
        {"cost": {"input": 1e300, "output": 1}},
        {"cost": {"input": 1, "output": 1, "context_over_200k": 5}},
    ],
)
def test_an_entry_that_cannot_be_read_is_left_out(entry: object) -> None:
    found = read_models(listing(anthropic={"bad": entry, "claude-sonnet-6": SONNET}), "u")

    assert list(found) == ["anthropic/claude-sonnet-6"]


@pytest.mark.parametrize("entry", [{}, {"limit": {}}, {"cost": None}, {"cost": {"output": 1}}])
def test_what_is_not_said_is_unknown(entry: object) -> None:
    (found,) = read_models(listing(anthropic={"m": entry}), "u").values()

    assert (found.window, found.price) == (0, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["models", "m", "limit", "cost", "input"]), inner)
    ),
)


@given(JSON)
def test_whatever_comes_is_a_list_or_refused(value: object) -> None:
    for body in (msgspec.json.encode(value), listing(openai=value), listing(openai={"m": value})):
        try:
            found = read_models(body, "u")
        except NotFetched:
            continue
        assert found
        assert all(isinstance(one, Model) for one in found.values())
