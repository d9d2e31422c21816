"""A person is asked whether a call may run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from rich.text import Text

from fsm_agent.events.inputs import ToolCall
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.asked import choices, picture
from fsm_agent.interfaces.terminal.surface import Surface
from fsm_agent.tools.protocol import Workplace

ANSWERS = {
    "y": "yes",
    "yes": "yes",
    "n": "no",
    "no": "no",
    "c": "command",
    "e": "edits",
}
"""What the person types, and the answer it is."""


class Questions:
    """Asks a question; cancelling it takes it back."""

    def __init__(self, screen: Surface, place: Workplace) -> None:
        self._screen, self._place = screen, place
        self._answer: asyncio.Future[tuple[str, str]] | None = None
        self._offered: Collection[str] = ()
        self._call: ToolCall | None = None

    async def ask(self, call: ToolCall, _: str) -> tuple[str, str]:
        """Show what the call would do, and wait for the answer and a word to the model."""
        offered = choices(call, self._place)
        about = Text(f"  {' · '.join(offered.values())}")
        self._screen.print(*picture(call, self._place), about)
        answer: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._answer, self._offered, self._call = answer, offered, call
        self._screen.ask(f"[{'/'.join(answer[0] for answer in offered)}]?")
        try:
            return await answer
        finally:
            if self._answer is answer:  # it was taken back
                self._end()

    @property
    def pending(self) -> bool:
        """Whether somebody waits for an answer."""
        return self._answer is not None

    def settle(self, runs: Callable[[ToolCall], bool]) -> None:
        """Something else is allowed now: if that is what is asked, the answer is yes."""
        if self._call and self._answer and runs(self._call):
            self._answer.set_result(("yes", ""))
            self._end()

    def answer(self, line: str) -> None:
        """Take the person's line; one that is no answer is refused, for a yes must be meant."""
        answer = parse(line)
        if self._answer is None:
            return
        if answer is None or answer[0] not in self._offered:
            said = f"· {escape_line(line)}\n" if line.strip() else ""
            self._screen.print(Text(f"{said}· {no_answer(self._offered)}", "warning"))
        else:
            self._answer.set_result(answer)
            self._end()

    def _end(self) -> None:
        """What is typed from here on answers nothing, even if nobody has heard the answer yet."""
        self._answer = None
        self._screen.asked()


def no_answer(offered: Collection[str]) -> str:
    """What is said to a line that is none of the answers that are offered."""
    further = (answer[0] for answer in offered if answer not in ("yes", "no"))
    return f"that is no answer: {', '.join(('y', 'n', 'n and why', *further))}"


def parse(line: str) -> tuple[str, str] | None:
    """Read an answer: only a no may go on with a word to the model."""
    first, _, rest = line.strip().partition(" ")
    answer = ANSWERS.get(first.lower())
    if answer is None or (rest and answer != "no"):
        return None
    return answer, rest.strip()
