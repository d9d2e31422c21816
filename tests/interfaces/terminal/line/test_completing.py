"""Tab completes commands, what they take, and files after an @."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from fsm_agent.interfaces.terminal.line.completing import LineCompleter
from fsm_agent.interfaces.terminal.line.filenames import FileNames

ANSWER = "text: All is well.\n"
TAB = "\t"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/", ["/mode", "/usage"]),
        ("/mo", ["/mode"]),
        ("/nope", []),
        ("say /mo", []),
        ("/mode ", ["ask", "plan"]),
        ("/mode p", ["plan"]),
        ("/mode plan x", []),
        ("/usage a", []),
        ("read @app", ["@app.py"]),
        ("read @sub/", ["@sub/", "@sub/b.txt", '@"sub/c d.txt"']),
        ("read @c", ['@"sub/c d.txt"']),
        ('read @"sub/c d', ['@"sub/c d.txt"']),
        (r"read @sub/c\ d", ['@"sub/c d.txt"']),
        ("@app.py and @sub/b", ["@sub/b.txt"]),
        ("/dream @app", ["@app.py"]),
        ("me@app", []),
        ("read a", []),
        ("", []),
    ],
)
def test_completions(workspace: Path, typed: str, offered: list[str]) -> None:
    (workspace / "sub").mkdir()
    for name in ("app.py", "sub/b.txt", "sub/c d.txt"):
        (workspace / name).touch()
    modes = (("ask", "asks"), ("plan", "plans"))
    commands = {"mode": "the mode", "usage": "tokens"}
    completer = LineCompleter(commands, {"mode": lambda: modes}, FileNames(workspace))
    found = completer.get_completions(Document(typed, len(typed)), CompleteEvent())

    assert [completion.text for completion in found] == offered


def test_a_folder_with_a_space_is_gone_on_in(workspace: Path) -> None:
    (workspace / "my dir").mkdir()
    (workspace / "my dir" / "a.txt").touch()
    completer = LineCompleter({}, {}, FileNames(workspace))

    def text(typed: str) -> list[str]:
        found = completer.get_completions(Document(typed, len(typed)), CompleteEvent())
        return [completion.text for completion in found]

    assert text("@my") == ['@"my dir/', '@"my dir/a.txt"']
    assert text('@"my dir/a') == ['@"my dir/a.txt"']


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("/mode pl", "> /mode plan"),
        ("/plan conf", "> /plan confirm"),
        ("/memory cl", "> /memory clear"),
        ("/model gpt-5.2-", "> /model gpt-5.2-pro"),
        ("/uncomp", "> /uncompact"),
        ("see @spa", '> see @"space man.txt"'),
    ],
)
def test_tab_completes_at_the_prompt(
    sits_down: Sits, workspace: Path, typed: str, seen: str
) -> None:
    (workspace / "space man.txt").touch()
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(typed + TAB)

    person.sees(seen)


def test_keys_are_echoed_while_a_slow_list_of_files_is_made(
    sits_down: Sits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\ncase $* in *ls-files*) sleep 1;; esac\nprintf 'late.txt\\0'\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(f"@la{TAB}")
    time.sleep(0.1)
    person.types("te")
    assert person.sees("> @late") < 0.5
    person.types(TAB)
    person.sees("> @late.txt", 5)
