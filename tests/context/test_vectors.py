"""Histories with known numbers and decisions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fsm_agent.context.cutting import decide
from fsm_agent.context.economy import Facts, Formula, best, bounds, decimal
from fsm_agent.events.values import Economy, Price

WINDOW = 200_000
DATA = Path(__file__).parent / "data" / "compaction.json"
DOLLAR = 10**12
"""Token prices are micro-dollars per million tokens."""


class Vector(NamedTuple):
    """A history: tokens of its lines, which are the person's and which answers; what is right."""

    name: str
    sizes: list[int]
    users: list[bool]
    heads: list[bool]
    facts: Facts
    economy: Economy
    expect: dict[str, Any]

    @property
    def kept(self) -> list[int]:
        return list(accumulate(reversed(self.sizes), initial=0))


def read(raw: dict[str, Any]) -> Vector:
    """One vector of the file."""
    repeat, stats = raw.get("repeat", 1), raw["stats"]
    users = [bool(user) for user in raw["user"]] * repeat
    return Vector(
        name=raw["id"],
        sizes=raw.get("sizes") or raw["pattern"] * repeat,
        users=users,
        heads=answers(users),
        facts=Facts(
            turns=stats["t"],
            requests=stats["requests"],
            tokens=stats["total_input"],
            cuts=stats["compactions"],
            context=WINDOW // 2,
        ),
        economy=economy(**raw["cfg"]),
        expect=raw["expect"],
    )


def answers(users: list[bool]) -> list[bool]:
    """Behind a line of the person an answer, then results and answers in turn."""
    heads: list[bool] = []
    for user in users:
        heads.append(not user and not (heads and heads[-1]))
    return heads


def economy(**given: Any) -> Economy:
    """An economy by the vectors' names; their prices are dollars per million tokens."""
    prices = {"p_input": 3.0, "p_cache": 0.3, "p_out": 15.0, **given}
    fresh, cached, output = (round(prices[name] * 1e6) for name in ("p_input", "p_cache", "p_out"))
    return Economy(
        window=WINDOW,
        price=Price(input=fresh, output=output, cache_read=cached, cache_write=fresh),
        calls=given.get("DP_L", 5),
        turns_left=given.get("e_fixed", 0),
        keep=str(given.get("ratio", 0.3)),
        quality=str(given.get("qp", 0)),
    )


VECTORS = [read(raw) for raw in json.loads(DATA.read_text(encoding="utf-8"))]
each = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)


@each
def test_what_goes_in_is_reckoned(vector: Vector) -> None:
    formula, expect = Formula(vector.facts, vector.economy), vector.expect

    assert (len(vector.sizes), sum(vector.sizes)) == (expect["N"], expect["T"])
    assert (formula.calls, formula.average) == (expect["R"], expect["avg"])
    assert float(decimal(formula.retention)) == expect["r_t"]


@each
def test_each_candidate_saves_what_it_should(vector: Vector) -> None:
    formula, kept = Formula(vector.facts, vector.economy), vector.kept
    nets = {
        int(k): formula.net(kept[int(k)], kept[-1] - kept[int(k)]) / formula.unit / DOLLAR
        for k in vector.expect["net"]
    }

    assert nets == pytest.approx(
        {int(k): net for k, net in vector.expect["net"].items()}, abs=1e-6, rel=0
    )


@each
def test_the_best_candidate_is_found(vector: Vector) -> None:
    found = best(vector.kept, vector.facts, vector.economy)
    expect = vector.expect

    assert found
    numbers = found.numbers
    assert (numbers.k, numbers.least, numbers.most) == (
        expect["best_k"],
        expect["min_keep"],
        expect["max_keep"],
    )
    assert float(found.net) == pytest.approx(expect["net"][str(numbers.k)] * 1e6, abs=1)


@each
def test_the_decision_is_right(vector: Vector) -> None:
    cut = decide(vector.sizes, vector.users, vector.heads, vector.facts, vector.economy, "auto")

    if vector.expect["decision"] == "compact":
        assert cut
        assert (cut.why, cut.strategy) == ("benefit", "summary")
        assert cut.start == vector.expect["drop"]
        assert len(vector.sizes) - cut.start == vector.expect["keep"]
    else:
        assert cut is None


def test_what_a_cut_leaves_is_not_cut_again() -> None:
    first = next(vector for vector in VECTORS if vector.name == "V1")
    cut = decide(first.sizes, first.users, first.heads, first.facts, first.economy, "auto")
    assert cut

    assert not decide(
        first.sizes[cut.start :],
        first.users[cut.start :],
        first.heads[cut.start :],
        Facts(turns=5, requests=10, tokens=120_000, cuts=1, context=cut.after),
        first.economy,
        "auto",
    )


@pytest.mark.parametrize(("dropped", "net"), [(65_000, 0.1153848), (95_000, 0.2053848)])
def test_the_worked_example_holds(dropped: int, net: float) -> None:
    formula = Formula(
        Facts(turns=4, requests=0, tokens=0, cuts=1, context=0), economy(e_fixed=4, DP_L=3)
    )

    assert formula.net(25_000, dropped) / formula.unit / DOLLAR == pytest.approx(net, abs=1e-9)


@pytest.mark.parametrize(("dropped", "net"), [(6555, -0.000003), (6556, 0.0000024)])
def test_one_token_turns_the_scale(dropped: int, net: float) -> None:
    formula = Formula(Facts(5, 10, 120_000, 0, 1), economy())

    assert formula.net(7600, dropped) / formula.unit / DOLLAR == pytest.approx(net, abs=1e-9)


BOUNDS = {
    1: ((1, 1), (1, 1), (1, 1)),
    2: ((2, 2), (2, 2), (2, 2)),
    3: ((3, 3), (3, 3), (3, 3)),
    4: ((3, 3), (3, 3), (3, 4)),
    5: ((3, 4), (3, 4), (3, 5)),
    8: ((3, 6), (3, 6), (5, 8)),
    12: ((4, 8), (3, 9), (7, 12)),
    15: ((5, 11), (4, 11), (9, 15)),
    20: ((6, 14), (5, 15), (12, 20)),
    40: ((12, 28), (10, 30), (24, 40)),
}
"""Lines: the fewest and the most kept with a least share of 0.3, 0.25 and 0.6."""


@pytest.mark.parametrize("lines", BOUNDS)
def test_candidates_lie_within_bounds(lines: int) -> None:
    assert tuple(bounds(lines, Fraction(keep)) for keep in ("0.3", "0.25", "0.6")) == BOUNDS[lines]
