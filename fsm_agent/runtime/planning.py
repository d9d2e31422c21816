"""The files of draft and plan: written after the log, and watched."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from fsm_agent.events.derived import Plan
from fsm_agent.events.inputs import Seen
from fsm_agent.events.lines import Line
from fsm_agent.events.values import BlobText
from fsm_agent.lifecycles.world import World
from fsm_agent.log.projections import Projections
from fsm_agent.policy.judging import plan_of
from fsm_agent.runtime.naming import readable

CAP = 256 * 1024
"""Bytes that a draft or plan may have; nobody reads a longer one before saying yes."""

Stamp = tuple[int, int, int] | None
"""What tells a changed file from one that is as it was."""


class PlanFiles:
    """`plan.draft` and `plan.md` of one session.

    What the log says is right: a text that the plan has left behind is taken from the file as it
    moves on, or at the next start if the program died before that. Any other text is somebody's,
    and so is the same one when it is written again.
    """

    def __init__(
        self, world: World, files: Projections, clean: Callable[[str], str] = lambda text: text
    ) -> None:
        """Keep those of this world; `clean` takes out of a text what no log may hold."""
        self._world, self._files, self._clean = world, files, clean
        self._draft = Path(world.settings.draft)
        self._plan = Path(plan_of(world.settings.draft))
        self._stamps: dict[Path, Stamp] = {}

    def begin(self) -> None:
        """See to it that both are there, and as the log says."""
        for path in (self._draft, self._plan):
            if not path.exists():
                self._write(path, "")
        self._settle()
        self._stamps.clear()  # one that was gone is looked at like any other

    def changes(self, by: Literal["person", "tool"]) -> list[Seen]:
        """An input for each that somebody has changed since the last look."""
        plans = self._world.plans
        watched: tuple[tuple[Literal["draft", "plan"], Path, BlobText], ...] = (
            ("draft", self._draft, plans.draft),
            ("plan", self._plan, plans.plan),
        )
        found = []
        for what, path, known in watched:
            stamp = _stamp(path)
            if stamp == self._stamps.get(path, ()):
                continue
            self._stamps[path] = stamp
            if (text := self._read(path)) != self._world.text(known):
                found.append(Seen(what=what, path=readable(str(path)), text=text, by=by))
        return found

    def project(self, lines: Sequence[Line]) -> None:
        """Write what these lines have made of draft and plan."""
        events = [line.event for line in lines]
        locked = any(isinstance(event, Seen) and event.what == "plan" for event in events)
        if locked or any(isinstance(event, Plan) for event in events):
            self._settle()
        if locked and not self._holds(self._plan, self._world.plans.plan):
            self._write(self._plan, self._world.text(self._world.plans.plan))

    def _settle(self) -> None:
        """Take out what the plan has left behind."""
        plans = self._world.plans
        if plans.gone and not plans.draft and self._holds(self._draft, plans.gone):
            self._write(self._draft, "")
        stale = self._holds(self._plan, plans.was) or self._holds(self._plan, "")
        if stale and not self._holds(self._plan, plans.plan):
            self._write(self._plan, self._world.text(plans.plan))

    def _holds(self, path: Path, text: BlobText) -> bool:
        return self._read(path) == self._world.text(text)

    def _read(self, path: Path) -> str:
        """Its text; nothing of what is no file, cannot be read or is too long."""
        try:
            if not path.is_file():  # a pipe may never end
                return ""
            with path.open("rb") as file:
                raw = file.read(CAP + 1)
        except OSError:
            return ""
        text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
        return "" if len(raw) > CAP else self._clean(text)

    def _write(self, path: Path, text: str) -> None:
        with contextlib.suppress(OSError):  # a projection: the log has the text
            self._files.replace(path.name, text.encode())
            self._stamps[path] = _stamp(path)


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
