"""Which messages are dropped and summarised, and why: the one decision.

A window always begins with a line of the person, and no answer's calls are ever parted from their
results. A line of the person is the border of a turn; what is put in between (notes, results) is
none.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, compress, count
from math import floor
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from fsm_agent.context.economy import Best, Facts, Numbers, best, half_away, half_up
from fsm_agent.events.values import Economy

Asked: TypeAlias = Literal["auto", "overflow", "plan_confirm", "plan_clear", "manual"]
"""Who asks: the turn before each request, a server that refused one as too long, or a command."""
Why: TypeAlias = Literal["benefit", "valve", "overflow", "plan_confirm", "plan_clear", "manual"]
"""What a cut is made for."""
REFUSED = Fraction(1, 2)
"""The most that may stay of a request that was too long: nobody said by how much it was."""


class Cut(msgspec.Struct, frozen=True):
    """What is dropped, and the numbers behind it.

    Attributes:
        why: What the cut is made for.
        strategy: Whole turns are kept, or the last request and its newest calls.
        start: Index of the first message that is kept; those before it are summarised.
        pinned: Index, below `start`, of the one line that is kept all the same.
        before: Tokens of all messages.
        after: Tokens of those that are kept, without the summary.
        net: What the formula's best candidate saves, in micro-dollars, where it was asked.
        numbers: What the formula was given, where it was asked.
    """

    why: Why
    strategy: Literal["summary", "pinned_request"]
    start: int
    pinned: int | None
    before: int
    after: int
    net: int | None = None
    numbers: Numbers | None = None


class _Window(NamedTuple):
    """The messages: lines of the person, answers, and the tokens of the last `k`, for each `k`."""

    users: Sequence[bool]
    heads: Sequence[bool]
    kept: Sequence[int]

    def cut(self, why: Why, start: int, pinned: int | None = None) -> Cut:
        """A cut at an index."""
        lines = len(self.users)
        after = self.kept[lines - start]
        if pinned is not None:
            after += self.kept[lines - pinned] - self.kept[lines - pinned - 1]
        strategy: Literal["summary", "pinned_request"] = (
            "summary" if pinned is None else "pinned_request"
        )
        return Cut(why, strategy, start, pinned, self.kept[-1], after)


def decide(
    sizes: Sequence[int],
    users: Sequence[bool],
    heads: Sequence[bool],
    facts: Facts,
    economy: Economy,
    why: Asked,
) -> Cut | None:
    """Whether messages are dropped, and which.

    Args:
        sizes: Tokens of each message.
        users: Which are real lines of the person.
        heads: Which are answers of the model; what follows one up to the next belongs to it.
        facts: What the session has cost so far.
        economy: By what it is weighed.
        why: Who asks.
    """
    window = _Window(users, heads, list(accumulate(reversed(sizes), initial=0)))
    keep = Fraction(economy.keep)
    match why:
        case "auto":
            return _weighed(window, facts, economy)
        case "overflow":
            return _forced(window, keep, why, REFUSED)
        case "manual":
            return _whole_turns(window, keep, why) or _last_request(window, keep, why)
        case "plan_confirm" | "plan_clear":
            return _whole_turns(window, keep, why)


def is_full(facts: Facts, economy: Economy) -> bool:
    """Whether the context is above the share of the window from which a cut is forced."""
    return bool(economy.window) and facts.context > _limit(economy)


def _limit(economy: Economy) -> int:
    return economy.window * economy.valve // 100


def _weighed(window: _Window, facts: Facts, economy: Economy) -> Cut | None:
    """A cut that pays; else, where the window is nearly full, one that helps."""
    if not facts.context:
        return None  # nothing was sent yet, so nothing is known
    keep, found = Fraction(economy.keep), best(window.kept, facts, economy)
    cut = _paying(window, found) if found else None
    if cut is None and is_full(facts, economy):
        cut = _forced(window, keep, "valve", Fraction(_limit(economy), facts.context))
    if cut is None or found is None:
        return cut
    return msgspec.structs.replace(cut, net=half_away(found.net), numbers=found.numbers)


def _paying(window: _Window, found: Best) -> Cut | None:
    """The best candidate, moved back to the line of the person that its first line belongs to.

    That only ever keeps more. What then keeps more than any candidate may is not worth a request.
    """
    start = len(window.users) - found.numbers.k
    while start > 0 and not window.users[start]:
        start -= 1
    too_little = len(window.users) - start > found.numbers.most
    return None if found.net <= 0 or start == 0 or too_little else window.cut("benefit", start)


def _forced(window: _Window, keep: Fraction, why: Why, room: Fraction) -> Cut | None:
    """Whole turns are kept if at most so much of the tokens stays, else the last request."""
    turns = _whole_turns(window, keep, why)
    if turns and turns.after <= room * turns.before:
        return turns
    return _last_request(window, keep, why)


def _whole_turns(window: _Window, keep: Fraction, why: Why) -> Cut | None:
    """Keep the last turns, at least such a share of them and at least one."""
    borders = list(compress(count(), window.users))
    if not borders:
        return None
    turns = min(max(half_up(len(borders) * keep), 1), len(borders))
    start = borders[-turns]
    return window.cut(why, start) if start else None


def _last_request(window: _Window, keep: Fraction, why: Why) -> Cut | None:
    """Keep the last line of the person and the newest calls that fit in such a share of tokens.

    The last call is kept whatever its size. So a single long turn can be cut, too.
    """
    lines = len(window.users)
    request = max(compress(count(), window.users), default=None)
    if request is None:
        return None
    calls = [index for index in compress(count(), window.heads) if index > request]
    room = floor(keep * window.kept[-1])
    fitting = (index for index in calls if window.kept[lines - index] <= room)
    start = next(fitting, calls[-1] if calls else request)
    if start > request + 1:
        return window.cut(why, start, request)
    return window.cut(why, request) if request else None  # nothing lies in between
