"""Imports stand at the top, but for a counted few that start-up needs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LATE = {
    "fsm_agent/__main__.py": 2,
    "fsm_agent/dialects/__init__.py": 2,
    "fsm_agent/interfaces/providing.py": 3,
    "fsm_agent/interfaces/configuring.py": 2,
    "fsm_agent/interfaces/debugging/console.py": 1,
    "fsm_agent/interfaces/dispatch.py": 1,
    "fsm_agent/interfaces/replaying.py": 2,
    "fsm_agent/interfaces/headless.py": 2,
    "fsm_agent/interfaces/models.py": 1,
    "fsm_agent/interfaces/running.py": 3,
    "fsm_agent/interfaces/painting/pictures.py": 1,
    "fsm_agent/interfaces/terminal/opening.py": 2,
}
"""Files that import inside functions, and how often: start-up is a feature."""


def late_imports(path: Path) -> int:
    """How many imports of a file do not stand at its top."""
    tree = ast.parse(path.read_bytes())
    everywhere = sum(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))
    return everywhere - sum(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)


def modules_after(*arguments: str) -> set[str]:
    """The modules that are loaded when `python -m fsm_agent ARGUMENTS…` has ended."""
    code = (
        "import atexit, os, runpy, sys\n"
        "os._exit = sys.exit\n"  # else nothing is said at exit
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        f"sys.argv[1:] = {list(arguments)!r}\n"
        "runpy.run_module('fsm_agent', run_name='__main__', alter_sys=True)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return set(ended.stderr.split())


def test_imports_inside_functions_are_those_that_start_up_needs() -> None:
    found = Counter(
        {
            path.relative_to(ROOT).as_posix(): late_imports(path)
            for path in (ROOT / "fsm_agent").rglob("*.py")
        }
    )
    assert +found == Counter(LATE)


def test_version_loads_nothing_of_the_house_but_its_version() -> None:
    ours = {name for name in modules_after("--version") if name.startswith("fsm_agent")}

    assert ours <= {"fsm_agent", "fsm_agent.errors", "fsm_agent.version", "fsm_agent.__main__"}


def test_version_loads_no_library() -> None:
    loaded = {name.partition(".")[0] for name in modules_after("--version")}

    assert loaded.isdisjoint({"asyncio", "argparse", "httpx", "msgspec", "rich", "transitions"})


LOG = "tests/replays/1/good/one-tool.jsonl"
READING = {
    "audit --help": "auditing",
    f"audit {LOG}": "auditing",
    "replay --help": "replaying",
    f"replay {LOG} --verify": "replaying",
    "models": "models",
    "schema": "verbs",
}


@pytest.mark.parametrize("words", READING)
def test_what_only_reads_loads_neither_network_nor_screen_nor_loop(words: str) -> None:
    loaded = modules_after(*words.split())

    assert f"fsm_agent.interfaces.{READING[words]}" in loaded
    assert loaded.isdisjoint({"asyncio", "httpx", "prompt_toolkit", "rich", "structlog"})
