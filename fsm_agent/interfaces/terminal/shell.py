"""`!command`: a shell line of the person's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from fsm_agent.context.results import cut
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.amounts import duration
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.shelltexts import SHELL, SHELL_ENDED, notice
from fsm_agent.tools.bash import bash_tool
from fsm_agent.tools.protocol import Running, Workplace

PATIENCE_S = 24 * 60 * 60
"""Seconds a line may run: whoever typed it can end it."""


class Shell:
    """Runs one line at a time, as the tool Bash runs one, but unasked and in any mode.

    `!` shows what came of it, `!!` tells the model too. The line is in the log before it runs, and
    what came of it is a second command of the log.
    """

    def __init__(self, place: Workplace, give: Callable[[Sequence[i.Event]], None]) -> None:
        self._place, self._give = place, give
        self._command, self._told = "", False
        self._task: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._job: Running | None = None
        self._began = 0.0

    @property
    def command(self) -> str:
        """What runs, or is about to; empty if nothing does."""
        return self._command

    def ask(self, line: str) -> None:
        """Have the line, with its `!`, logged; `begin` then runs it."""
        self._told = line.startswith("!!")
        self._command = line.removeprefix("!").removeprefix("!").strip()
        if self._command:
            arguments = {"command": self._command, "told": self._told}
            self._give([i.Command(name=SHELL, arguments=arguments)])

    def begin(self, of: int) -> None:
        """Run what was asked for: it is in the log, on disk, as the line `of`.

        It is run as it was typed: the log has placeholders where secrets were.
        """
        self._began = time.monotonic()
        self._task = asyncio.get_running_loop().create_task(self._run(of))

    def stop(self) -> None:
        """End it: what it has printed so far is what came of it."""
        self._ending = asyncio.get_running_loop().create_task(self._end())

    async def close(self) -> None:
        """End it, and wait until it has ended."""
        if self._task:
            await self._end()
            await self._task

    def told(self, width: int) -> str:
        """What is under way, in one line."""
        lasted = duration(time.monotonic() - self._began)
        behind = f" · {lasted} · Esc stops it"
        command, room = escape_line(self._command), max(0, width - len(behind) - 2)
        if cell_len(command) > room:
            command = f"{set_cell_size(command, room - 1)}…"
        return f"! {command}{behind}"

    async def _run(self, of: int) -> None:
        command, told = self._command, self._told
        asked = {"command": command, "timeout": PATIENCE_S}
        self._job = await bash_tool().start(asked, self._place)
        outcome = await self._job.wait()
        output = cut(outcome.output)
        ms = round((time.monotonic() - self._began) * 1000)
        ended: dict[str, Any] = {"of": of, "command": command, "told": told}
        ended |= {"ok": outcome.ok, "ms": ms}
        self._command, self._job = "", None
        if told:
            news = i.Notice(text=notice(command, output))
            self._give([news, i.Command(name=SHELL_ENDED, arguments=ended)])
        else:
            ended["output"] = output
            self._give([i.Command(name=SHELL_ENDED, arguments=ended)])

    async def _end(self) -> None:
        if self._job:
            await self._job.stop()
