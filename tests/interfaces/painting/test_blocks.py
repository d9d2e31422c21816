"""An answer is cut into the same blocks, however it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.painting.blocks import LONGEST, RENDERED, Piece, Splitter, pieces

LINES = st.sampled_from(
    ["a", "", "  ", "- b", "  c", "1. d", "# e", "```", "```py", "~~~", "    f", "> g", "a|b", "\r"]
)
TEXTS = st.one_of(st.lists(LINES, max_size=30).map("\n".join), st.text(max_size=200))


def sources(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.source) for piece in pieces(text)]


@given(TEXTS, st.lists(st.integers(0, 20), max_size=20))
def test_blocks_do_not_depend_on_how_the_text_comes(text: str, sizes: list[int]) -> None:
    splitter, made, at = Splitter(), list[Piece](), 0
    for size in [*sizes, len(text)]:
        made += splitter.feed(text[at : at + size])
        at += size
    made += splitter.end()

    assert made == list(pieces(text))


@given(TEXTS)
def test_nothing_but_empty_lines_is_lost(text: str) -> None:
    kept = "".join(piece.source for piece in pieces(text))

    assert [line for line in kept.split("\n") if line.strip()] == [
        line for line in text.split("\n") if line.strip()
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", [("prose", "a\nb\n"), ("prose", "c")]),
        ("a\n# b\nc", [("prose", "a\n"), ("prose", "# b\n"), ("prose", "c")]),
        (
            "a\n```py\n\nb\n```\nc",
            [("prose", "a\n"), ("fence", "```py\n\nb\n```\n"), ("prose", "c")],
        ),
        ("````\n```\n````\n", [("fence", "````\n```\n````\n")]),
        ("- a\n\n  b\n- c\n\nd", [("prose", "- a\n\n  b\n- c\n"), ("prose", "d")]),
        (
            "a\n- b\n  ```\n\n  c\n  ```\n",
            [("prose", "a\n"), ("prose", "- b\n  ```\n\n  c\n  ```\n")],
        ),
    ],
)
def test_where_blocks_end(text: str, expected: list[tuple[str, str]]) -> None:
    assert sources(text) == expected


def test_a_block_is_finished_as_soon_as_nothing_can_be_added() -> None:
    splitter = Splitter()

    assert [piece.source for piece in splitter.feed("a\n\nb")] == ["a\n"]
    assert splitter.rest == "b"


@pytest.mark.parametrize("unit", ["x", "word \n", "```\n" + "y\n" * 100, "- a\n"])
def test_no_block_is_long_and_what_is_open_is_not_either(unit: str) -> None:
    splitter, made = Splitter(), list[Piece]()
    for _ in range(400_000 // len(unit)):
        made += splitter.feed(unit)
        assert len(splitter.rest) <= max(LONGEST.values())

    assert max(len(piece.source) for piece in made) <= max(LONGEST.values()) + len(unit)
    assert {piece.kind for piece in made if piece is made[-1]} == {"plain"}
    rendered = sum(len(piece.source) for piece in made if piece.kind != "plain")
    assert rendered <= RENDERED + max(LONGEST.values())


def test_a_fence_that_is_cut_goes_on_as_code() -> None:
    text = "```py\n" + "x = 1\n" * 1000 + "```\nend"
    first, second, *_, last = pieces(text)

    assert (first.kind, second.kind, last.kind) == ("fence", "fence", "prose")
    assert first.language == second.language == "py"
