"""A table is read whole, or refused with file and line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.errors import DeclarationError
from fsm_agent.machine import Ask, Row, State, Table, digest, read_table

STATES = Path(__file__).parents[2] / "states"
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(STATES.glob("*.toml"))]
PATH = PurePath("states/door.toml")
DOOR = """\
[machine]
name    = "door"
version = 3
caption = "Open or shut."
initial = "shut"

[states]   # two
shut = { caption = "Nobody can pass." }
open = { caption = "Anybody can.", does = "hold", on_crash = "pulled" }
gone = { caption = "No door.", final = true }

[asks]
key = { of = ["no", "yes"], caption = "Is the key at hand?", bounded = ["yes"] }

[rows]
D1 = { from = "shut", on = "pushed", when = { key = "yes" }, to = "open", emits = ["bell"] }
# D2 = { a row that was }
D2 = { from = "shut", on = "pushed", when = { key = ["no"] } }
  D3 = { from = ["open"], on = "pulled", to = "shut", sends = ["asker.settled", "plan.VERB"] }
D4 = { from = ["shut", "open"], on = "razed", to = "gone" }
"""


def changed(old: str, new: str) -> str:
    assert DOOR.count(old) == 1
    return DOOR.replace(old, new)


def refused(text: str) -> tuple[int, str]:
    with pytest.raises(DeclarationError) as caught:
        read_table(text, PATH)
    assert caught.value.path == PATH
    assert str(caught.value).startswith(f"states/door.toml:{caught.value.line}: ")
    return caught.value.line, str(caught.value)


def test_each_entry_is_read_with_its_line() -> None:
    table = read_table(DOOR, PATH)

    assert (table.name, table.version, table.caption) == ("door", 3, "Open or shut.")
    assert (table.initial, table.line) == ("shut", 5)
    assert table.states == {
        "shut": State("Nobody can pass.", line=8),
        "open": State("Anybody can.", does="hold", on_crash="pulled", line=9),
        "gone": State("No door.", final=True, line=10),
    }
    assert table.asks == {"key": Ask(("no", "yes"), "Is the key at hand?", ("yes",), line=13)}
    assert table.rows == (
        Row("D1", ("shut",), "pushed", "open", {"key": ("yes",)}, ("bell",), (), 16),
        Row("D2", ("shut",), "pushed", None, {"key": ("no",)}, (), (), 18),
        Row("D3", ("open",), "pulled", "shut", {}, (), ("asker.settled", "plan.VERB"), 19),
        Row("D4", ("shut", "open"), "razed", "gone", {}, (), (), 20),
    )


def test_a_table_may_ask_nothing_and_end_its_lines_as_windows_does() -> None:
    text = (
        '[machine]\nname = "lamp"\nversion = 1\ncaption = "On."\ninitial = "on"\n'
        '[states]\non = { caption = "It burns." }\n[rows]\nL1 = { from = "on", on = "hit" }\n'
    )
    table = read_table(text.replace("\n", "\r\n"), PATH)

    assert table == read_table(text, PATH)
    assert table.rows[0].line == 9


@pytest.mark.parametrize("text", TEXTS, ids=[path.stem for path in sorted(STATES.glob("*.toml"))])
def test_the_line_of_an_entry_of_ours_begins_with_its_name(text: str) -> None:
    table, lines = read_table(text, PATH), text.split("\n")
    entries: list[tuple[str, int]] = [
        *((name, state.line) for name, state in table.states.items()),
        *((name, ask.line) for name, ask in table.asks.items()),
        *((row.id, row.line) for row in table.rows),
        ("initial", table.line),
    ]
    for name, line in entries:
        assert re.match(rf"{name} *= ", lines[line - 1])


WRONG = {
    "not TOML": (changed('on = "razed",', "on = razed,"), 20, "Invalid value"),
    "a text without an end": (changed('"Open or shut."', '"Open or shut.'), 4, "Illegal character"),
    "an end too early": (DOOR.rstrip()[:-2], 20, "Unclosed inline table"),
    "an endless number": (changed("version = 3", "version = " + "9" * 5000), 20, "digits"),
    "nested without end": (changed("version = 3", "version = " + "[" * 5000), 20, "recursion"),
    "the same name twice": (changed("D4 =", "D3 ="), 20, "Cannot overwrite"),
    "no machine": (DOOR.partition("\n\n")[2], 1, "missing required field `machine`"),
    "no rows": (DOOR.partition("[rows]")[0], 1, "missing required field `rows`"),
    "an unknown section": (DOOR + "[guards]\n", 21, "unknown field `guards`"),
    "a section that is a list": (changed("[asks]\n", "[[asks]]\n"), 12, "got `array`"),
    "an unknown word of the machine": (
        changed("version = 3", 'version = 3\nparent = "house"'),
        4,
        "unknown field `parent`",
    ),
    "a machine without a name": (changed('name    = "door"\n', ""), 1, "required field `name`"),
    "a version that is no number": (changed("version = 3", 'version = "3"'), 3, "got `str`"),
    "a machine without a caption": (changed('"Open or shut."', '" "'), 4, "$.caption"),
    "a state without a caption": (changed('caption = "Anybody can.", ', ""), 9, "open: "),
    "a state with an empty caption": (changed('"Anybody can."', '""'), 9, "$.caption"),
    "a caption of two lines": (changed('"Anybody can."', r'"Any\nbody."'), 9, "$.caption"),
    "an unknown word of a state": (changed("does =", "do ="), 9, "unknown field `do`"),
    "a state that is a text": (changed('{ caption = "No door.", final = true }', '"x"'), 10, "str"),
    "a flag that is a text": (changed("final = true", 'final = "true"'), 10, "$.final"),
    "a question without a caption": (
        changed('caption = "Is the key at hand?", ', ""),
        13,
        "required field `caption`",
    ),
    "a question without answers": (changed('["no", "yes"]', "[]"), 13, "$.of"),
    "an answer that is a number": (changed('["no", "yes"]', '["no", 1]'), 13, "$.of[1]"),
    "a row without a trigger": (changed('on = "razed", ', ""), 20, "required field `on`"),
    "a row without a state": (changed('["shut", "open"]', "[]"), 20, "$.from"),
    "a row with an unknown word": (changed("emits =", "emit ="), 16, "unknown field `emit`"),
    "a row that takes no answer": (changed('{ key = ["no"] }', "{ key = [] }"), 18, "$.when"),
    "a trigger that is no name": (changed('"razed"', '"razed!"'), 20, "$.on"),
    "an address without a trigger": (changed('"asker.settled"', '"asker"'), 19, "$.sends[0]"),
    "one line that is a text": (changed('emits = ["bell"]', 'emits = "bell"'), 16, "$.emits"),
    "a name that is no name": (changed("D4 =", '"D 4" ='), 15, "'D 4' must stand once"),
    "a row with a section of its own": (
        DOOR + '[rows.D5]\nfrom = "shut"\non = "hit"\n',
        21,
        "'D5' must stand once",
    ),
    "a state that seems to stand twice": (
        changed('"Anybody can."', '"""\\\ngone = {}"""'),
        11,
        "'gone' must stand once",
    ),
}


@pytest.mark.parametrize(("text", "line", "message"), WRONG.values(), ids=WRONG)
def test_refused_with_its_line(text: str, line: int, message: str) -> None:
    found, words = refused(text)

    assert found == line
    assert message in words


def attempt(text: str) -> Table | DeclarationError:
    try:
        return read_table(text, PATH)
    except DeclarationError as error:
        return error


PIECES = st.sampled_from(
    ["", "\n", "=", "{", "}", "[", "]", '"', '"""', "'", "#", "[rows]\n", "x = 1\n", "\\", "é", "0"]
)


@given(
    text=st.sampled_from(TEXTS),
    cuts=st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 40), PIECES), max_size=3),
)
def test_a_text_changed_anywhere_is_read_or_refused_on_a_line_of_it(
    text: str, cuts: Sequence[tuple[int, int, str]]
) -> None:
    for start, length, piece in cuts:
        text = text[:start] + piece + text[start + length :]
    read = attempt(text)
    if isinstance(read, DeclarationError):
        assert 1 <= read.line <= text.count("\n") + 1
    else:
        lines = text.split("\n")
        assert all(lines[row.line - 1].lstrip().startswith(row.id) for row in read.rows)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    read = attempt(text)

    assert isinstance(read, DeclarationError)  # no table is met by chance
    assert 1 <= read.line <= text.count("\n") + 1


def test_the_digest_is_the_sha256_of_the_bytes() -> None:
    assert digest(DOOR.encode()) == sha256(DOOR.encode()).hexdigest()
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_the_rows_that_the_page_explains_are_rows_of_ours() -> None:
    page = (STATES / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\w+ += \{.*\}$", page, re.MULTILINE)
    ours = {re.sub(" +", " ", line) for text in TEXTS for line in text.split("\n")}

    assert len(shown) == 3
    assert set(shown) <= ours
