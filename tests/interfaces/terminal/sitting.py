"""Somebody at a real terminal, the program on its other side."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pexpect
import pyte

from tests.interfaces.terminal.glass import Glass

PROMPT = re.compile(r"^(\w+ )?>", re.MULTILINE)
"""Where a line begins that can be typed into: the mode, where it is not the usual one."""

QUESTION = re.compile(r"^\[y/[^\n]*\s*\Z", re.MULTILINE)
"""The last line, where it is the answer to a question."""
LAST_S = 3.0
"""Seconds that a program has to end in once its terminal is gone."""


def unused_modes() -> list[Any]:
    """How a terminal stands that no program has touched; that of a child may be touched already."""
    here, there = os.openpty()
    try:
        return termios.tcgetattr(there)
    finally:
        os.close(here)
        os.close(there)


class Person:
    """Somebody at a terminal, the program on its other side."""

    def __init__(
        self,
        workspace: Path,
        home: Path,
        script: str,
        *options: str,
        terminal: str = "xterm-256color",
        size: tuple[int, int] = (80, 24),
    ) -> None:
        said = home.parent / "model.script"
        said.write_text(script)
        self.home = home
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "fsm_agent", "--script", str(said), *options],
            cwd=str(workspace),
            env={**os.environ, "FSM_AGENT_HOME": str(home), "TERM": terminal},
            dimensions=size[::-1],
        )
        self.child.delaybeforesend = None
        self.written = bytearray()
        self.glass = Glass(self.child.send, *size)
        self._stream = pyte.ByteStream(self.glass)
        self.modes = unused_modes()

    def text(self) -> str:
        """All that was ever on the screen, and is not painted over."""
        return self.glass.text()

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

    def resizes(self, columns: int, lines: int) -> None:
        """Give the terminal another size, between two frames."""
        self.reads(0.2)
        self.child.setwinsize(lines, columns)
        self.glass.resize(lines, columns)

    def reads(self, seconds: float) -> None:
        """Read for so long, and until nothing more comes for a moment."""
        until = time.monotonic() + seconds
        while time.monotonic() < until or select.select([self.child.child_fd], [], [], 0.02)[0]:
            if not self._read():
                return

    def types(self, keys: str) -> None:
        """Press keys."""
        self.child.send(keys)

    def asks(self, line: str) -> None:
        """Wait for the prompt, hand a line in."""
        self.until(lambda: PROMPT.search(self.text()) is not None)
        self.types(f"{line}\r")

    def answers(self, words: str) -> None:
        """Wait until a question stands, answer it: what is typed before is no answer."""
        self.until(lambda: QUESTION.search(self.text()) is not None)
        self.types(f"{words}\r")

    def leaves(self) -> int:
        """The exit code, once the program has ended without a trace."""
        while self._read():
            pass
        self.child.wait()
        assert "Traceback" not in self.text()
        code = self.child.exitstatus
        return -self.child.signalstatus if code is None else int(code)

    def goes(self) -> None:
        """Take the terminal away, and the program's life if it does not end of that."""
        self.child.ptyproc.fileobj.close()
        until = time.monotonic() + LAST_S
        while self.child.isalive() and time.monotonic() < until:
            time.sleep(0.005)
        self.child.ptyproc.delayafterclose = 0
        self.child.close(force=True)

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
            read = self.child.read_nonblocking(1 << 16, timeout=0.05)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += read
        self._stream.feed(read)
        return True


Sits = Callable[..., Person]
