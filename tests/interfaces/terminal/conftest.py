"""Somebody at a real terminal, the program on its other side."""

from __future__ import annotations

import os
import re
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pexpect
import pyte
import pytest

PROMPT = re.compile(r"^(\w+ )?>", re.MULTILINE)
"""Where a line begins that can be typed into: the mode, where it is not the usual one."""


class Glass(pyte.HistoryScreen):
    """The glass of an 80 by 24 terminal, and all that went up beyond it."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        super().__init__(80, 24, history=1000)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        """Say where the cursor is, when the program asks."""
        self._answer(data)


class Person:
    """Somebody at a terminal, the program on its other side."""

    def __init__(self, workspace: Path, home: Path, script: str, *options: str) -> None:
        said = home.parent / "model.script"
        said.write_text(script)
        self.home = home
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "fsm_agent", "--script", str(said), *options],
            cwd=str(workspace),
            env={**os.environ, "FSM_AGENT_HOME": str(home), "TERM": "xterm-256color"},
            dimensions=(24, 80),
        )
        self._screen = Glass(self.child.send)
        self._stream = pyte.ByteStream(self._screen)
        self.modes = termios.tcgetattr(self.child.child_fd)

    def text(self) -> str:
        """All that was ever on the screen, and is not painted over."""
        rows = [*self._screen.history.top, *map(self._screen.buffer.__getitem__, range(24))]
        return "\n".join("".join(row[x].data for x in range(80)).rstrip() for row in rows)

    def until(self, seen: Callable[[], bool], seconds: float = 10) -> float:
        """Read until it is so; how many seconds that took."""
        began = time.monotonic()
        while not seen():
            assert self._read() or seen(), f"the program has ended\n{self.text()}"
            assert time.monotonic() - began < seconds, self.text()
        return time.monotonic() - began

    def sees(self, text: str, seconds: float = 10) -> float:
        """Wait until the text is there."""
        return self.until(lambda: text in self.text(), seconds)

    def types(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def asks(self, line: str) -> None:
        """Wait for the prompt, hand a line in."""
        self.until(lambda: PROMPT.search(self.text()) is not None)
        self.types(f"{line}\r")

    def leaves(self) -> int:
        """The exit code, once the program has ended without a trace."""
        while self._read():
            pass
        self.child.wait()
        assert "Traceback" not in self.text()
        code = self.child.exitstatus
        return -self.child.signalstatus if code is None else int(code)

    def log(self, kind: str) -> list[dict[str, Any]]:
        """The lines of one type, in the log of the only session."""
        (_,) = self.home.glob("projects/*/*/events.jsonl")
        return self.newest_log(kind)

    def newest_log(self, kind: str) -> list[dict[str, Any]]:
        """The same of the newest session."""
        logs = self.home.glob("projects/*/*/events.jsonl")
        path = max(logs, key=lambda log: log.stat().st_mtime_ns)
        lines = [msgspec.json.decode(raw) for raw in path.read_bytes().splitlines()]
        return [line for line in lines if line["type"] == kind]

    def ends(self) -> list[str]:
        """How the turns ended."""
        finals = {"answered", "failed", "interrupted", "exhausted"}
        return [line["to"] for line in self.log("transition") if line["to"] in finals]

    def _read(self) -> bool:
        try:
            self._stream.feed(self.child.read_nonblocking(1 << 16, timeout=0.05))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        return True


Sits = Callable[..., Person]


@pytest.fixture
def sits_down(workspace: Path, home: Path) -> Iterator[Sits]:
    people: list[Person] = []

    def begin(script: str, *options: str) -> Person:
        people.append(Person(workspace, home, script, *options))
        return people[-1]

    yield begin
    for person in people:
        person.child.close(force=True)
