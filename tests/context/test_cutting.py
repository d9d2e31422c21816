"""Which messages go: borders of turns, the valve, the pinned request."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fsm_agent.context.cutting import Asked, Cut, decide
from fsm_agent.context.economy import Facts
from fsm_agent.events.values import Economy, Price

NEVER = Economy(window=200_000, turns_left=1, calls=1)
"""With one request to come nothing can pay."""
ALWAYS = Economy(window=200_000, turns_left=10, calls=10, loss="0")
NEW = Facts(turns=1, requests=1, tokens=1, cuts=0, context=0)
HALF = replace(NEW, context=100_000)
FULL = replace(NEW, context=180_001)


def history(turns: str) -> tuple[list[bool], list[bool]]:
    """Lines of the person and answers, of a history such as `uaraura`: user, answer, result."""
    return [line == "u" for line in turns], [line == "a" for line in turns]


def cut(
    turns: str, why: Asked, economy: Economy = NEVER, facts: Facts = FULL, **at: int
) -> Cut | None:
    """The cut of a history; its lines have 1000 tokens, or those given as `at`, as in `i3=9000`."""
    sizes = [at.get(f"i{index}", 1000) for index in range(len(turns))]
    return decide(sizes, *history(turns), facts, economy, why)


def kept(turns: str, found: Cut | None) -> str:
    """What a cut leaves of a history."""
    if found is None:
        return turns
    pinned = "" if found.pinned is None else turns[found.pinned]
    return pinned + turns[found.start :]


@pytest.mark.parametrize(
    ("turns", "lines"), [(1, 4), (2, 4), (3, 4), (4, 4), (5, 8), (7, 8), (10, 12), (15, 20)]
)
@pytest.mark.parametrize("why", ["manual", "plan_confirm", "plan_clear", "overflow", "auto"])
def test_a_share_of_the_turns_is_kept(turns: int, lines: int, why: Asked) -> None:
    found = cut("uara" * turns, why)

    if turns == 1:
        assert found is None or found.strategy == "pinned_request"
    else:
        assert found
        assert (found.strategy, found.start) == ("summary", 4 * turns - lines)
        assert (found.before, found.after) == (4000 * turns, 1000 * lines)


def test_a_plan_s_confirmation_keeps_its_call_and_what_led_to_it() -> None:
    found = cut("uara" * 5 + "u" + "a", "plan_confirm")

    assert found
    assert (found.why, found.start, found.pinned) == ("plan_confirm", 16, None)


@pytest.mark.parametrize("why", ["plan_confirm", "plan_clear"])
def test_a_plan_s_command_in_the_first_turn_drops_nothing(why: Asked) -> None:
    assert cut("uara", why) is None


@pytest.mark.parametrize("why", get_args(Asked))
@pytest.mark.parametrize("turns", ["", "u", "a", "uu", "ua", "arar", "rrr"])
def test_where_nothing_can_go_nothing_goes(turns: str, why: Asked) -> None:
    found = cut(turns, why)

    assert found is None or kept(turns, found) == "u"


@pytest.mark.parametrize(
    ("context", "window", "fires"),
    [
        (180_000, 200_000, False),
        (180_001, 200_000, True),
        (900, 1001, False),
        (901, 1001, True),
        (999_999_999, 0, False),
        (0, 200_000, False),
    ],
)
def test_the_valve_opens_above_its_share_of_a_known_window(
    context: int, window: int, fires: bool
) -> None:
    economy = replace(NEVER, window=window)
    found = cut("uara" * 5, "auto", economy, replace(NEW, context=context))

    assert (found is not None) == fires


def test_a_cut_by_the_valve_says_what_the_formula_thought() -> None:
    found = cut("uara" * 5, "auto")

    assert found
    assert found.why == "valve"
    assert found.net is not None
    assert found.net < 0
    assert found.numbers
    assert found.numbers.calls == "1"


def test_a_cut_that_pays_needs_no_valve() -> None:
    found = cut("uara" * 5, "auto", ALWAYS, HALF)

    assert found
    assert (found.why, found.start) == ("benefit", 12)
    assert found.net is not None
    assert found.net > 0


def test_nothing_is_decided_before_the_first_answer() -> None:
    assert cut("uara" * 5, "auto", ALWAYS, NEW) is None


def test_a_benefit_that_alignment_takes_away_is_none() -> None:
    turns = "u" + "ar" * 4 + "u" + "ar" * 20  # the candidates begin in the second turn

    assert cut(turns, "auto", ALWAYS, HALF) is None
    assert cut("u" + "ar" * 20 + "u" + "ar" * 10, "auto", ALWAYS, HALF) is not None


def test_a_benefit_that_reaches_the_first_line_is_none() -> None:
    all_of_it = replace(ALWAYS, keep="0.6")  # candidates may keep every line

    assert cut("u" + "ar" * 20, "auto", all_of_it, HALF) is None


def test_what_saves_nothing_is_not_done() -> None:
    free = Price(input=0, output=0, cache_read=0, cache_write=0)

    assert cut("uara" * 5, "auto", replace(ALWAYS, price=free), HALF) is None


def test_the_valve_opens_whatever_alignment_has_refused() -> None:
    found = cut("u" + "ar" * 4 + "u" + "ar" * 20, "auto", ALWAYS, replace(HALF, context=199_000))

    assert found
    assert found.why == "valve"
    assert found.net is not None
    assert found.net > 0


@pytest.mark.parametrize("why", ["auto", "overflow", "manual"])
def test_one_long_turn_keeps_its_request_and_the_newest_calls(why: Asked) -> None:
    turns = "u" + "ar" * 12
    found = cut(turns, why)

    assert found
    assert (found.strategy, found.pinned, found.start) == ("pinned_request", 0, 19)
    assert kept(turns, found) == "u" + "ar" * 3
    assert (found.before, found.after) == (25_000, 7000)


def test_the_last_call_is_kept_whatever_its_size() -> None:
    turns = "u" + "ar" * 3
    found = cut(turns, "overflow", i6=100_000)

    assert kept(turns, found) == "uar"


def test_answers_that_are_not_settled_are_not_passed() -> None:
    turns = "u" + "ar" * 3 + "a"

    assert kept(turns, cut(turns, "overflow", i5=100_000)) == "ua"


def test_whole_turns_that_are_not_enough_give_way_to_the_request() -> None:
    found = cut("ua" + "u" + "ar" * 20, "auto", facts=replace(FULL, context=199_000))

    assert found
    assert (found.why, found.strategy, found.pinned) == ("valve", "pinned_request", 2)


def test_a_refused_request_is_halved_at_least() -> None:
    turns = "uara" * 3
    small, large = cut(turns, "overflow"), cut(turns, "overflow", i9=10_000)

    assert small
    assert (small.strategy, small.start) == ("summary", 8)
    assert large
    assert (large.strategy, large.pinned, large.start) == ("pinned_request", 8, 11)


def test_a_request_without_calls_is_all_that_is_left() -> None:
    found = cut("uarau", "overflow", i4=100_000)

    assert found
    assert (found.strategy, found.start, found.pinned) == ("summary", 4, None)


HISTORIES = st.lists(st.sampled_from(["u", "ua", "uar", "uara", "uarararara", "n", "nar"])).map(
    "".join
)
ECONOMIES = st.builds(
    Economy,
    window=st.sampled_from([0, 1000, 200_000]),
    turns_left=st.integers(0, 10),
    calls=st.integers(0, 10),
    keep=st.sampled_from(["0", "0.25", "0.3", "0.6", "1"]),
    valve=st.integers(0, 100),
)
SIZES = st.dictionaries(st.integers(0, 40).map("i{}".format), st.integers(1, 100_000))
FACTS = st.builds(
    Facts, *[st.integers(0, 40)] * 2, *[st.integers(0, 10)] * 2, st.integers(0, 250_000)
)


@given(HISTORIES, st.sampled_from(get_args(Asked)), ECONOMIES, FACTS, SIZES)
def test_a_window_begins_with_the_person_and_parts_no_pair(
    turns: str, why: Asked, economy: Economy, facts: Facts, sizes: dict[str, int]
) -> None:
    found = cut(turns, why, economy, facts, **sizes)

    assert found is None or kept(turns, found).startswith("u")
    if found:
        assert turns[found.start] in "ua"  # what follows an answer stays with it
        assert 0 < found.start < len(turns)
        assert found.pinned is None or found.pinned + 1 < found.start
        assert 0 < found.after < found.before


@given(HISTORIES, ECONOMIES, FACTS, SIZES)
def test_alignment_only_ever_keeps_more(
    turns: str, economy: Economy, facts: Facts, sizes: dict[str, int]
) -> None:
    found = cut(turns, "auto", replace(economy, window=0), facts, **sizes)

    if found:
        assert found.numbers
        assert found.numbers.k <= len(turns) - found.start <= found.numbers.most
        assert turns[found.start] == "u"


@given(HISTORIES, ECONOMIES, FACTS, SIZES)
def test_the_valve_opens_for_whatever_can_go(
    turns: str, economy: Economy, facts: Facts, sizes: dict[str, int]
) -> None:
    economy = replace(economy, window=1000, valve=90)
    found = cut(turns, "auto", economy, replace(facts, context=901), **sizes)

    assert (found is None) == (cut(turns, "manual", economy, facts, **sizes) is None)


@given(
    st.lists(st.tuples(st.integers(0, 10**7), st.booleans(), st.booleans())),
    st.sampled_from(get_args(Asked)),
    ECONOMIES,
    FACTS,
)
def test_any_columns_are_decided_on(
    lines: list[tuple[int, bool, bool]], why: Asked, economy: Economy, facts: Facts
) -> None:
    sizes, users, heads = ([line[column] for line in lines] for column in range(3))
    found = decide(sizes, users, heads, facts, economy, why)  # type: ignore[arg-type]  # columns

    assert found is None or 0 < found.start < len(lines)
