"""A one-shot run at a terminal asks there too, a line at a time."""

from __future__ import annotations

import asyncio
import os
import termios

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.painting.pictures import PictureConsole, put
from fsm_agent.interfaces.terminal.asked import choices, picture
from fsm_agent.interfaces.terminal.questions import no_answer, parse
from fsm_agent.tools.protocol import Workplace

TERMINAL = "/dev/tty"
LONGEST = 4096
"""Bytes of an answer: as much as a terminal hands over at once."""


class LineAsker:
    """Asks at the terminal itself, wherever the standard files lead.

    An end of input is a no. What was typed before a question stood there is no answer to it.
    """

    def __init__(self, place: Workplace, *, plain: bool) -> None:
        """`plain`: without colours."""
        self._place = place
        self._in = open(TERMINAL, encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123 - held
        self._out = open(TERMINAL, "w", encoding="utf-8", errors="replace")  # noqa: SIM115, PTH123
        self._console = PictureConsole(color_system=None if plain else "auto", file=self._out)

    async def ask(self, call: ToolCall, _: str) -> tuple[str, str]:
        """Show what the call would do, and wait for the answer and a word to the model."""
        put(self._console, picture(call, self._place))
        offered = choices(call, self._place)
        termios.tcflush(self._in, termios.TCIFLUSH)
        while True:
            print(f"{' · '.join(offered.values())} ? ", end="", file=self._out, flush=True)
            line = await self._line()
            answer = parse(line) if line else ("no", "")
            if answer and answer[0] in offered:
                return answer
            print(no_answer(offered), file=self._out, flush=True)

    async def _line(self) -> str:
        """The next line that is typed; a terminal hands over whole lines."""
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._in, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._in)
        return os.read(self._in.fileno(), LONGEST).decode(errors="replace")
