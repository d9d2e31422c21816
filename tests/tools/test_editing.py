"""Edit changes the span that was asked for and no other byte."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.editing import edited, edited_everywhere

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a=1\r\nb=2\r\nc=3\r\n", b"b=2", b"b=9", b"a=1\r\nb=9\r\nc=3\r\n"),
        (b"a=1\r\nb=2\r\nc=3\r\n", b"b=2", b"x\ny", b"a=1\r\nx\r\ny\r\nc=3\r\n"),
        (b"a=1\r\nb=2\r\nc=3\r\n", b"a=1\nb=2", b"a\nb", b"a\r\nb\r\nc=3\r\n"),
        (b"a=1\r\nb=2\r\nc=3\r\n", b"\nb=2", b"\nb", b"a=1\r\nb\r\nc=3\r\n"),
        (b"a=1\r\nb=2\r\n", b"a=1\r\nb", b"a\r\nb", b"a\r\nb=2\r\n"),
        (b"a\nb\n", b"a", b"x\r\ny", b"x\ny\nb\n"),
        (BOM + b"a=1\nb=2", b"a=1", b"a=2", BOM + b"a=2\nb=2"),
        (BOM + b"a=1\nb=2", b"b=2", b"b=3", BOM + b"a=1\nb=3"),
        (b"x\r\ny\nz\r", b"y", b"Y", b"x\r\nY\nz\r"),
        (b"x\r\ny\nz\r", b"x", b"1\n2", b"1\r\n2\r\ny\nz\r"),
        (b"x\r\ny\nz\r", b"z", b"1\n2", b"x\r\ny\n1\n2\r"),
        (b"p 10%\rp 20%\rdone\n", b"done", b"end", b"p 10%\rp 20%\rend\n"),
        (b"one\rtwo\rthree\r", b"one\ntwo", b"1\n2\n3", b"1\r2\r3\rthree\r"),
        (b"last", b"last", b"LAST\n", b"LAST\n"),
        (b"last", b"last", b"LAST", b"LAST"),
        (b"a\r\nb\na\nb\n", b"a\nb\n", b"c\n", b"a\r\nb\nc\n"),
        (b"caf\xe9 x\n", b"x", b"y", b"caf\xe9 y\n"),
        (b"1.5 + 1x5", b"1.5", b"2", b"2 + 1x5"),
        (b"keep\ncut\n", b"cut\n", b"", b"keep\n"),
    ],
)
def test_only_the_match_changes_and_takes_the_line_end_of_the_file(
    before: bytes, old: bytes, new: bytes, after: bytes
) -> None:
    assert edited(before, old, new) == after


@pytest.mark.parametrize(
    ("before", "old", "new", "why"),
    [
        (b"a\nb\na\n\na", b"a", b"c", "3 times, in lines 1, 3, 5: add text around it"),
        (b"a\n" * 30, b"a", b"c", "lines 1, 2, .*, 19, 20, …: "),
        (b"a\nb\n", b"c", b"d", "not found: locate it with Grep"),
        (b"a\tb\n", b"a b", b"d", "not found"),
        (b"a\nb\n", b"a", b"a", "nothing would change"),
        (b"a\r\nb\r\n", b"a\nb", b"a\r\nb", "nothing would change"),
        (b"a\n", b"a\n", b"", "would be empty"),
    ],
)
def test_what_is_not_clear_changes_nothing(before: bytes, old: bytes, new: bytes, why: str) -> None:
    with pytest.raises(ToolFailure, match=why):
        edited(before, old, new)


def test_every_match_is_replaced_when_asked() -> None:
    assert edited_everywhere(b"a\r\nb a\nA\n", b"a", b"x\ny") == b"x\r\ny\r\nb x\ny\nA\n"
    assert edited_everywhere(b"a\r\nb\na\nb\n", b"a\nb", b"c") == b"c\nc\n"


@given(
    st.lists(st.sampled_from(["ab", "b", "", "c.d"]), min_size=1, max_size=6),
    st.sampled_from([b"\n", b"\r\n"]),
    st.binary(max_size=9).filter(lambda end: b"\n" not in end and b"\r" not in end),
)
def test_bytes_around_the_match_stay(lines: list[str], end: bytes, rest: bytes) -> None:
    head = end.join(line.encode() for line in lines) + end
    content = head + b"MATCH" + end + rest

    assert edited(content, b"MATCH", b"1\n2") == head + b"1" + end + b"2" + end + rest


async def test_the_model_gets_one_line_and_the_person_the_diff(call: Call, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"1\n2\n3\n4\n5\n6")
    outcome = await call("Edit", path="./f", old_string="5\n6", new_string="five\n6\n7")

    assert outcome.output == "Success: Edit(./f) [+3 -2 lines]"
    assert outcome.display == (
        "Success: Edit(./f) [+3 -2 lines]\n--- ./f\n+++ ./f\n@@ -2,5 +2,6 @@\n 2\n 3\n 4\n"
        "-5\n-6\n\\ No newline at end of file\n+five\n+6\n+7\n\\ No newline at end of file\n"
    )
    after = b"1\n2\n3\n4\nfive\n6\n7"
    assert outcome.changes == (Change("f", b"1\n2\n3\n4\n5\n6", after),)
    assert (workspace / "f").read_bytes() == after


async def test_mode_and_link_stay_and_other_names_keep_the_old_bytes(
    call: Call, workspace: Path
) -> None:
    (workspace / "f").write_text("old")
    (workspace / "f").chmod(0o755)
    (workspace / "l").symlink_to("f")
    os.link(workspace / "f", workspace / "hard")
    os.chown(workspace / "f", 1234, 4321)
    outcome = await call("Edit", path="l", old_string="old", new_string="new")

    assert outcome.ok
    assert outcome.changes[0].path == "f"
    assert (workspace / "l").is_symlink()
    assert (workspace / "f").read_text() == "new"
    status = (workspace / "f").stat()
    assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o755, 1234, 4321)
    assert (workspace / "hard").read_text() == "old"


async def test_a_file_that_others_changed_is_read_again_first(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("one\ntwo\n")
    await call("Read", path="f", limit=1)
    (workspace / "f").write_text("one\nTWO\n")
    edit = {"path": "./f", "old_string": "one", "new_string": "1"}

    for stale in (await call("Edit", **edit), await call("Write", path="f", content="")):
        assert stale.output == (
            "Error: {} has changed on disk since you last read it: read it again first".format(
                "./f" if stale.output.startswith("Error: ./f") else "f"
            )
        )
    assert (workspace / "f").read_text() == "one\nTWO\n"
    await call("Read", path="f")
    assert (await call("Edit", **edit)).ok
    assert (await call("Write", path="f", content="all")).ok
    assert (await call("Edit", path="f", old_string="all", new_string="each")).ok


async def test_a_file_that_was_never_read_may_be_edited(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("a")

    assert (await call("Edit", path="f", old_string="a", new_string="b")).ok


async def test_empty_old_text_only_makes_a_new_file(call: Call, workspace: Path) -> None:
    new = {"path": "deep/er/f", "old_string": "", "new_string": "a\n"}
    made, again = await call("Edit", **new), await call("Edit", **new)

    assert made.output == "Success: Edit(deep/er/f) [+1 -0 lines]"
    assert made.changes == (Change("deep/er/f", None, b"a\n"),)
    assert again.output.startswith("Error: deep/er/f exists, and an empty old_string")
    assert (workspace / "deep/er/f").read_text() == "a\n"


async def test_a_misspelt_path_makes_no_directory(call: Call, workspace: Path) -> None:
    outcome = await call("Edit", path="no/such", old_string="a", new_string="b")

    assert outcome.output == "Error: no/such not found"
    assert not list(workspace.iterdir())


async def test_the_mark_at_the_start_is_neither_matched_nor_lost(
    call: Call, workspace: Path
) -> None:
    (workspace / "f").write_bytes(BOM + b"a\n")
    outcome = await call("Edit", path="f", old_string="\ufeffa", new_string="b")

    assert outcome.ok
    assert (workspace / "f").read_bytes() == BOM + b"b\n"


async def test_an_edit_beyond_the_size_limit_is_refused(call: Call, workspace: Path) -> None:
    (workspace / "f").write_text("a" + "x" * 999_999)
    outcome = await call("Edit", path="f", old_string="a", new_string="bb")

    assert outcome.output == "Error: f would have 1000001 bytes; the limit is 1000000"
    assert (workspace / "f").read_text()[0] == "a"
