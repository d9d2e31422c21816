"""Starts what is measured beside a scripted model, and takes the times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Self

from fsm_agent.runtime.places import LOG, project_home
from tests.bench.logs import long_log
from tests.bench.typist import Typist

HERE = Path(__file__).parent
PYTHON = sys.executable
AGENT = str(Path(PYTHON).with_name("fsm-agent"))
TIMEOUT_S = 300.0

Answers = list[dict[str, Any]]


class Request(NamedTuple):
    """When a request had come and its answer had gone, and the size of its body in bytes."""

    received: float
    sent: float
    size: int


class Ended(NamedTuple):
    """When a process had ended, its most bytes in memory, and its seconds of the processor."""

    time: float
    peak: int
    cpu: float


class Run(NamedTuple):
    """A process from start to end, and what it asked; times in s of the monotonic clock."""

    began: float
    ended: Ended
    requests: list[Request]

    @property
    def wall(self) -> float:
        """Start to exit, in ms."""
        return (self.ended.time - self.began) * 1e3

    @property
    def ttfr(self) -> float:
        """Start to the first request, in ms."""
        return (self.requests[0].received - self.began) * 1e3

    @property
    def tail(self) -> float:
        """The last answer's end to exit, in ms."""
        return (self.ended.time - self.requests[-1].sent) * 1e3

    @property
    def steps(self) -> list[float]:
        """Each answer's end to the next request, in ms."""
        pairs = zip(self.requests, self.requests[1:], strict=False)
        return [(after.received - before.sent) * 1e3 for before, after in pairs]


class Bench:
    """A model server, and a home and workspace of their own for what is measured."""

    def __init__(self, place: Path) -> None:
        self._place, self._errors = place, place / "errors"
        (place / "workspace").mkdir()
        passed_on = ("PATH", "PYTHONPYCACHEPREFIX")
        self._environment = {
            **{name: os.environ[name] for name in passed_on if name in os.environ},
            "FSM_AGENT_HOME": str(place / "home"),
            "HOME": str(place),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }
        self._server = subprocess.Popen(
            [PYTHON, HERE / "server.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._url = f"http://127.0.0.1:{self._said()}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def agent(self, answers: Answers) -> Run:
        """This program, given these answers."""
        return self._run(self.command(), answers)

    def resumed(self, answers: Answers, lines: int) -> Run:
        """This program, going on with a session whose log has so many lines."""
        self.lay_down(1, lines)
        return self._run([*self.command(), "-c"], answers)

    def lay_down(self, number: int, lines: int) -> Path:
        """Write a session's log of so many lines; its path."""
        workspace = self._place.resolve() / "workspace"
        session = f"20261130-091244-{number:04x}"
        path = project_home(self._place / "home", workspace) / session / LOG
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(long_log(session, str(workspace), lines))
        return path

    def floor(self, answers: Answers) -> Run:
        """The floor, given these answers."""
        log = self._place / "floor.jsonl"
        log.unlink(missing_ok=True)
        return self._run([PYTHON, str(HERE / "floor.py"), self._url, str(log), "Go."], answers)

    def command(self) -> list[str]:
        """This program's command line for a run."""
        return [
            *(AGENT, "-p", "--base-url", self._url, "--api-key", "none", "-m", "bench"),
            *("--max-turns", "2000", "--compact", "off", "Go."),
        ]

    def typist(self, answers: Answers) -> Typist:
        """This program at a terminal, given these answers; a prompt is there."""
        self.script(answers)
        argv = [argument for argument in self.command() if argument not in ("-p", "Go.")]
        argv += ["--permission", "allow"]
        made = Typist(argv, self._place / "workspace", self._environment)
        made.sees("/help")
        return made

    def lines(self) -> list[str]:
        """What was handed in, in the session that was written to last."""
        logs = (self._place / "home").glob(f"projects/*/*/{LOG}")
        last = max(logs, key=lambda log: log.stat().st_mtime_ns)
        events = map(json.loads, last.read_bytes().splitlines())
        return [event["text"] for event in events if event["type"] == "user_input"]

    def script(self, answers: Answers | None = None) -> list[Request]:
        """Give the server its next answers; without any, ask what came since."""
        assert self._server.stdin
        self._server.stdin.write(json.dumps(answers) + "\n")
        self._server.stdin.flush()
        return [Request(*request) for request in self._said()]

    def start(self, argv: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a process without a terminal."""
        with self._errors.open("wb") as errors:
            return subprocess.Popen(
                argv,
                cwd=self._place / "workspace",
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )

    def end(self, process: subprocess.Popen[bytes], code: int = 0) -> Ended:
        """Wait for a process to end as it should."""
        limit = threading.Timer(TIMEOUT_S, process.kill)
        limit.start()
        _, status, used = os.wait4(process.pid, 0)
        time = monotonic()
        limit.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != code:
            said = self._errors.read_text(errors="replace")
            raise SystemExit(f"{process.args!r} gave {process.returncode}, not {code}:\n{said}")
        return Ended(time, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime)

    def _run(self, argv: Sequence[str], answers: Answers) -> Run:
        self.script(answers)
        began = monotonic()
        ended = self.end(self.start(argv))
        requests = self.script()
        if len(requests) != len(answers):
            raise SystemExit(f"{argv!r} sent {len(requests)} requests, not {len(answers)}")
        return Run(began, ended, requests)

    def _said(self) -> Any:
        assert self._server.stdout
        return json.loads(self._server.stdout.readline())
