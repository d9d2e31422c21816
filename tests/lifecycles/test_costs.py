"""What a session costs follows from its lines alone; unknown is no zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from fsm_agent.events.derived import SendRequest
from fsm_agent.events.inputs import Broken, Completed, Event, Rejected, Settings, Stopped
from fsm_agent.events.lines import Kind, Line
from fsm_agent.events.values import Blob, Economy, Failure, Price, Usage
from fsm_agent.lifecycles.fold import apply
from fsm_agent.lifecycles.projections import stats
from fsm_agent.lifecycles.world import World

SONNET = Price(3_000_000, 15_000_000, 300_000, 3_750_000)
USAGE = Usage(input=1000, output=100, cache_read=10_000, cache_write=2000)
COST = 1000 * 3 + 100 * 15 + 10_000 * 3 // 10 + 2000 * 375 // 100
"""What `USAGE` costs at the price of `SONNET`, in micro-dollars."""
LOST = Failure("stream_interrupted", "lost", retry=True)
TURN: dict[str, Any] = {"instance": "turn-1", "activity": 1}


def no_blob(_: Blob) -> str:
    raise AssertionError("there are no blobs here")


def after(events: Iterable[Event]) -> World:
    """The world after these lines."""
    world = World(no_blob)
    for seq, event in enumerate(events):
        kind: Kind = "derived" if isinstance(event, SendRequest) else "input"
        apply(world, Line(seq, "2026-11-30T09:12:44.120Z", kind, event))
    return world


def settings(price: Price | None) -> Settings:
    return Settings(protocol="openai", model="m", economy=Economy(price=price))


def asked() -> SendRequest:
    return SendRequest(
        instance="turn-1", protocol="openai", model="m", purpose="turn", digest="", bytes=1
    )


def answered(usage: Usage | None = USAGE) -> Completed:
    return Completed(**TURN, stop="end_turn", usage=usage)


def test_the_four_buckets_each_have_their_price() -> None:
    world = after([settings(SONNET), asked(), answered(), asked(), answered()])

    assert (world.cost, world.unpriced) == (2 * COST, 0)


def test_a_request_costs_what_its_model_cost_when_it_was_asked() -> None:
    world = after([settings(SONNET), asked(), settings(None), answered()])

    assert (world.cost, world.unpriced) == (COST, 0)


@pytest.mark.parametrize(
    "end",
    [answered(None), Broken(**TURN, failure=LOST), Stopped(**TURN)],
    ids=["completed", "broken", "stopped"],
)
def test_an_answer_without_usage_has_an_unknown_cost(end: Event) -> None:
    world = after([settings(SONNET), asked(), answered(), asked(), end])

    assert (world.cost, world.unpriced) == (COST, 1)


def test_a_refused_request_costs_nothing() -> None:
    world = after([settings(SONNET), asked(), Rejected(**TURN, failure=LOST)])

    assert (world.cost, world.unpriced) == (0, 0)


def test_a_stopped_tool_costs_nothing() -> None:
    world = after([settings(SONNET), Stopped(instance="tool-1.1", activity=1)])

    assert (world.cost, world.unpriced) == (0, 0)


def figures(world: World) -> Any:
    return msgspec.json.decode(stats(world))


def test_stats_have_the_cost_in_micro_dollars() -> None:
    shown = figures(after([settings(SONNET), asked(), answered()]))

    assert (shown["total_cost_microdollars"], shown["unpriced_answer_count"]) == (COST, 0)


def test_stats_have_no_cost_while_any_of_it_is_unknown() -> None:
    shown = figures(
        after([settings(SONNET), asked(), answered(), settings(None), asked(), answered()])
    )

    assert (shown["total_cost_microdollars"], shown["unpriced_answer_count"]) == (None, 1)


def test_the_dearer_tier_holds_for_the_whole_of_a_long_request() -> None:
    dear = Price(6_000_000, 30_000_000, 600_000, 7_500_000)
    price = msgspec.structs.replace(SONNET, above=200_000, tier=dear)

    assert price.cost(Usage(input=200_000, output=1)) == 200_000 * 3 + 15
    assert price.cost(Usage(input=1, cache_read=200_000)) == 6 + 120_000


def test_a_cost_is_rounded_up() -> None:
    assert Price(1, 0, 0, 0).cost(Usage(input=1)) == 1
