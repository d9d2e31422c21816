"""`fork`: from a point of a session again, with something changed."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from fsm_agent.errors import UsageError
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.interfaces.arguments import add_model_options, natural, positive
from fsm_agent.interfaces.assembly import assemble
from fsm_agent.interfaces.configuring import ENVIRONMENT, configure, home
from fsm_agent.interfaces.logs import log_of, named_files
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.providing import taken_up
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.runtime.clock import SystemClock
from fsm_agent.runtime.forking import StartingPoint, first_difference, moves, starting_point
from fsm_agent.runtime.images import Images
from fsm_agent.runtime.loop import Loop
from fsm_agent.runtime.session import Session
from fsm_agent.settings import RunSettings

TAKEN_OVER = ("max_tokens", "max_turns", "permission")
"""Settings of the original that hold where no option says otherwise; whom to ask is `taken_up`."""
SHOWN = 60
"""Characters of a difference that the table shows."""


def parser() -> argparse.ArgumentParser:
    """The grammar of `fork`."""
    made = argparse.ArgumentParser(
        prog="fsm-agent fork",
        description="Begin a new session from the conversation before a turn of another one, and "
        "ask again. The original's log is never changed. Files stay as they lie in its directory, "
        "unless --workspace checks out a revision.",
        allow_abbrev=False,
    )
    made.add_argument("point", metavar="S@SEQ", help="a session, and a line of the turn to repeat")
    made.add_argument(
        "--edit",
        action="append",
        default=[],
        metavar="WHAT=…",
        help="line=TEXT: say this instead; prompt=FILE: this file is the only instruction file",
    )
    made.add_argument("--times", type=positive, default=1, metavar="N", help="so many runs")
    made.add_argument(
        "--workspace", metavar="git:REV", help="each run in a new worktree of this revision"
    )
    add_model_options(made)
    return made


def main(argv: Sequence[str]) -> int:
    """Run `fork`; return 0 if every run answered, else the first other exit code."""
    given = parser().parse_args(argv[1:])
    edits = _edits(given.edit)
    with named_files():
        path, seq = _point(given.point)
        point = starting_point(read(path), BlobStore(path.parent).text, seq)
    line = edits.get("line") or (point.line.text if point.line else "")
    if not line:
        raise UsageError("nothing was said behind that point; say something: --edit line=TEXT")
    settings = _settings(given, point)
    codes = []
    print(f"{'':3} {'session':22} {'end':12} {'exit':>4} {'requests':>8} {'tokens':>14}  differs")
    for number in range(1, given.times + 1):
        with named_files():
            cwd = _workspace(path, given.workspace)
        fork = i.SessionFork(
            source=path.parent.name,
            reason="fork",
            messages="",
            at=point.at,
            workspace=given.workspace,
        )
        session = Session.create(home(), cwd, SystemClock())
        session.inherit(fork, point.left)
        Images(session.directory).take_over(path.parent)
        run = Run(session, point, edits.get("prompt"))
        code = asyncio.run(run.go(settings, cwd, line))
        print(f"{number:3} {run.row(code)}", flush=True)
        codes.append(code)
    return next((code for code in codes if code), 0)


class Run:
    """One run of a fork, and its line in the table."""

    def __init__(self, session: Session, point: StartingPoint, prompt: str | None) -> None:
        self._session, self._point, self._prompt = session, point, prompt
        self._lines: list[Line] = []
        self._loop: Loop | None = None

    async def go(self, settings: RunSettings, cwd: Path, line: str) -> int:
        """Ask, until the session rests again."""
        only = None if self._prompt is None else (Path(self._prompt),)
        try:
            run = assemble(self._session, settings, cwd, show=self._show, instructions=only)
            self._loop = run.loop
            run.loop.give([i.UserInput(text=line)])
            return await run.loop.run(run.hands)
        finally:
            self._session.close()

    def _show(self, lines: Sequence[Line], _: bytes) -> None:
        self._lines += lines
        if self._loop and self._session.world.at.get("session") == "idle":
            self._loop.give([i.Leave(reason="done")])

    def row(self, code: int) -> str:
        """How it ended, what it took, and what first differs from the original."""
        world = self._session.world
        done = list(moves(self._lines))
        differs = first_difference(self._point.moves, done) or "nothing"
        tools = Counter(move.split()[1] for move in done if move.startswith("call "))
        used = " ".join(f"{name}×{count}" for name, count in tools.items())
        tokens = f"{world.usage.prompt:,}/{world.usage.output:,}"
        differs, used = escape_line(differs), escape_line(used)
        short = differs if len(differs) <= SHOWN else differs[: SHOWN - 1] + "…"
        return (
            f"{self._session.name:22} {world.last_turn:12} {code:4} {world.requests:8} "
            f"{tokens:>14}  {short}{f'  [{used}]' if used else ''}"
        )


def _point(text: str) -> tuple[Path, int]:
    named, at, seq = text.rpartition("@")
    try:
        number = natural(seq if at else "")
    except argparse.ArgumentTypeError as error:
        raise UsageError(
            f"'{text}' is no point of a session: {error}; give S@SEQ, as in `fsm-agent log`"
        ) from None
    return log_of(named or None), number


def _edits(texts: Sequence[str]) -> dict[str, str]:
    edits = {}
    for text in texts:
        what, sign, value = text.partition("=")
        if not sign or what not in ("line", "prompt"):
            raise UsageError(f"--edit takes line=TEXT or prompt=FILE, not '{text}'")
        if not value:
            raise UsageError(f"--edit {what}= says nothing: give it something, or leave it out")
        if what == "prompt" and not Path(value).is_file():
            raise UsageError(f"--edit prompt: {value} is no file")
        edits[what] = value
    return edits


def _settings(given: argparse.Namespace, point: StartingPoint) -> RunSettings:
    for name in TAKEN_OVER:
        if getattr(given, name) is None:
            setattr(given, name, getattr(point.settings, name) or None)
    return taken_up(configure(given), point.settings, ENVIRONMENT)


def _workspace(path: Path, wanted: str | None) -> Path:
    start = next(iter(read(path))).lines[0].event
    cwd = Path(start.cwd) if isinstance(start, i.SessionStart) else Path.cwd()
    if not cwd.is_dir():
        raise UsageError(f"the session's directory {cwd} no longer exists")
    if wanted is None:
        return cwd
    kind, _, revision = wanted.partition(":")
    if kind != "git" or not revision or revision.startswith("-"):
        raise UsageError(f"--workspace takes git:REV, not '{wanted}'")
    base = path.parent / f"worktree-{revision.replace('/', '-')}"
    numbered = (base.with_name(f"{base.name}-{number}") for number in count(1))
    tree = next(place for place in numbered if not place.exists())
    done = subprocess.run(  # noqa: S603 - git, with arguments that are checked
        ["git", "-C", str(cwd), "worktree", "add", "--detach", "--force", str(tree), revision],  # noqa: S607 - as the person calls it
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UsageError(f"git cannot check out {revision}: {done.stderr.strip()}")
    aside(f"fsm-agent: running in {tree}")
    return tree
