"""What a cut of the context saves: the NetBenefit formula, exactly.

A summary replaces the oldest lines and the last `k` stay. With K tokens in the lines that stay and
H in those that go, it saves, in dollars,

    net(k) = (R - 1)·Pc·H               the R requests to come read H fewer tokens from the cache
           - (S + K)·(Pi - Pc)          the first of them finds neither summary nor lines there
           - (Pc·(V + H) + Pi·I + Po·S) the request for the summary
           - β·(1 - r)·R·avg·Pi         what a summary forgets is asked for again
           + q·Pi·((V + H + K)² - (V + K)²)/M   a full window dulls (where it is weighed at all)

R: turns expected times requests a turn. Pi, Pc, Po: prices of a token, fresh, read from the cache,
and output. S, V, I: tokens of the summary, of what stands before the lines, of the instruction.
r: what is left of what was known after all summaries so far and this one. avg: mean prompt of a
request. β, q: weights. M: the window.

All of it is whole numbers and fractions: a replay decides the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor, lcm

import msgspec

from fsm_agent.events.values import Economy, Price

SEED_PRICE = Price(input=3_000_000, output=15_000_000, cache_read=300_000, cache_write=3_750_000)
"""What is reckoned with where a model's price is unknown."""
CALLS = 5
"""Requests a turn, before any was measured."""
AVERAGE = 4000
"""Tokens of a prompt, before any was measured."""
FEWEST_TURNS = 2
"""Turns that are always expected where nothing else is said."""
LEAST_LINES = 3
"""Lines that are always kept."""
LEAST_RETENTION = Fraction("0.37")
"""What summaries of summaries keep in the end, as measured."""
CROWDED = Fraction("0.3")
"""Share of the window above which fullness counts."""
MICRO = 1_000_000


class Facts(msgspec.Struct, frozen=True):
    """What the session has cost so far.

    Attributes:
        turns: The person's turns so far, never reset.
        requests: Requests of turns.
        tokens: Prompt tokens of all of those.
        cuts: Summaries so far.
        context: Tokens of the last prompt (0: none was sent yet).
    """

    turns: int
    requests: int
    tokens: int
    cuts: int
    context: int


class Numbers(msgspec.Struct, frozen=True):
    """What the formula was given and what it chose, for the log.

    Attributes:
        k: Lines that the best candidate keeps, before it is aligned.
        least: The fewest lines that a candidate may keep.
        most: The most.
        kept: Tokens of those `k` lines (K).
        dropped: Tokens of all others (H).
        calls: Requests still expected (R), as a decimal text.
        average: Mean prompt in tokens (avg), as a decimal text.
        retention: What is left of what was known (r), as a decimal text.
    """

    k: int
    least: int
    most: int
    kept: int
    dropped: int
    calls: str
    average: str
    retention: str


class Best(msgspec.Struct, frozen=True):
    """The candidate that saves most, what it saves in micro-dollars, and the numbers behind it."""

    net: Fraction
    numbers: Numbers


class Formula:
    """The formula at one moment: its coefficients over one denominator, so that it is quick.

    A price is in micro-dollars per million tokens; so price times tokens is in trillionths of a
    dollar, and a coefficient in `unit` parts of those.
    """

    def __init__(self, facts: Facts, economy: Economy) -> None:
        price = economy.price or SEED_PRICE
        colder = price.input - price.cache_read
        self.calls = turns_left(facts, economy) * calls_a_turn(facts, economy)
        self.retention = max(Fraction(economy.retention) ** (facts.cuts + 1), LEAST_RETENTION)
        measured = facts.tokens > 0 and facts.requests > 0
        self.average = Fraction(facts.tokens, facts.requests) if measured else Fraction(AVERAGE)
        forgotten = Fraction(economy.loss) * (1 - self.retention) * self.calls * self.average
        once = (
            economy.summary * (colder + price.output)
            + economy.fixed * price.cache_read
            + (economy.instruction + forgotten) * price.input
        )
        dulled = Fraction(0)
        if economy.window:
            dulled = Fraction(economy.quality) * price.input / economy.window
        self.unit = lcm(self.calls.denominator, once.denominator, dulled.denominator)
        self._dropped = int((self.calls - 2) * price.cache_read * self.unit)
        self._kept = colder * self.unit
        self._once = int(once * self.unit)
        self._dulled = int(dulled * self.unit)
        self._crowded = floor(CROWDED * economy.window)
        self._fixed = economy.fixed

    def net(self, kept: int, dropped: int) -> int:
        """What is saved, in `unit` parts of a trillionth of a dollar.

        The terms above, sorted by what they grow with: H stands R - 1 times in the first and,
        against that, once in the third.
        """
        net = self._dropped * dropped - self._kept * kept - self._once
        if self._dulled and kept + dropped > self._crowded:
            after = self._fixed + kept
            net += self._dulled * ((after + dropped) ** 2 - after**2)
        return net


def size(message_bytes: int) -> int:
    """Tokens of a message, estimated by the bytes of its JSON."""
    return (message_bytes + 3) // 4 + 1


def turns_left(facts: Facts, economy: Economy) -> int:
    """Turns of the person that are still expected (E)."""
    if economy.turns_left > 0:
        return economy.turns_left
    if economy.turns <= 0:
        return FEWEST_TURNS
    return max(economy.turns - facts.turns, economy.turns // 2 or FEWEST_TURNS)


def calls_a_turn(facts: Facts, economy: Economy) -> Fraction:
    """Requests of a turn (L): as set, else as measured; at least 1."""
    if economy.calls > 0:
        return Fraction(economy.calls)
    if facts.turns <= 0 or facts.requests <= 0:
        return Fraction(CALLS)
    return max(Fraction(facts.requests, facts.turns), Fraction(1))


def bounds(lines: int, keep: Fraction) -> tuple[int, int]:
    """The fewest and the most lines that may stay of so many; `keep` is the least share."""
    least = min(max(half_up(lines * keep), LEAST_LINES), lines)
    most = min(half_up(lines * (1 - keep)), lines)
    return least, most if most >= least else lines


def best(kept: Sequence[int], facts: Facts, economy: Economy) -> Best | None:
    """The candidate that saves most, the shortest of equals; none if nothing could be dropped.

    Args:
        kept: Tokens of the last `k` lines, for each `k` from 0 to all.
        facts: What the session has cost so far.
        economy: By what it is weighed.
    """
    formula, whole = Formula(facts, economy), kept[-1]
    least, most = bounds(len(kept) - 1, Fraction(economy.keep))
    nets = [
        (formula.net(kept[k], whole - kept[k]), k)
        for k in range(least, most + 1)
        if kept[k] < whole
    ]
    if not nets:
        return None
    net, k = max(nets, key=lambda pair: pair[0])  # the first of equals
    return Best(
        net=Fraction(net, formula.unit * MICRO),
        numbers=Numbers(
            k=k,
            least=least,
            most=most,
            kept=kept[k],
            dropped=whole - kept[k],
            calls=decimal(formula.calls),
            average=decimal(formula.average),
            retention=decimal(formula.retention),
        ),
    )


def may_pay(sums: Sequence[int], facts: Facts, economy: Economy) -> bool:
    """Whether `best` could find anything that saves, told without looking at all messages.

    What saves at all saves most with the fewest lines kept, as long as a fresh token costs more
    than a cached one: then the gain of a dropped token (R - 2 times the cached price) is less than
    the loss by a kept one.

    Args:
        sums: Tokens of the messages up to each, and with it.
        facts: What the session has cost so far.
        economy: By what it is weighed.
    """
    price = economy.price or SEED_PRICE
    if price.input < price.cache_read:
        return True
    least, _ = bounds(len(sums), Fraction(economy.keep))
    dropped = sums[-least - 1] if least < len(sums) else 0
    return dropped > 0 and Formula(facts, economy).net(sums[-1] - dropped, dropped) > 0


def half_up(number: Fraction) -> int:
    """The nearest whole number, the higher of two (`round` would take the even one)."""
    return floor(number + Fraction(1, 2))


def half_away(number: Fraction) -> int:
    """The nearest whole number, of two the one that is farther from zero."""
    return half_up(number) if number >= 0 else -half_up(-number)


def decimal(number: Fraction) -> str:
    """A number with at most six decimals, as a text."""
    return f"{Decimal(half_away(number * MICRO)) / MICRO:f}"
