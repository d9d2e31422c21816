"""A result is cut to its limit, between characters, and says so."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.context.results import LIMIT, cut

TEXT = st.text(st.sampled_from("ab\né€🙂")) | st.text().map(lambda text: text * 40)


def test_what_fits_is_left_alone() -> None:
    assert cut("") == ""
    assert cut("é" * (LIMIT // 2)) == "é" * (LIMIT // 2)


def test_head_and_the_last_five_lines_are_kept() -> None:
    text = "".join(f"{n}\n" for n in range(100_000))
    shown = cut(text)
    head, mark, tail = shown.partition("\n[… cut: ")

    assert len(shown.encode()) <= LIMIT
    assert text.startswith(head)
    assert len(head) > LIMIT - 200
    assert mark
    assert tail.startswith(f"588890 bytes in all; the first {len(head)} and the last 30 are shown")
    assert tail.endswith("]\n99995\n99996\n99997\n99998\n99999\n")


def test_one_giant_last_line_gets_a_quarter() -> None:
    shown = cut("head\n" + "x" * 1_000_000, 1000)

    assert shown.startswith("head\nxxx")
    assert shown.endswith("\n" + "x" * 250)
    assert 990 < len(shown.encode()) <= 1000


def test_one_giant_line_keeps_both_its_ends() -> None:
    shown = cut("<" + "x" * 5000 + ">", 1000)

    assert (shown[0], shown[-1]) == ("<", ">")


def test_lone_surrogates_do_not_stop_it() -> None:
    assert len(cut("\ud800" * 1000, 500)) <= 500


@given(TEXT, st.integers(0, 400))
def test_the_limit_holds_and_no_character_is_broken(text: str, limit: int) -> None:
    shown = cut(text, limit)

    assert len(shown.encode(errors="replace")) <= limit or shown == ""
    assert "\ufffd" not in shown or "\ufffd" in text
    if len(text.encode(errors="replace")) <= limit:
        assert shown == text


@given(TEXT.filter(lambda text: len(text.encode(errors="replace")) > 300))
def test_both_parts_come_from_the_text(text: str) -> None:
    head, mark, rest = cut(text, 300).partition("\n[… cut: ")
    text = text.encode(errors="replace").decode()

    assert mark
    assert text.startswith(head)
    assert text.endswith(rest.partition(" are shown …]\n")[2])
