"""Tab completes commands at the line's start and files after an @."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from fsm_agent.interfaces.terminal.completing import LineCompleter


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/", ["/model", "/usage"]),
        ("/mo", ["/model"]),
        ("/nope", []),
        ("say /mo", []),
        ("read @a", ["pp.py"]),
        ("@sub/", ["b.txt"]),
        ("read a", []),
        ("", []),
    ],
)
def test_completions(workspace: Path, typed: str, offered: list[str]) -> None:
    (workspace / "sub").mkdir()
    (workspace / "sub" / "b.txt").touch()
    (workspace / "app.py").touch()
    completer = LineCompleter({"model": "", "usage": ""}, workspace)
    found = completer.get_completions(Document(typed, len(typed)), CompleteEvent())

    assert [completion.text for completion in found] == offered
