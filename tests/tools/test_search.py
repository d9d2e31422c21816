"""Glob and Grep find what is in the workspace, always in one order."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.search import glob_tool, grep_tool

Call = Callable[..., Coroutine[Any, Any, ToolOutcome]]


@pytest.fixture
def tree(workspace: Path) -> Path:
    files = {
        "a.py": "one\ntwo foo\nthree\n",
        "b.md": "foo\n",
        "src/c.py": "x = 'foo'\n",
        "src/deep/d.py": "nothing\n",
        "-n": "foo\n",
        ".github/ci.yml": "run: foo\n",
        ".git/config": "foo\n",
        ".gitignore": "built/\n*.log\n",
        "built/e.py": "foo\n",
        "out.log": "foo\n",
    }
    for name, content in files.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(content)
    (workspace / "etc").symlink_to("/etc")
    return workspace


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"pattern": "*.py"}, ["a.py", "src/c.py", "src/deep/d.py"]),
        ({"pattern": "**/*.py"}, ["a.py", "src/c.py", "src/deep/d.py"]),
        ({"pattern": "./src/*.py"}, ["src/c.py"]),
        ({"pattern": "*.py", "path": "src"}, ["src/c.py", "src/deep/d.py"]),
        (
            {"pattern": "*.py", "path": "./src/deep/.."},
            ["src/deep/../c.py", "src/deep/../deep/d.py"],
        ),
        ({"pattern": "*.{md,yml}"}, [".github/ci.yml", "b.md"]),
        ({"pattern": "*.log"}, []),
        ({"pattern": "!*.py"}, []),
        ({"pattern": "$(touch x)"}, []),
        ({"pattern": "-n"}, ["-n"]),
        ({"pattern": "passwd"}, []),
        (
            {"pattern": "**/*"},
            ["-n", ".github/ci.yml", ".gitignore", "a.py", "b.md", "src/c.py", "src/deep/d.py"],
        ),
    ],
)
async def test_files_are_found_by_name(
    call: Call, tree: Path, arguments: dict[str, str], names: list[str]
) -> None:
    (tree / ".git").mkdir(exist_ok=True)
    outcome = await call("Glob", **arguments)

    assert outcome == ToolOutcome("".join(f"{name}\n" for name in names))
    assert not (tree / "x").exists()


async def test_an_absolute_pattern_is_taken_from_the_workspace(call: Call, tree: Path) -> None:
    assert (await call("Glob", pattern=f"{tree}/src/*.py")).output == "src/c.py\n"


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"pattern": "foo", "glob": "*.py"}, "a.py\n2:two foo\n\nsrc/c.py\n1:x = 'foo'\n"),
        ({"pattern": "two", "context": 1}, "a.py\n1-one\n2:two foo\n3-three\n"),
        ({"pattern": "two", "context": "1", "path": "a.py"}, "a.py\n1-one\n2:two foo\n3-three\n"),
        ({"pattern": "foo", "path": "src"}, "src/c.py\n1:x = 'foo'\n"),
        ({"pattern": "foo", "path": "-n"}, "-n\n1:foo\n"),
        ({"pattern": "^run", "path": "."}, ".github/ci.yml\n1:run: foo\n"),
        ({"pattern": "-e"}, ""),
        ({"pattern": "--files"}, ""),
        ({"pattern": "absent"}, ""),
        ({"pattern": "foo", "glob": "*.none"}, ""),
        ({"pattern": "foo", "glob": "*.log"}, ""),
        ({"pattern": "foo", "glob": "e.py"}, ""),
        (
            {"pattern": "foo", "glob": "!*.py"},
            "-n\n1:foo\n\n.github/ci.yml\n1:run: foo\n\nb.md\n1:foo\n",
        ),
        ({"pattern": "foo", "glob": "*", "path": "src"}, "src/c.py\n1:x = 'foo'\n"),
        ({"pattern": "$(touch x)"}, ""),
        ({"pattern": "root:", "path": "."}, ""),
    ],
)
async def test_lines_are_found_by_content(
    call: Call, tree: Path, arguments: dict[str, str], output: str
) -> None:
    assert await call("Grep", **arguments) == ToolOutcome(output)
    assert not (tree / "x").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("Grep", {"pattern": "("}, "regex parse error:"),
        ("Grep", {"pattern": "a\nb"}, 'the literal "\\n" is not allowed in a regex'),
        ("Grep", {"pattern": "a\0b"}, "rg cannot be started: a NUL or a lone surrogate"),
        ("Grep", {"pattern": "x\ud800"}, "rg cannot be started: a NUL or a lone surrogate"),
        ("Grep", {"pattern": "x", "glob": "{"}, "error parsing glob '{'"),
        ("Grep", {"pattern": "(", "glob": "*"}, "regex parse error:"),
        ("Grep", {"pattern": ""}, "no pattern"),
        ("Grep", {"pattern": "x", "context": 10**30}, "wrong arguments: Expected `int` <= 1"),
        ("Grep", {"pattern": "x", "path": "none"}, "none not found"),
        ("Grep", {"pattern": "x", "path": "fifo"}, "fifo is a FIFO, not a regular file"),
        ("Grep", {"pattern": "x", "path": "etc"}, "etc leads outside the workspace"),
        ("Grep", {"pattern": "x", "path": "etc/passwd"}, "etc/passwd leads outside the workspace"),
        ("Grep", {"pattern": "x", "path": "/etc"}, "/etc is outside the workspace"),
        ("Glob", {"pattern": "{"}, "error parsing glob '{'"),
        ("Glob", {"pattern": ""}, "no pattern"),
        ("Glob", {"pattern": "*", "path": "none"}, "none not found"),
        ("Glob", {"pattern": "*", "path": "a.py"}, "a.py is not a directory"),
        ("Glob", {"pattern": "*", "path": ".."}, ".. leads outside the workspace"),
    ],
)
async def test_what_cannot_be_searched_is_said(
    call: Call, tree: Path, name: str, arguments: dict[str, str], why: str
) -> None:
    os.mkfifo(tree / "fifo")
    outcome = await call(name, **arguments)

    assert not outcome.ok
    assert outcome.output.startswith(f"Error: {why}")


async def test_names_and_lines_are_shown_safely(call: Call, workspace: Path) -> None:
    (workspace / "a\nb\x1b").write_bytes(b"foo \x1b[31m\xff\r\n")

    assert (await call("Glob", pattern="*")).output == "a\\nb\\x1b\n"
    assert "1:foo \\x1b[31m\ufffd" in (await call("Grep", pattern="foo")).output


async def test_files_are_found_among_very_many(call: Call, workspace: Path) -> None:
    long = "n" * 200
    for folder in ("a", "m", "z"):
        (workspace / folder).mkdir()
        for number in range(4000):
            (workspace / folder / f"{long}{number}").touch()
    (workspace / "m/needle.py").write_text("foo\n")

    assert (await call("Glob", pattern="needle.*")).output == "m/needle.py\n"
    assert (await call("Grep", pattern="foo", glob="*.py")).output == "m/needle.py\n1:foo\n"
    *names, last = (await call("Glob", pattern="*")).output.splitlines()
    assert sum(map(len, names)) < 1 << 20
    left = 12_001 - len(names)
    assert last == f"[{left} more files left out: give a narrower pattern or a path]"


async def test_matches_in_ignored_files_crowd_nothing_out(call: Call, tree: Path) -> None:
    for name in ("b.log", "y.log"):
        (tree / name).write_text("foo bar\n" * 300_000)
    (tree / ".gitignore").write_text("b.log\ny.log\n")
    (tree / "odd\nname.log").write_text("foo\n")
    outcome = await call("Grep", pattern="foo", glob="*.log")

    assert outcome.output == "odd\nname.log\n1:foo\n\nout.log\n1:foo\n"


async def test_long_lines_and_many_matches_are_bounded(call: Call, workspace: Path) -> None:
    (workspace / "long").write_text("foo" + "x" * 100_000 + "\n")
    (workspace / "many").write_text("bar\n" * 300_000)

    assert len((await call("Grep", pattern="foo")).output) < 1200
    assert len((await call("Grep", pattern="bar")).output) < 1_200_000


async def test_a_configuration_file_of_ripgrep_is_not_read(tree: Path) -> None:
    (tree / "rc").write_text("--invert-match\n")
    environment = {**os.environ, "RIPGREP_CONFIG_PATH": str(tree / "rc")}
    running = await grep_tool().start({"pattern": "two"}, Workplace(str(tree), environment))

    assert (await running.wait()).output == "a.py\n2:two foo\n"


async def test_the_packaged_ripgrep_is_taken_where_there_is_no_other(tree: Path) -> None:
    running = await glob_tool().start({"pattern": "*.md"}, Workplace(str(tree), {"PATH": ""}))

    assert (await running.wait()).output == "b.md\n"


async def test_a_search_can_be_stopped(workspace: Path) -> None:
    for tool in (glob_tool(), grep_tool()):
        running = await tool.start({"pattern": "x", "path": "/usr"}, usr(workspace))
        assert (await running.stop()).ok


async def test_a_search_that_takes_too_long_says_so(workspace: Path) -> None:
    place = Workplace(str(workspace), dict(os.environ), 0.01, ("/usr",))
    running = await grep_tool().start({"pattern": "x{3}y", "path": "/usr"}, place)

    assert (await running.wait()).output == "Error: timed out after 0.01 s: search in fewer files"


def usr(workspace: Path) -> Workplace:
    return Workplace(str(workspace), dict(os.environ), readable=("/usr",))
