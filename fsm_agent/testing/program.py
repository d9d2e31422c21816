"""The program itself, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.runtime.places import LOG

OURS = ("ANTHROPIC_", "FSM_AGENT_", "OPENAI_")
"""Beginnings of the names of variables that would steer a run."""
LIMIT_S = 30.0
"""How long a run may take, in seconds."""


class Ended(msgspec.Struct, frozen=True):
    """How a run ended.

    Attributes:
        code: The exit code; negative if a signal ended it.
        out: What stood on stdout.
        err: What stood on stderr, bad bytes shown as such.
    """

    code: int
    out: bytes
    err: str


class Program:
    """`python -m fsm_agent` in one directory, with a home of its own and without any key.

    Attributes:
        cwd: Where it runs.
        home: Where its sessions are.
        environment: What it sees; may be changed before a run.
    """

    def __init__(self, cwd: Path, home: Path) -> None:
        self.cwd, self.home = cwd, home
        kept = {name: v for name, v in ENVIRONMENT.items() if not name.startswith(OURS)}
        ours = {"FSM_AGENT_HOME": str(home), "FSM_AGENT_CONFIG_HOME": str(home / "config")}
        self.environment = {**kept, **ours}

    def start(self, *arguments: str | bytes, **popen: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - what `Popen` takes
        """Begin a run with an empty stdin and no terminal; `popen` goes to `subprocess.Popen`."""
        files = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, "-m", "fsm_agent", *arguments],
            **{
                "cwd": self.cwd,
                "env": self.environment,
                "start_new_session": True,
                **files,
                **popen,
            },
        )

    def run(self, *arguments: str | bytes, said: bytes | None = None, **popen: Any) -> Ended:  # noqa: ANN401 - what `Popen` takes
        """Run to the end; `said` is piped in.

        Raises:
            AssertionError: If it shows a traceback, which nobody should ever see.
        """
        if said is not None:
            popen["stdin"] = subprocess.PIPE
        with self.start(*arguments, **popen) as process:
            return ended(process, said)

    def play(self, script: str, *arguments: str | bytes, **more: Any) -> Ended:  # noqa: ANN401 - as for `run`
        """Run with a model that says this."""
        return self.run("--script", self.script(script), *arguments, **more)

    def script(self, text: str) -> str:
        """Write the script of a model; its path."""
        path = self.home.with_name("model.script")
        path.write_text(text, encoding="utf-8")
        return str(path)

    @property
    def sessions(self) -> list[Path]:
        """The directories of all sessions that have a log, oldest log first."""
        logs = self.home.glob(f"projects/*/*/{LOG}")
        return [log.parent for log in sorted(logs, key=lambda log: log.stat().st_mtime_ns)]

    def log(self, kind: str = "", session: Path | None = None) -> list[dict[str, Any]]:
        """The lines of a session's log, the newest one's if none is named; or those of a type."""
        raw = ((session or self.sessions[-1]) / LOG).read_bytes()
        lines = [msgspec.json.decode(line) for line in raw.split(b"\n")[:-1]]
        return [line for line in lines if kind in ("", line["type"])]


def ended(process: subprocess.Popen[bytes], said: bytes | None = None) -> Ended:
    """Wait for the end of a run.

    Raises:
        AssertionError: If it shows a traceback, which nobody should ever see.
    """
    try:
        out, err = process.communicate(said, timeout=LIMIT_S)
    finally:
        process.kill()
    text = (err or b"").decode(errors="replace")
    assert "Traceback" not in text, text  # noqa: S101 - what this is for
    return Ended(process.returncode, out or b"", text)
