"""A question shows all that would happen; only a plain yes is a yes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.terminal.questions import choices, parse, picture
from fsm_agent.tools.protocol import Workplace


def call(name: str, **given: Any) -> ToolCall:
    return ToolCall(instance="turn-1", activity=1, n=0, name=name, id="c", input=given)


def shown(call: ToolCall, cwd: Path) -> str:
    place = Workplace(str(cwd), {}, project_memory=str(cwd.parent / "memory.md"))
    return "\n".join(text.plain for text in picture(call, "a person decides", place))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", ("yes", "")),
        (" Yes ", ("yes", "")),
        ("n", ("no", "")),
        ("no use b.txt", ("no", "use b.txt")),
        ("c", ("command", "")),
        ("e", ("edits", "")),
        ("", None),
        ("yes but", None),
        ("yep", None),
        ("nope", None),
    ],
)
def test_only_a_plain_yes_is_a_yes(line: str, answer: tuple[str, str] | None) -> None:
    assert parse(line) == answer


@pytest.mark.parametrize(
    ("name", "more"),
    [("Bash", {"command"}), ("Edit", {"edits"}), ("Write", {"edits"}), ("x", set())],
)
def test_what_reaches_further_fits_the_tool(name: str, more: set[str]) -> None:
    assert set(choices(call(name))) == {"yes", "no"} | more


def test_a_command_is_shown_whole_and_escaped_with_its_place(workspace: Path) -> None:
    hidden = "\x1b[24D\x1b[K"
    text = shown(call("Bash", command=f"rm -rf x {hidden}\n" + "y" * 500), workspace)

    assert f"in {workspace} · {509 + len(hidden) + 1} characters in 2 lines" in text
    assert r"$ rm -rf x \x1b[24D\x1b[K" in text
    assert f"$ {'y' * 500}" in text


def test_an_edit_is_shown_as_a_diff_of_the_file_as_it_is(workspace: Path) -> None:
    (workspace / "a.py").write_text("one\ntwo\n")
    text = shown(call("Edit", path="a.py", old_string="two", new_string="2\x1b"), workspace)

    assert "a.py: +1 -1 lines" in text
    assert "-two\n  +2\\x1b" in text


def test_an_edit_that_cannot_be_made_is_said_to_fail(workspace: Path) -> None:
    (workspace / "a.py").write_text("one\n")
    text = shown(call("Edit", path="a.py", old_string="two", new_string="2"), workspace)

    assert "it will fail: old_string not found" in text


def test_a_new_file_is_shown_whole(workspace: Path) -> None:
    content = "".join(f"line {n}\n" for n in range(200))
    text = shown(call("Write", path="b/c.txt", content=content), workspace)

    assert "b/c.txt (new): +200 -0 lines" in text
    assert all(f"+line {n}\n" in f"{text}\n" for n in range(200))


def test_memory_is_shown_as_a_diff_of_its_file(workspace: Path) -> None:
    path = workspace.parent / "memory.md"
    path.write_text("## Constraints\n\nold\n\n## Scratch Notes\n\nmine\n")
    text = shown(call("Remember", constraints="new\x1b"), workspace)

    assert f"{path}: +1 -1 lines" in text
    assert "-old\n  +new\\x1b" in text
    assert "-mine" not in text
    assert "nothing changes" in shown(call("Remember", constraints="old"), workspace)
    assert "it will fail: nothing is remembered" in shown(
        call("Remember", user_memory="a"), workspace
    )


def test_any_other_call_is_shown_by_its_arguments(workspace: Path) -> None:
    assert '"where": "x\\\\u202e"' in shown(call("Post", where="x\u202e"), workspace).replace(
        "\\u202e", "\\\\u202e"
    )
