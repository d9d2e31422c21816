"""A question shows what would happen, and what a standing yes allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.terminal.asked import choices, picture
from fsm_agent.tools.protocol import Workplace


def call(name: str, **given: Any) -> ToolCall:
    return ToolCall(instance="turn-1", activity=1, n=0, name=name, id="c", input=given)


def shown(call: ToolCall, cwd: Path) -> str:
    place = Workplace(str(cwd), {}, project_memory=str(cwd.parent / "memory.md"))
    return "\n".join(text.plain for text in picture(call, place))


@pytest.mark.parametrize(
    ("name", "more"),
    [("Bash", {"command"}), ("Edit", {"edits"}), ("Write", {"edits"}), ("x", set())],
)
def test_what_reaches_further_fits_the_tool(name: str, more: set[str]) -> None:
    assert set(choices(call(name, command="ls"), Workplace("/w", {}))) == {"yes", "no"} | more


def test_a_command_that_is_none_cannot_be_allowed_for_good() -> None:
    assert set(choices(call("Bash", command=5), Workplace("/w", {}))) == {"yes", "no"}


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


def test_a_file_that_holds_it_already_is_said_to_stay(workspace: Path) -> None:
    (workspace / "a.py").write_text("one\n")

    assert "a.py: nothing changes" in shown(call("Write", path="a.py", content="one\n"), workspace)


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


def test_what_a_standing_yes_lets_through_is_shown_before_it_is_given(workspace: Path) -> None:
    place = Workplace(str(workspace), {})
    status = call("Bash", command="git status")
    text = shown(status, workspace)

    assert choices(status, place)["command"] == "[c] git status … from now on"
    assert (
        "c would let through: git status … (arguments inside the workspace, of options only" in text
    )
    assert "--short -b -s" in text
    assert (
        "e would let through: Write and Edit of any file in the workspace, but for .claude"
        in shown(call("Write", path="a", content="x"), workspace)
    )


@pytest.mark.parametrize("command", ["git status; id", "make", "sudo ls", "ls $(id)"])
def test_any_other_command_is_offered_word_for_word(workspace: Path, command: str) -> None:
    asked = call("Bash", command=command)

    offered = choices(asked, Workplace(str(workspace), {}))["command"]
    assert offered == "[c] this command, word for word, from now on"
    assert "would let through" not in shown(asked, workspace)


def test_a_file_behind_a_link_is_named_by_where_it_is(workspace: Path) -> None:
    (workspace / "real.txt").write_text("one\n")
    (workspace / "link.txt").symlink_to("real.txt")
    text = shown(call("Edit", path="link.txt", old_string="one", new_string="1"), workspace)

    assert f"link.txt -> {workspace}/real.txt: +1 -1 lines" in text


def test_files_that_a_command_names_are_shown_and_what_lies_outside_is_marked(
    workspace: Path,
) -> None:
    (workspace / "out\x1b").symlink_to("/etc")
    text = shown(call("Bash", command="rm 'out\x1b'"), workspace)

    assert "  names out\\x1b -> /etc (outside the workspace)" in text.split("\n")


def test_a_write_that_a_link_leads_outside_is_said_to_fail(workspace: Path) -> None:
    (workspace / "out.txt").symlink_to("/etc/passwd")

    text = shown(call("Write", path="out.txt", content="x"), workspace)
    assert "it will fail: out.txt leads outside the workspace" in text
    assert "(new)" not in text
