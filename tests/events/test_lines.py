"""A line has one form, and comes back from it as it was."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.canonical import canonical
from fsm_agent.events.lines import (
    DERIVED,
    GENESIS,
    INPUTS,
    KNOWN,
    NOTES,
    Line,
    decode,
    encode,
    seal,
    type_of,
)
from fsm_agent.events.schema import schema
from fsm_agent.events.values import Failure, Usage

TIME = "2026-11-30T09:12:44.120Z"
TEXT = st.text(max_size=20)
EVENTS = st.one_of(
    st.builds(i.UserInput, text=TEXT, sent=st.none() | TEXT),
    st.builds(
        i.ToolCall,
        instance=st.just("turn-1"),
        activity=st.integers(0, 9),
        n=st.integers(0, 9),
        name=TEXT,
        id=TEXT,
        input=st.dictionaries(TEXT, TEXT | st.integers(-9, 9) | st.booleans()),
        native=st.just(msgspec.Raw(b'{"command": 3.0}')),
        malformed=st.none() | TEXT,
        partial=st.booleans(),
    ),
    st.builds(
        i.Broken,
        instance=st.just("turn-1"),
        activity=st.integers(0, 9),
        failure=st.builds(Failure, error=st.just("network"), message=TEXT, retry=st.booleans()),
        usage=st.none() | st.builds(Usage, input=st.integers(0, 9)),
    ),
    st.builds(
        d.Transition,
        instance=TEXT,
        row=TEXT,
        trigger=TEXT,
        source=TEXT,
        target=TEXT,
        answers=st.dictionaries(TEXT, TEXT),
        by=st.none() | TEXT,
    ),
    st.just(i.Interrupt()),
    st.just(i.Continue()),
)


@given(event=EVENTS, seq=st.integers(0, 10**9), cause=st.none() | st.integers(0, 10**9))
def test_written_read_and_written_again_it_is_the_same(
    event: Any, seq: int, cause: int | None
) -> None:
    raw = encode(Line(seq, TIME, "input", event, cause))
    line, no_seal = decode(raw)

    assert no_seal is None
    assert (line.seq, line.time, line.cause, type_of(line.event)) == (
        seq,
        TIME,
        cause,
        type_of(event),
    )
    assert encode(line) == raw
    assert b"\n" not in raw


@pytest.mark.parametrize(
    ("kind", "field", "default"),
    [
        (kind, f.name, f.default)
        for kind in INPUTS.values()
        for f in msgspec.structs.fields(kind)
        if isinstance(f.default, str) and f.default
    ],
)
def test_a_text_that_equals_its_default_has_the_default_s_line(
    kind: type[i.Event], field: str, default: str
) -> None:
    """ "At its default" is told by identity: typed words are other objects."""
    others = {
        f.name: (get_args(f.type) or (f.type("0"),))[0]
        for f in msgspec.structs.fields(kind)
        if f.required
    }
    typed = kind(**others, **{field: "".join(list(default))})

    raw = encode(Line(0, TIME, "input", canonical(typed)))

    assert encode(decode(raw)[0]) == raw
    assert f'"{field}"'.encode() not in raw


def test_the_place_comes_first_and_then_the_event_in_its_own_order() -> None:
    line = Line(42, TIME, "derived", d.Stop(instance="turn-3", of=9, reason="tool_use"), 41)

    assert encode(line) == (
        b'{"seq":42,"time":"2026-11-30T09:12:44.120Z","kind":"derived","type":"stop","cause":41,'
        b'"instance":"turn-3","of":9,"reason":"tool_use"}'
    )


def test_a_type_from_the_future_keeps_its_place() -> None:
    line, _ = decode(b'{"seq":1,"time":"t","kind":"note","type":"future_thing","x":[1]}')

    assert line.event == d.Unknown("future_thing")


def test_an_unknown_field_is_passed_over() -> None:
    line, _ = decode(b'{"seq":1,"time":"t","kind":"input","type":"interrupt","new":{}}')

    assert line.event == i.Interrupt()


def test_the_seal_covers_what_is_before_it() -> None:
    lines = [encode(Line(n, TIME, "input", i.Interrupt())) for n in range(2)]

    raw, digest = seal(lines, GENESIS, "0" * 16)

    assert raw.endswith(b'","hash":"' + digest.hex().encode() + b'"}}\n')
    assert seal(lines, GENESIS, "1" * 16)[1] != digest
    assert seal(lines, digest, "0" * 16)[1] != digest
    assert raw.count(b"\n") == len(lines)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_each_type_has_a_sentence_and_a_schema(name: str) -> None:
    known = KNOWN[name]

    assert (known.__doc__ or "").split("\n")[0].endswith(".")
    assert schema()["$defs"][known.__name__]["properties"]["type"] == {"enum": [name]}


def test_only_the_prompt_is_both_given_and_concluded() -> None:
    assert INPUTS.keys() & DERIVED.keys() == {"prompt"}
    assert NOTES.keys().isdisjoint(INPUTS | DERIVED)
