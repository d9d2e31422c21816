"""A one-shot run at a terminal asks there too, a line at a time."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rich.console import Console

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.terminal.painting import THEME, put
from fsm_agent.interfaces.terminal.questions import NO_ANSWER, choices, parse, picture


class LineAsker:
    """Asks on the error output and reads the answer's line from the terminal.

    One question stands at a time; an end of input is a no.
    """

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd
        self._one = asyncio.Lock()
        self._console = Console(
            theme=THEME, highlight=False, markup=False, emoji=False, stderr=True
        )

    async def ask(self, call: ToolCall, reason: str) -> tuple[str, str]:
        """Show what the call would do, and wait for the answer and a word to the model."""
        async with self._one:
            put(self._console, picture(call, reason, self._cwd))
            offered = choices(call)
            while True:
                print(f"{' · '.join(offered.values())} ? ", end="", file=sys.stderr, flush=True)
                line = await _line()
                answer = parse(line) if line else ("no", "")
                if answer and answer[0] in offered:
                    return answer
                print(NO_ANSWER, file=sys.stderr)


async def _line() -> str:
    """The next line of standard input; a terminal hands over whole lines."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()
