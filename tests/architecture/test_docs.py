"""What the texts refer to is there, and what they must name is named."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(text: Path) -> set[str]:
    """The headings of a text as they are linked to."""
    titles = re.findall(r"^#+ (.+)$", text.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(text: Path) -> None:
    links = LINK.findall(text.read_text(encoding="utf-8"))
    targets = [((text.parent / path).resolve() if path else text, anchor) for path, anchor in links]

    assert [path for path, _ in targets if not path.exists()] == []
    assert [
        (path, anchor) for path, anchor in targets if anchor and anchor not in anchors(path)
    ] == []


def test_each_page_is_in_the_list_of_all_pages() -> None:
    docs = ROOT / "docs"
    listed = {path for path, _ in LINK.findall((docs / "README.md").read_text(encoding="utf-8"))}
    pages = {
        path.relative_to(docs).as_posix()
        for room in ("how-to", "reference")
        for path in (docs / room).glob("*.md")
    }

    assert pages <= listed


def test_links_are_found() -> None:
    assert LINK.findall("[a](b.md#c) [d](e) [f](https://g)") == [("b.md", "c"), ("e", "")]


def test_the_environment_variables_that_are_read_are_those_of_the_reference() -> None:
    variable = re.compile(r"\b(?:[A-Z]+_)+[A-Z]+\b")
    source = ROOT / "fsm_agent" / "interfaces" / "configuring.py"
    tree = ast.parse(source.read_bytes())
    read = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and variable.fullmatch(node.value)
    }
    reference = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")

    assert read == set(variable.findall(reference))
