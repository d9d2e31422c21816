"""Memory files keep every byte that nobody meant to change."""

from __future__ import annotations

from itertools import zip_longest

from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.context.memory import (
    CAP,
    SCRATCH,
    SECTIONS,
    USER,
    parse,
    section,
    shown,
    with_section,
)

TITLES = st.sampled_from(list(SECTIONS))
PIECES = st.sampled_from(
    [
        *(f"{'#' * level} {title}" for title in SECTIONS for level in (1, 2, 4)),
        *(
            "## scratch   notes: ##",
            " ### CONSTRAINTS",
            "#Constraints",
            "##",
            "# Mine",
            "### Deeper",
        ),
        *("```", "```sh", "~~~~", "````", "# in code?", "\\# quoted", "- item", "  two", "\t", ""),
        *("\ufeff", "\ufeff## User Memory", "\u2028", "\x0b", "ä\U0001f600", "---", "`a` ```b"),
    ]
)
TEXTS = st.lists(
    st.tuples(st.one_of(PIECES, st.text(max_size=8)), st.sampled_from(["\n", "\n", "\r\n", "\r"])),
    max_size=14,
).map(lambda lines: "".join(map("".join, lines)))
FILES = st.one_of(TEXTS, TEXTS.map(lambda text: text.rstrip("\r\n")))


def others(text: str, title: str) -> list[tuple[str, str]]:
    return [(other, section(text, other)) for other in SECTIONS if other != title]


def rest(text: str, title: str) -> list[str]:
    parts = parse(text.lstrip("\ufeff"))
    return [part.head + part.body for part in parts if part.title != title]


@given(FILES)
def test_the_parts_are_the_file(text: str) -> None:
    assert "".join(part.head + part.body for part in parse(text)) == text


@given(FILES, TITLES)
def test_what_is_written_as_it_was_read_changes_nothing(text: str, title: str) -> None:
    assert with_section(text, title, section(text, title)) == text


@given(FILES, TITLES, TEXTS)
def test_writing_twice_is_writing_once(text: str, title: str, new: str) -> None:
    once = with_section(text, title, new)

    assert with_section(once, title, new) == once
    assert with_section(once, title, section(once, title)) == once


@given(FILES, TITLES, TEXTS)
def test_all_of_a_text_stays_in_its_section(text: str, title: str, new: str) -> None:
    words = new.replace("\\", "").split()
    kept = section(with_section(text, title, new), title).replace("\\", "").split()

    assert kept[: len(words)] == words
    assert all(set(word) in ({"`"}, {"~"}) for word in kept[len(words) :])


@given(FILES, TITLES, TEXTS)
def test_other_sections_and_what_is_none_stay(text: str, title: str, new: str) -> None:
    after = with_section(text, title, new)

    assert others(after, title) == others(text, title)
    for old, now in zip_longest(rest(text, title), rest(after, title), fillvalue=""):
        assert now.startswith(old)
        assert not now.removeprefix(old).strip()


@given(FILES, TITLES, TEXTS)
def test_clearing_what_was_put_in_leaves_no_text_of_it(text: str, title: str, new: str) -> None:
    cleared = with_section(with_section(text, title, new), title, "")

    assert section(cleared, title) == ""
    assert others(cleared, title) == others(text, title)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_shown_and_kept(raw: bytes) -> None:
    assert isinstance(shown(raw), str)
    text = raw.decode("utf-8", "surrogateescape")
    after = with_section(text, "Constraints", "never")
    assert section(after, "Constraints") == "never"


HAND = """\
\ufeff# My memory\r
\r
###  user memory\r
I like tabs.\r
## Mine\r
* kept as it is *\r
# Constraints:\r
```sh\r
# a comment\r
```\r
## deeper\r
"""


def test_a_file_written_by_hand() -> None:
    assert [part.title for part in parse(HAND)] == ["", USER, "", "Constraints"]
    assert section(HAND, USER) == "I like tabs."
    assert section(HAND, "Constraints") == "```sh\n# a comment\n```\n## deeper"

    after = with_section(HAND, "Project Memory", "make test")
    new = "\r\n## Project Memory\r\n\r\nmake test\r\n\r\n"
    assert after == HAND.replace("# Constraints:", f"{new}# Constraints:")


def test_a_new_file() -> None:
    text = with_section("", "Constraints", "- never push\n")
    assert text == "## Constraints\n\n- never push\n"

    text = with_section(text, SCRATCH, "later")
    assert text == "## Constraints\n\n- never push\n\n## Scratch Notes\n\nlater\n"


def test_a_section_that_stands_twice_is_read_whole_and_written_once() -> None:
    text = "## Constraints\none\n## Mine\nx\n## Constraints\ntwo\n"
    assert section(text, "Constraints") == "one\n\ntwo"

    after = with_section(text, "Constraints", "three")
    assert section(after, "Constraints") == "three"
    assert "## Mine\nx\n" in after


def test_a_heading_that_would_end_the_section_is_quoted() -> None:
    after = with_section("", "Constraints", "# Title\n### Deeper\n## Scratch Notes\n```\n# code")
    assert section(after, "Constraints") == (
        "\\# Title\n### Deeper\n\\## Scratch Notes\n```\n\\# code\n```"
    )
    assert section(after, SCRATCH) == ""


def test_a_fence_that_nobody_closes_swallows_nothing() -> None:
    assert section("## Constraints\n```\na\n## Mine\nb\n", "Constraints") == "```\na"


def test_blank_sections_are_not_shown() -> None:
    text = "# Memory\n\n## Constraints\n\n\n## Scratch Notes\n\nx\n"
    assert shown(text.encode()) == "## Scratch Notes\n\nx"
    assert shown(b"\xef\xbb\xbf# Memory\n\n## Constraints\r\n\r\n") == ""
    assert shown(b"") == ""


def test_a_huge_file_is_cut_with_a_note() -> None:
    text = shown("## Constraints\nä".encode() + "ä".encode() * CAP)
    assert text.endswith(f"ä\n\n(cut: the file is longer than {CAP} bytes)")
    assert len(text.encode()) < CAP + 100
