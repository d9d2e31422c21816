"""Any small table is refused, or has one row for every combination."""

from __future__ import annotations

import itertools
from pathlib import PurePath

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.machine import Answers, Ask, Row, State, Table
from fsm_agent.machine.checking import check

PATH = PurePath("states/small.toml")
TRIGGERS = ("x", "y", "entered")
ASKS = {"p": Ask(("no", "yes"), "P?"), "q": Ask(("1", "2", "3"), "Q?", ("1",))}
PARTS: tuple[tuple[dict[str, tuple[str, ...]], ...], ...] = (
    (),
    ({},),
    ({"p": ("no",)}, {"p": ("yes",)}),
    ({"q": ("1", "3")}, {"q": ("2",)}),
    ({"p": ("no",)}, {"p": ("yes",), "q": ("1",)}, {"p": ("yes",), "q": ("2", "3")}),
)
"""What rows may ask so that each combination fits one of them."""


@st.composite
def small_tables(draw: st.DrawFn) -> Table:
    """Up to three states, all combinations covered; then perhaps a row or two spoilt."""
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]
    rows: list[Row] = []
    for source, on in itertools.product(names, TRIGGERS):
        for when in draw(st.sampled_from(PARTS)):
            to = draw(st.sampled_from([None, *(name for name in names if name != source)]))
            rows.append(Row(f"R{len(rows)}", (source,), on, to, when, (), ()))
    for _ in range(draw(st.integers(0, 2)) if rows else 0):
        place = draw(st.integers(0, len(rows) - 1))
        whens = [when for part in PARTS for when in part]
        rows[place] = msgspec.structs.replace(rows[place], when=draw(st.sampled_from(whens)))
    used = {ask for row in rows for ask in row.when}
    return Table(
        name="small",
        version=1,
        caption="Any.",
        initial="a",
        states={
            name: State("Any.", final=not any(name in row.source for row in rows)) for name in names
        },
        asks={name: ask for name, ask in ASKS.items() if name in used},
        rows=tuple(rows),
    )


def scan(table: Table) -> dict[tuple[str, str, Answers], list[Row]]:
    """For each legal combination the rows that fit, read off the declaration."""
    found = {}
    for state, on in {(state, row.on) for row in table.rows for state in row.source}:
        rows = [row for row in table.rows if row.on == on and state in row.source]
        asks = sorted({ask for row in rows for ask in row.when})
        for answers in itertools.product(*([(ask, a) for a in ASKS[ask].of] for ask in asks)):
            given = dict(answers)
            found[state, on, answers] = [
                row for row in rows if all(given[ask] in taken for ask, taken in row.when.items())
            ]
    return found


@given(small_tables())
def test_what_is_not_refused_gives_exactly_one_row_for_every_combination(table: Table) -> None:
    faults = [str(fault) for fault in check(table, PATH)]
    found = scan(table)

    assert any("overlap" in fault or "no row takes" in fault for fault in faults) == any(
        len(rows) != 1 for rows in found.values()
    )
    if not faults:
        assert [table.fire(*legal) for legal in found] == [row for [row] in found.values()]
        reached = {"a"} | {row.to for [row] in found.values() if row.to}
        assert reached == set(table.states)
