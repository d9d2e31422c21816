"""The main job without a key: a scripted model repairs a project."""

from __future__ import annotations

import argparse
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.auditing import main as audit
from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.interfaces.replaying import main as replay
from fsm_agent.runtime.places import LOG, sessions

CODE = '''\
"""Prices with a discount."""


def price(cents: int, percent: int) -> int:
    """The price in cents after `percent` off, rounded down."""
    return cents - cents * percent // 10
'''
TESTS = """\
import unittest

from prices import price


class Prices(unittest.TestCase):
    def test_no_discount(self) -> None:
        self.assertEqual(price(1000, 0), 1000)

    def test_a_quarter_off(self) -> None:
        self.assertEqual(price(1000, 25), 750)


if __name__ == "__main__":
    unittest.main()
"""
SCRIPT = """\
--- see what fails
text: I'll run the tests first.
call: Bash {"command": COMMAND}
usage: 1450 38

--- read the code and its test, side by side
thinking: 1000 less a quarter should be 750, and -1500 came out: the divisor is wrong.
text: The discount is too large. Let me read the code and its test.
call: Read {"path": "prices.py"}
call: Read {"path": "test_prices.py"}
usage: 220 61 1450

--- mend it
text: A percentage is divided by 10 where it should be 100.
call: Edit {"path": "prices.py", "old_string": "percent // 10", "new_string": "percent // 100"}
usage: 410 74 1670

--- check, and die on the way
text: Now the tests again.
delay: 0.3
kill
call: Bash {"command": COMMAND}
usage: 130 31 2080

--- answer
text:
    The tests pass. `price` divided the percentage by 10, so 25 % off took away 250 %.
    It now divides by 100; nothing else was changed.
usage: 90 44 2210
"""
PROMPT = "the tests fail; find out why and mend it"


def main(argv: Sequence[str]) -> int:
    """Run the demo; 0 if the project was repaired by a session that died in between."""
    argparse.ArgumentParser(
        prog="fsm-agent demo",
        description="A scripted model repairs a small project through the real runtime and "
        "tools, is killed in the middle, is taken up again and answers. No key, no network.",
    ).parse_args(argv[1:])
    root = Path(tempfile.mkdtemp(prefix="fsm-agent-demo-")).resolve()
    demo = Demo(root)
    demo.lay_out()
    print(f"a small project with a bug: {demo.project}")
    killed = demo.run(["--script", str(demo.script), PROMPT], shown=f'fsm-agent "{PROMPT}"')
    if killed != -signal.SIGKILL:
        raise FsmAgentError(f"the demo's first run ended with {killed}, not by SIGKILL")
    print(f"\n*** killed (SIGKILL) in the middle of an answer; {demo.events()} events are safe\n")
    code = demo.run(["--script", str(demo.script), "-c"], shown="fsm-agent -c")
    tests = subprocess.run(  # noqa: S603 - this interpreter
        demo.tests, cwd=demo.project, capture_output=True, check=False
    )
    if code or tests.returncode:
        raise FsmAgentError(f"the demo failed: exit {code}, its tests {tests.returncode}")
    print("\n$ fsm-agent replay --verify", flush=True)
    verified = replay(["replay", "--verify", str(demo.log)])
    print("\n$ fsm-agent audit", flush=True)
    audited = audit(["audit", str(demo.log.parent)])
    print(f"\nlog: {demo.log} ({demo.events()} events)")
    return verified or audited


class Demo:
    """The demo's files, and a run of this program among them."""

    def __init__(self, root: Path) -> None:
        self.project, self.home = root / "project", root / "home"
        self.script = root / "model.script"
        self.tests = [sys.executable, "-m", "unittest", "-q"]

    def lay_out(self) -> None:
        """Write project and script."""
        self.project.mkdir()
        (self.project / "prices.py").write_text(CODE)
        (self.project / "test_prices.py").write_text(TESTS)
        command = shlex.join(self.tests).replace("\\", "\\\\").replace('"', '\\"')
        self.script.write_text(SCRIPT.replace("COMMAND", f'"{command}"'))

    def run(self, arguments: Sequence[str], *, shown: str) -> int:
        """Run this program in the project, to its end or its death."""
        print(f"$ {shown}", flush=True)
        environment = {**ENVIRONMENT, "FSM_AGENT_HOME": str(self.home)}
        done = subprocess.run(  # noqa: S603 - this program itself
            [sys.executable, "-m", "fsm_agent", "--permission", "allow", *arguments],
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.returncode

    @property
    def log(self) -> Path:
        """The session's log."""
        return next(sessions(self.home, self.project)) / LOG

    def events(self) -> int:
        """How many lines the log has."""
        return self.log.read_bytes().count(b"\n")
