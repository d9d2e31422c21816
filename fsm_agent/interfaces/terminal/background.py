"""Work beside the prompt, told of when it is done."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from threading import Thread
from typing import TypeAlias

from rich.text import Text

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.pictures import Picture

Work: TypeAlias = Callable[[], Iterable[Picture]]
"""Takes its time, and gives what there is to print."""


class Background:
    """Does work in threads of its own. Keys are taken meanwhile, and leaving does not wait."""

    def __init__(self, tell: Callable[..., None]) -> None:
        """`tell` prints pictures."""
        self._tell = tell
        self._open = True

    def begin(self, name: str, work: Work) -> None:
        """Do what the command of this name asked for."""
        loop = asyncio.get_running_loop()

        def run() -> None:
            told = _told(name, work)
            with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody listens
                loop.call_soon_threadsafe(self._done, told)

        Thread(target=run, name=name, daemon=True).start()

    def close(self) -> None:
        """Tell of nothing any more."""
        self._open = False

    def _done(self, told: list[Picture]) -> None:
        if self._open:
            self._tell(*told)


def _told(name: str, work: Work) -> list[Picture]:
    try:
        return list(work())
    except (FsmAgentError, OSError) as error:
        return [Text(escape_line(f"/{name}: {error}"), "error")]
    except Exception as fault:  # noqa: BLE001 - a thread has nobody above it who could say it
        text = f"/{name}: our own fault: {type(fault).__name__}: {fault}"
        return [Text(escape_line(text), "error")]
