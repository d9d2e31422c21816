"""The list that a session is picked from, at all sizes of a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from fsm_agent.interfaces.listing import Glance
from fsm_agent.interfaces.terminal.choices import Choices

NOW = 1_000_000.0


def choices(count: int) -> Choices:
    found = [Path(f"20261130-0912{number:02}-abcd") for number in range(count)]
    glances = {
        path: Glance(
            path.name,
            NOW - 50_000 * number,
            first=f"日本語 question {number}",
            last="the last word 👩‍👩‍👧",
            turns=number,
            cwd="/srv/here" if number else "/srv/there",
        )
        for number, path in enumerate(found)
    }
    return Choices("/srv/here", found=found, glances=glances)


@pytest.mark.parametrize("size", [(80, 24), (20, 24), (40, 5)])
def test_a_list(size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    made = choices(14)
    made.excerpts[made.found[0]] = "…where it was found…"

    assert [text for _, text in made.lines(size, NOW)] == snapshot


@given(st.integers(0, 40), st.integers(1, 200), st.integers(3, 60), st.integers(-50, 50))
def test_it_is_lower_and_no_wider_than_the_screen_and_shows_what_is_chosen(
    count: int, columns: int, rows: int, by: int
) -> None:
    made = choices(count)
    made.move(by)
    lines = made.lines((columns, rows), NOW)

    assert len(lines) < rows
    assert all(cell_len(text) < max(columns, 2) for _, text in lines)
    assert (made.chosen in made.seen(rows)) == bool(count)


def test_what_is_not_known_yet_is_named_and_marked() -> None:
    made = Choices("/srv/here", found=[Path("20261130-091200-abcd")], looking=True)

    first, scope = [text for _, text in made.lines((80, 5), NOW)]
    assert first == "> 20261130-091200-abcd …"
    assert scope.startswith("  1… of this directory")
