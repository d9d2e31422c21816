"""What stands above the prompt is lower than the screen and no wider."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fsm_agent.dialects.protocol import Delta
from fsm_agent.events import inputs as i
from fsm_agent.events.values import Usage
from fsm_agent.interfaces.painting.items import Act, Call, Status
from fsm_agent.interfaces.painting.status import Standing
from fsm_agent.interfaces.terminal.arriving import Arriving
from fsm_agent.interfaces.terminal.live import lines, tail

T0, T3, T9 = (f"2026-11-30T09:00:0{n}.000Z" for n in (0, 3, 9))
ANSWERING = Status(doing="answering", since=T0, usage=Usage(1000, 5))


def heard(*deltas: Delta, now: str = T0) -> Arriving:
    live = Arriving()
    list(live.add(deltas, now))
    return live


def texts(
    status: Status, live: Arriving, now: str = T3, size: tuple[int, int] = (80, 24)
) -> list[str]:
    return [text for _, text in lines(status, (), live, now, size)]


@given(
    st.lists(
        st.builds(Delta, st.sampled_from(["thinking", "text", "call", "arguments"]), st.text())
    ),
    st.lists(st.text()),
    st.integers(10, 90),
    st.integers(5, 40),
)
def test_it_fits_whatever_comes(
    deltas: list[Delta], held: list[str], width: int, rows: int
) -> None:
    shown = lines(ANSWERING, held, heard(*deltas), T9, (width, rows))

    assert len(shown) < rows - 1
    assert all(cell_len(text) <= width and "\n" not in text for _, text in shown)


def test_at_rest_there_is_nothing() -> None:
    assert texts(Status(), heard(Delta("text", "old"))) == []


def test_the_answer_s_end_is_shown_as_it_comes() -> None:
    live = heard(Delta("thinking", "Hm."), Delta("text", "one\ntwo"), Delta("text", " three"))

    assert texts(ANSWERING, live)[:2] == ["one", "two three"]


def test_a_call_is_shown_by_name_and_size() -> None:
    live = heard(
        Delta("call", "Write"), Delta("arguments", "{" * 1500), Delta("call", "Bash"), now=T3
    )

    assert texts(ANSWERING, live)[:2] == [
        "[tool] Write · 1,500 characters",
        "[tool] Bash · 0 characters",
    ]


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (T3, "answering · 3.0 s · 1,000 tokens in, 5 out · Esc interrupts"),
        (T9, "answering · 9.0 s · 1,000 tokens in, 5 out · no byte for 6 s · Esc interrupts"),
    ],
)
def test_seconds_tokens_and_silence_are_said(now: str, said: str) -> None:
    live = heard(Delta("text", "x"), now=T3)

    assert texts(ANSWERING, live, now)[-1][2:] == said


def test_before_the_first_byte_the_model_is_waited_for() -> None:
    (line,) = texts(ANSWERING, Arriving())

    assert line[2:].startswith("waiting for the model · 3.0 s")


def test_seconds_to_go_before_a_request_is_sent_again() -> None:
    (shown,) = texts(Status("pausing", T0, again=T9), Arriving(), T3)

    assert shown[2:] == "waiting to try again · 6 s to go · Esc interrupts"


def test_the_last_line_tells_where_the_session_stands() -> None:
    status = Status(standing=Standing(model="m", mode="ask"))

    assert texts(status, Arriving()) == ["m · ask · context ? of ?"]


def test_calls_under_way_and_waiting_lines_are_listed() -> None:
    acts = tuple(Act(Call("Bash", f"c{n}"), "running", T0) for n in range(4))
    status = Status("running", T0, acts, queued={7: "next\nline"}, injected=("and b",))

    assert [text[2:] for text in texts(status, Arriving())] == [
        "[tool] Bash(c0) · 3.0 s",
        "[tool] Bash(c1) · 3.0 s",
        "[tool] Bash(c2) · 3.0 s",
        "… 1 more",
        "inject: and b",
        "queued: next line",
    ]


def test_on_a_low_screen_what_is_under_way_comes_first() -> None:
    acts = tuple(Act(Call("Bash", f"c{n}"), "running", T0) for n in range(20))
    status = Status("running", T0, acts, queued={7: "next"}, standing=Standing(model="m"))

    assert texts(status, Arriving(), size=(20, 5)) == ["⠋ … 17 more", "  queued: next"]
    rest = Status(standing=Standing(model="m"))
    assert texts(rest, Arriving(), size=(20, 5)) == ["m · context ? of ?"]


def test_what_is_in_the_log_is_not_seen_any_more() -> None:
    live = heard(Delta("text", "x"))
    live.heed(i.Completed(instance="turn-1", activity=4, stop="end_turn"))

    assert tail(live, 80, 10) == []
