"""What is a mention in a line, and what it may mean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.runtime.mentions import MENTION, Meaning, is_path, meanings


def only(line: str) -> re.Match[str]:
    (found,) = re.finditer(MENTION, line)
    return found


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("see @a.py now", Meaning("a.py", None, "")),
        ("@a.py:10", Meaning("a.py", (10, 10), "")),
        ("@a.py:10-40", Meaning("a.py", (10, 40), "")),
        ("@a.py:10-40, then", Meaning("a.py", (10, 40), ",")),
        ("(@a.py)", Meaning("a.py", None, ")")),
        ("`@a.py`", Meaning("a.py", None, "`")),
        ("is it @a.py?", Meaning("a.py", None, "?")),
        ('@"a b.txt"', Meaning("a b.txt", None, "")),
        ('@"a b.txt":3-9', Meaning("a b.txt", (3, 9), "")),
        ('@"a b.txt:3-9"', Meaning("a b.txt", (3, 9), "")),
        (r"@a\ b.txt:3", Meaning("a b.txt", (3, 3), "")),
        ("@icon@2x.png", Meaning("icon@2x.png", None, "")),
        ("看@a.py的代码", Meaning("a.py", None, "的代码")),
        ("看 @文档.md。", Meaning("文档.md", None, "。")),
        ("@~/notes.md", Meaning("~/notes.md", None, "")),
        ("@.", Meaning(".", None, "")),
    ],
)
def test_a_mention_may_mean(line: str, meaning: Meaning) -> None:
    assert meaning in list(meanings(only(line)))


def test_a_name_is_first_taken_as_it_stands() -> None:
    assert next(meanings(only("@odd:10."))) == Meaning("odd:10.", None, "")


@pytest.mark.parametrize(
    "line",
    [
        "user@example.com",
        "git@host.example:a/b.git",
        "https://example.com/@user/post.html",
        "a.b@c.d",
        "HEAD@{1}",
        "@ alone",
        "@",
        "@@",
    ],
)
def test_no_mention(line: str) -> None:
    assert re.search(MENTION, line) is None


@pytest.mark.parametrize(
    "mention",
    [
        '@"x"',
        r"@a\ b",
        "@no.txt",
        "@./x",
        "@../x",
        "@/x",
        "@~/x",
        "@src/x",
        "@.env",
        "@x.py:3-4",
        "@x.py:3:14",
        "@x.py的",
        "@x.py).",
    ],
)
def test_what_looks_like_a_path(mention: str, workspace: Path) -> None:
    (workspace / "src").mkdir()

    assert is_path(only(mention), workspace)


@pytest.mark.parametrize(
    "mention",
    [
        "@decorator",
        "@dataclass(frozen=True)",
        "@app.route('/')",
        "@pytest.fixture",
        "@scope/pkg",
        "@scope/pkg@1.2.3",
        "@types/node",
        "@somebody",
        "@media(print)",
    ],
)
def test_what_does_not_look_like_a_path(mention: str, workspace: Path) -> None:
    assert not is_path(only(mention), workspace)


@given(st.text(alphabet="@a.b \\\"':/~-1(文。)\n"))
def test_a_mention_and_its_rest_are_what_stood_there(line: str) -> None:
    for found in re.finditer(MENTION, line):
        assert list(meanings(found)), found[0]
        for meaning in meanings(found):
            assert found[0].endswith(meaning.rest)
            assert meaning.name
