"""A paged conversation is the conversation, and verifies as it does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import FORMAT, GENESIS, encode, seal
from fsm_agent.events.values import Message, UserMessage
from fsm_agent.lifecycles import paging
from fsm_agent.lifecycles.paging import paged
from fsm_agent.lifecycles.replay import check, said
from fsm_agent.lifecycles.step import SEMANTICS, step
from fsm_agent.lifecycles.world import World, digest
from fsm_agent.log.reading import read

TIME = "2026-11-30T09:12:44.120Z"
ENDS = st.none() | st.integers(-50, 50)


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a few messages are at hand."""
    monkeypatch.setattr(paging, "AT_HAND", 200)


@given(
    st.lists(st.integers(0, 3), max_size=60),
    st.lists(st.tuples(ENDS, ENDS, st.sampled_from([None, 1, 2, -1])), max_size=5),
)
def test_it_is_as_the_list_of_its_messages(
    steps: list[int], places: list[tuple[int | None, int | None, int | None]]
) -> None:
    whole: list[Message] = []
    short, numbers = paged(lambda: iter(whole)), count()
    for step_ in steps:
        if step_:
            message = UserMessage(f"{next(numbers)}" * step_ * 10)
            whole.append(message)
            short.append(message)
        else:
            kept = len(whole) - min(3, len(whole))
            del short[kept:]
            del whole[kept:]
        assert len(short) == len(whole)
    assert list(short) == whole
    assert [short[n] for n in range(-len(whole), len(whole))] == whole * 2
    for place in places:
        assert short[slice(*place)] == whole[slice(*place)]
    with pytest.raises(IndexError):
        short[len(whole)]


def test_it_keeps_little(long_log: Path) -> None:
    def again() -> Iterator[Message]:
        raise AssertionError("nobody has asked for what is old")

    short = paged(again)
    for message in said(read(long_log), lambda _: ""):
        short.append(message)
        assert len(short[-1:]) == 1
    assert len(short) > 100
    assert len(vars(short)["_end"]) < 10


def test_a_request_of_a_new_epoch_is_verified_from_the_log_alone(long_log: Path) -> None:
    whole = check(read(long_log), lambda _: "")
    short = check(read(long_log, lazily=True), lambda _: "", again=partial(read, long_log))

    assert whole.divergences == []
    assert whole == short
    assert whole.lines == long_log.read_bytes().count(b"\n")


@pytest.fixture
def long_log(tmp_path: Path) -> Path:
    """Sixty turns, and another model every twenty."""
    world, previous = World(lambda _: ""), GENESIS
    path = tmp_path / "events.jsonl"

    def give(*group: i.Event) -> None:
        nonlocal previous
        done = step(world, group, TIME)
        raw, previous = seal([encode(line) for line in done.lines], previous, digest(world))
        with path.open("ab") as file:
            file.write(raw)

    give(
        i.SessionStart(v=FORMAT, session="s", program="p", semantics=SEMANTICS, tables={}, cwd="/")
    )
    for turn in range(1, 61):
        if turn % 20 == 1:
            give(i.Settings(protocol="openai", model=f"model-{turn}"))
        name = f"turn-{turn}"
        give(i.UserInput(text=f"please look at {turn}"))
        give(i.Opened(instance=name, activity=world.open[name]))
        answer = world.open[name]
        give(
            i.Text(instance=name, activity=answer, n=0, text="It is done. " * 5),
            i.Completed(instance=name, activity=answer, stop="end_turn"),
        )
    return path
