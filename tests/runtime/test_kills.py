"""Killed at any moment, a session loses nothing and does nothing twice.

`FSM_AGENT_KILLS` says how often the program is killed, 30 times if it is not set;
`FSM_AGENT_KILLS_SEED` draws other moments.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.lifecycles.replay import verify
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.runtime.places import LOG
from fsm_agent.testing.program import Program, ended

KILLS = int(os.environ.get("FSM_AGENT_KILLS", "30"))
SEED = int(os.environ.get("FSM_AGENT_KILLS_SEED", "1"))
COMMANDS = [
    f"sleep 0.0{call}; echo {step}.{call} >> ledger; sleep 0.0{call}"
    for step in range(8)
    for call in (1, 2)
]
"""What the model runs, two of them side by side: each leaves a line that is its own."""
SCRIPT = "".join(
    f"---\ntext: Step {k}.\ndelay: 0.01\n"
    f'call: Bash {{"command": "{COMMANDS[k]}"}}\ncall: Bash {{"command": "{COMMANDS[k + 1]}"}}\n'
    for k in range(0, len(COMMANDS), 2)
)


class Moment(NamedTuple):
    """When a run is killed: so many bytes of its log are shown, and so many seconds later."""

    shown: int
    later: float


class Ordeal:
    """One session, run and killed until it has come to its end.

    Attributes:
        program: The program, and the session's home.
        acknowledged: All whole lines of the log that its runs have shown.
        kills: How often it was killed.
    """

    def __init__(self, place: Path) -> None:
        (place / "workspace").mkdir(parents=True)
        self.program = Program(place / "workspace", place / "home")
        self.acknowledged: list[bytes] = []
        self.kills = 0
        self._script = self.program.script(f"{SCRIPT}---\ntext: The end.\n")
        self._shown = place / "shown"

    def run(self, *arguments: str, until: Moment | None = None) -> int:
        """Run to the end or to a moment; the exit code."""
        options = ("--script", self._script, "--output-format", "stream-json", *arguments)
        with self._shown.open("wb") as shown, self.program.start(*options, stdout=shown) as process:
            if until is not None:
                while os.fstat(shown.fileno()).st_size < until.shown and process.poll() is None:
                    time.sleep(0.002)
                time.sleep(until.later)
                process.kill()
            code = ended(process).code
        self.acknowledged += self._shown.read_bytes().split(b"\n")[:-1]
        self.kills += code < 0
        return code

    def go_on(self, until: Moment | None = None) -> None:
        """Do what a person would: go on; if there is nothing to go on with, ask (again)."""
        for arguments in (["-c"], ["-c", "go"], ["go"]):
            if self.run(*arguments, until=until) != 2:
                return

    @property
    def over(self) -> bool:
        """Whether the script has come to its end."""
        moves = self.program.log("transition") if self.program.sessions else []
        return any(move["to"] == "answered" for move in moves)


def suffer(place: Path, draw: random.Random, length: int) -> Ordeal:
    """Kill a session up to three times, then let it come to its end.

    Args:
        place: Where its files are.
        draw: What draws the moments.
        length: Bytes of the log of a session that is left alone.
    """
    ordeal = Ordeal(place)

    def moment() -> Moment:
        left = length - sum(map(len, ordeal.acknowledged))
        return Moment(draw.randrange(max(left, 1)), draw.uniform(0, 0.02))

    ordeal.run("go", until=moment())
    while not ordeal.over:
        ordeal.go_on(until=moment() if ordeal.kills < 3 else None)
    return ordeal


def check(ordeal: Ordeal) -> None:
    """Nothing is lost, nothing was done twice, and the log proves it."""
    directory = ordeal.program.sessions[-1]
    assert ordeal.over
    assert set(ordeal.acknowledged) <= set((directory / LOG).read_bytes().split(b"\n"))
    batches = list(read(directory / LOG))
    assert verify(batches, BlobStore(directory).text) == len(batches)

    commands: dict[str, str] = {}
    runs, results = Counter[str](), dict[str, str]()
    calls: dict[int, i.ToolCall] = {}
    for line in (line for batch in batches for line in batch.lines):
        match line.event:
            case i.ToolCall() as call:
                calls[line.seq] = call
            case d.Blocks(kept=kept, calls=names):
                asked = [str(calls[seq].input["command"]) for seq in kept if seq in calls]
                commands |= dict(zip(names, asked, strict=True))
            case d.RunTool(instance=name):
                runs[commands[name]] += 1
            case d.ToolResult(instance=name, content=content):
                assert commands[name] not in results
                results[commands[name]] = content
            case _:
                pass
    assert sorted(results) == sorted(COMMANDS)
    assert set(runs.values()) == {1}
    ledger = Counter((ordeal.program.cwd / "ledger").read_text().split())
    for command, content in results.items():
        done = ledger[command.split()[3]]
        if content.startswith("Error: outcome unknown"):
            assert done in (0, 1)
        else:
            assert done == (not content.startswith("Error: not started")), content
            assert done == runs[command]


def test_whenever_it_is_killed_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    unbroken = Ordeal(tmp_path / "unbroken")
    assert unbroken.run("go") == 0
    check(unbroken)
    length = (unbroken.program.sessions[-1] / LOG).stat().st_size

    def half(worker: int) -> list[Ordeal]:
        ordeals: list[Ordeal] = []
        while sum(ordeal.kills for ordeal in ordeals) < KILLS / 2:
            name = f"{SEED}-{worker}-{len(ordeals)}"
            ordeals.append(suffer(tmp_path / name, random.Random(name), length))
        return ordeals

    with ThreadPoolExecutor(2) as pool:
        for ordeal in (ordeal for ordeals in pool.map(half, range(2)) for ordeal in ordeals):
            print(f"{ordeal.program.home.parent}: {ordeal.kills} kills")  # noqa: T201 - if it fails
            check(ordeal)
