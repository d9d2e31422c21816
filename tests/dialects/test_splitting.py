"""Server-sent events come out the same however their bytes come in."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.dialects import splitting
from fsm_agent.dialects.splitting import BOM, Event, Splitter


def split(data: bytes, *cuts: int) -> list[Event]:
    splitter, events, at = Splitter(), [], 0
    for cut in (*sorted(c % (len(data) + 1) for c in cuts), len(data)):
        events += splitter.feed(data[at:cut])
        at = cut
    return events


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"data: a\n\n", [(b"", b"a")]),
        (b"data:a\r\n\r\n", [(b"", b"a")]),
        (b"data:  a\r\r", [(b"", b" a")]),
        (b"data: a\r\n\n", [(b"", b"a")]),
        (b"data: a\n\r\n", [(b"", b"a")]),
        (b"data: a\ndata:b\ndata\ndata: c\n\n", [(b"", b"a\nb\n\nc")]),
        (b"event: error\n\n", [(b"error", b"")]),
        (b"event:ping\ndata:\n\n", [(b"ping", b"")]),
        (b": comment\n\n:\n\n\n\n\ndata: a\n\n\n", [(b"", b"a")]),
        (b"id: 7\nretry: 10\nother: x\ndata: a\n\n", [(b"", b"a")]),
        (b"dataset: x\ndata: a\n\n", [(b"", b"a")]),
        (b"data: a\n\ndata: cut", [(b"", b"a")]),
        (b"data: a\n\ndata: cut\n", [(b"", b"a")]),
        (BOM + b"data: a\n\n" + BOM + b"data: b\n\n", [(b"", b"a")]),
        (
            b"data: \xe2\x80\xa8\x0b\x0c\x1c\xc2\x85\n\n",
            [(b"", b"\xe2\x80\xa8\x0b\x0c\x1c\xc2\x85")],
        ),
        (b"", []),
    ],
)
def test_framing_is_that_of_the_standard(data: bytes, events: list[Event]) -> None:
    assert split(data) == events
    assert split(data, *range(len(data))) == events


FRAGMENTS = st.sampled_from(
    [
        b"data: x",
        b"data:y",
        b"event: e",
        b": c",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        BOM,
        b"",
    ]
)


@given(st.lists(FRAGMENTS, max_size=30), st.lists(st.integers(min_value=0), max_size=12))
def test_any_chunking_gives_the_same_events(fragments: list[bytes], cuts: list[int]) -> None:
    data = b"".join(fragments)
    assert split(data, *cuts) == split(data)


@given(st.lists(FRAGMENTS, max_size=30))
def test_any_line_end_gives_the_same_events(fragments: list[bytes]) -> None:
    data = b"".join(fragments).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert split(data.replace(b"\n", b"\r\n")) == split(data)
    assert split(data.replace(b"\n", b"\r")) == split(data)


@pytest.mark.parametrize("size", [1 << 30, 4096])
def test_an_event_beyond_the_limit_ends_the_stream(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(splitting, "EVENT_LIMIT", 10_000)
    data = b"data: a\n\ndata: " + b"x" * 20_000 + b"\n\ndata: b\n\n"
    splitter, events = Splitter(), []
    for at in range(0, len(data), size):
        events += splitter.feed(data[at : at + size])
    assert events == [(b"", b"a")]
    assert splitter.overflow


def test_single_bytes_cost_no_more_for_a_long_line() -> None:
    def cost(length: int) -> float:
        splitter, start = Splitter(), time.perf_counter()
        for _ in range(length):
            splitter.feed(b"x")
        return (time.perf_counter() - start) / length

    assert min(cost(200_000) for _ in range(3)) < 5 * min(cost(10_000) for _ in range(3))
