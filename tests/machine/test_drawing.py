"""A picture says what its table says, and is drawn the same each time."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.machine import read_table
from fsm_agent.machine.drawing import drawings, mermaid

ROOT = Path(__file__).parents[2]
TABLES = {
    path.stem: read_table(path.read_text(encoding="utf-8"), path)
    for path in sorted(ROOT.glob("states/*.toml"))
}
ODD = """\
[machine]
name    = "odd"
version = 1
caption = "Names and captions that mean something to Mermaid."
initial = "state"

[states]
state   = { caption = 'Says "yes"; is <b>: #1.' }
Note    = { caption = "Is passed through." }
default = { caption = "The end.", final = true }

[rows]
O2 = { from = "Note",  on = "entered", to = "default" }
O1 = { from = "state", on = "went",    to = "Note" }
"""


def test_the_pictures_in_diagrams_are_those_of_the_tables() -> None:
    kept = {path.name: path.read_text("utf-8") for path in ROOT.glob("diagrams/*.mmd")}

    assert drawings(TABLES) == kept


@pytest.mark.parametrize("name", TABLES)
def test_a_picture_shows_each_row_from_each_of_its_states(name: str) -> None:
    table, picture = TABLES[name], mermaid(TABLES[name])
    edges = re.findall(r"^    (\w+) --> (\w+) : (\w+)", picture, re.MULTILINE)

    assert sorted(edges) == sorted(
        (source, row.to or source, row.on) for row in table.rows for source in row.source
    )
    assert f"    [*] --> {table.initial}\n" in picture
    assert re.findall(r"(\w+) --> \[\*\]", picture) == [
        state for state in table.states if table.states[state].final
    ]
    assert all(state.caption in picture for state in table.states.values())
    assert picture.endswith("\n")
    assert not picture.endswith("\n\n")


@pytest.mark.parametrize("name", TABLES)
def test_no_label_holds_what_ends_a_label(name: str) -> None:
    """Mermaid's lexer takes a label up to the next colon or semicolon."""
    for line in mermaid(TABLES[name]).split("\n"):
        if "-->" in line:
            assert not re.search("[:;]", line.partition(" : ")[2])


def test_passed_through_states_are_marked() -> None:
    assert mermaid(TABLES["turn"]).endswith("\n    class persist, drain passing\n")
    assert "passing" not in mermaid(TABLES["tool"])


def test_a_picture(snapshot: SnapshotAssertion) -> None:
    assert mermaid(TABLES["compaction"]) == snapshot


def test_a_picture_of_names_and_captions_that_mean_something_to_mermaid(
    snapshot: SnapshotAssertion,
) -> None:
    assert mermaid(read_table(ODD, PurePath("states/odd.toml"))) == snapshot
