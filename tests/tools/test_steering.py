"""What steers other programs is not written, whatever link leads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.containment import locate_existing, locate_for_writing
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.replacing import replace

LINKS_TO_CONTROL = {
    "githooks": ".git/hooks",
    "gg": ".git",
    "cfg": ".git/config",
    "dangling": ".git/hooks/pre-push",
    "twice": "gg/hooks",
    "servers": ".mcp.json",
    "sub/up": "../.GIT",
}


@pytest.mark.parametrize(
    "path",
    [
        "githooks/post-commit",
        "gg/config",
        "gg/new/file",
        "cfg",
        "dangling",
        "twice/../config",
        "servers",
        "sub/up/config",
        ".git/config",
        "src/.claude/new/file",
    ],
)
def test_what_steers_other_programs_is_not_written_through_a_link(
    workspace: Path, place: Workplace, path: str, way: str
) -> None:
    for folder in (".git/hooks", ".GIT", "sub", "src"):
        (workspace / folder).mkdir(parents=True)
    (workspace / ".git/config").write_text("old")
    (workspace / ".GIT/config").write_text("old")
    (workspace / ".mcp.json").write_text("old")
    for name, target in LINKS_TO_CONTROL.items():
        (workspace / name).symlink_to(target)
    before = sorted(workspace.rglob("*"))
    for find in (locate_for_writing, locate_existing):
        with pytest.raises(ToolFailure) as caught:
            find(path, place)
        if find is locate_for_writing:
            assert str(caught.value).endswith("steers other programs; a person must edit it")

    assert sorted(workspace.rglob("*")) == before


def test_a_workspace_that_lies_in_a_control_directory_can_be_written(workspace: Path) -> None:
    tree = workspace / ".claude/worktrees/x"
    tree.mkdir(parents=True)
    with locate_for_writing("new/f", Workplace(str(tree), {})) as location:
        replace(location, b"text")

    assert (tree / "new/f").read_text() == "text"
