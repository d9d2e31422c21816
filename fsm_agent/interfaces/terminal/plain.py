"""A session as lines, for any terminal and any reader."""

from __future__ import annotations

import asyncio
import io
import math
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.text import Text

from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.configuring import bell
from fsm_agent.interfaces.outlets import Outlet
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.excerpts import RESULT_LINES, excerpt
from fsm_agent.interfaces.painting.items import Item, Status, TurnEnded, UserSaid
from fsm_agent.interfaces.painting.pictures import Picture, PictureConsole, put
from fsm_agent.interfaces.painting.plain import plainly
from fsm_agent.interfaces.terminal.commands.table import is_command
from fsm_agent.interfaces.terminal.line.cooked import LONGEST, Keyboard
from fsm_agent.interfaces.terminal.line.pasting import Pastes
from fsm_agent.interfaces.terminal.live import Lines
from fsm_agent.interfaces.terminal.surface import Acts
from fsm_agent.interfaces.terminal.telling import Announcer

SETTLE_S = 0.05
"""Seconds between a change and what is said of it."""
LOOK_S = 0.2
"""Seconds between two looks at what is under way."""
BACK = "back at the prompt; Enter hands it in, what you type is added:"
CUT = f"only {LONGEST:,} bytes of that line came: a terminal drops what is behind them"


class Plain:
    """Adds lines and never takes one back; the terminal itself edits the line that is typed.

    No colours, no sequences, no keys: Ctrl-C is a signal and Ctrl-D the end of the input.
    """

    def __init__(self, acts: Acts) -> None:
        self.lines: Callable[[tuple[int, int]], Lines] = lambda _: []
        self.mark: Callable[[], str] = lambda: ">"
        self.status: Callable[[], Status] = Status
        self.unfold: Callable[[], None] = lambda: None
        self.pastes = Pastes()
        self.lent = False
        self._acts = acts
        self._console = PictureConsole(
            file=io.StringIO(),  # what is captured goes out by itself
            color_system=None,
            force_terminal=False,
        )
        rings_after = bell()
        self._bell_s = math.inf if rings_after is None else rings_after
        self._out = Outlet(sys.stdout)
        self._announcer = Announcer()
        self._keyboard = Keyboard(sys.stdin.fileno())
        self._question = self.hint = self._hinted = ""
        self._prompt = self._echoed = ""
        self._typed = self._draft = ""
        self._returned = False
        self._due: asyncio.TimerHandle | None = None
        self._tick: asyncio.TimerHandle | None = None
        self._ended = asyncio.get_running_loop().create_future()
        self._began = False

    async def run(self) -> None:
        """Take lines until `close`.

        Raises:
            OSError: If the terminal is gone.
        """
        loop = asyncio.get_running_loop()
        self._began = True
        loop.add_reader(self._keyboard, self._read)
        loop.add_signal_handler(signal.SIGINT, self._control_c)
        loop.add_signal_handler(signal.SIGCONT, self._continued)
        self.refresh()
        try:
            await self._ended
        finally:
            loop.remove_reader(self._keyboard)
            self._keyboard.close()

    async def close(self) -> None:
        """End the prompt's line."""
        self._end_line()
        if not self._ended.done():
            self._ended.set_result(None)

    # -- what is shown ---------------------------------------------------------------------------

    def show(self, item: Item) -> None:
        """Print an item; a line that the terminal has just shown is not shown again."""
        if isinstance(item, UserSaid) and not item.injected and self._was_echoed(item.text):
            return
        self._print(plainly(item))
        if isinstance(item, TurnEnded) and self._began and item.seconds >= self._bell_s:
            self._write("\a")

    def warn(self, text: str) -> None:
        """Print a word about what went wrong."""
        self._say(escape_line(text))

    def print(self, *pictures: Picture) -> None:
        """Print escaped text."""
        self._print(pictures)

    def echo(self, line: str) -> None:
        """Print a line that was handed in, unless the terminal has shown it."""
        if not self._was_echoed(line):
            self.print(Text(f"\n> {escape_line(line)}"))

    def _was_echoed(self, line: str) -> bool:
        echoed, self._echoed = self._echoed, ""
        return bool(echoed) and line.strip() == echoed.strip()

    def _say(self, text: str) -> None:
        self.print(Text(f"· {text}"))

    def _print(self, pictures: Iterable[Picture]) -> None:
        with self._console.capture() as made:
            put(self._console, pictures)
        if text := made.get():
            self._end_line()
            self._write(text)
            self._announcer.heard(time.monotonic())
            self.refresh()

    def _end_line(self) -> None:
        """Leave the prompt's line: what was typed into it is still the terminal's."""
        if self._prompt:
            self._prompt = ""
            self._write("\n")

    def _write(self, text: str) -> None:
        self._out.write(text.encode(sys.stdout.encoding, "backslashreplace"))
        if self._out.lost:
            self._lose(self._out.lost)

    def _lose(self, error: OSError) -> None:
        if not self._ended.done():
            self._ended.set_exception(error)

    # -- what is under way -----------------------------------------------------------------------

    def refresh(self) -> None:
        """Say soon what has changed; ask for a line where one is wanted."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(SETTLE_S, self._look)

    def _look(self) -> None:
        self._due = None
        if self._ended.done():
            return
        busy = self._acts.is_busy()
        if self._returned and not self._question:
            self._returned = False
            self.print(Text("\n  ".join([f"· {BACK}", *excerpt(self._draft, RESULT_LINES)])))
        if not self._question:
            news = self._announcer.news(
                self.status(), self._acts.held, busy=busy, now=time.monotonic()
            )
            for text in news:
                self._say(text)
        self._give_hint("" if busy else self.hint)
        if self._question or not busy:
            self._ask_for_line(f"{self._question or self.mark()} ")
        if busy and self._tick is None:
            self._tick = asyncio.get_running_loop().call_later(LOOK_S, self._ticked)

    def _give_hint(self, hint: str) -> None:
        """Say what may be done at rest, if that was not said since the last turn."""
        if hint and hint != self._hinted:
            self._say(hint)
        self._hinted = hint

    def _ticked(self) -> None:
        self._tick = None
        self._look()

    def _ask_for_line(self, prompt: str) -> None:
        if self._prompt != prompt and not self._typed:
            self._end_line()
            self._prompt = prompt
            self._write(prompt)

    # -- what is typed ---------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            lines = self._keyboard.read()
        except EOFError:
            self._acts.leave()
        except OSError as error:
            asyncio.get_running_loop().remove_reader(self._keyboard)
            self._lose(error)
        else:
            for line in lines:
                self._take_in(line)

    def _take_in(self, raw: bytes) -> None:
        """A line has been ended; with a backslash at its end it goes on in the next one."""
        prompted, self._prompt = self._prompt, ""
        line = raw.decode(sys.stdin.encoding, "replace")
        if len(raw) >= LONGEST:
            self.warn(CUT)
            self.put(line)
            return
        self._typed += line
        if line.endswith("\\"):
            if not self._typed.startswith("!"):  # there the shell wants it
                self._typed = self._typed[:-1]
            self._typed += "\n"
            self._prompt = "  "
            self._write(self._prompt)
            return
        begins = bool(prompted) and not self._question
        self._echoed = self.text
        self._acts.enter()
        if not begins:  # when it is taken up, other lines will stand between
            self._echoed = ""
        self.refresh()

    def _control_c(self) -> None:
        """The terminal has dropped what was being typed, and shown `^C`."""
        self._prompt = ""
        self._write("\n")
        self._acts.control_c()
        self.refresh()

    def _continued(self) -> None:
        """The program was stopped, and other lines are on the screen."""
        self._prompt = ""
        self.refresh()

    @property
    def text(self) -> str:
        """What has come back, and what is typed."""
        return _joined(self._draft, self._typed)

    def take(self) -> str:
        """What is typed, behind what has come back; a command or an answer stands alone."""
        typed, self._typed = self._typed, ""
        if self._question or is_command(typed.strip()):
            return typed
        draft, self._draft = self._draft, ""
        return _joined(draft, typed)

    def put(self, text: str) -> None:
        """Put text before the next line, and say so."""
        if text:
            self._draft, self._returned = _joined(text, self._draft), True
            self.refresh()

    async def pick(self, _catalogue: Catalogue, _text: str) -> Path | None:
        """Say how a session is named: there is no list to move in."""
        self._say("name the session: /sessions lists them, /resume ID takes one up")
        return None

    def ask(self, question: str) -> None:
        """Let the next line be an answer; what was typed before the question stood is none."""
        self._keyboard.forget()
        begun, self._typed = self._typed.rstrip("\n"), ""
        if begun:
            self._draft, self._returned = _joined(self._draft, begun), True
        self._question = question
        if self._bell_s < math.inf:
            self._write("\a")
        self.refresh()

    def asked(self) -> None:
        """The question is answered or taken back."""
        self._question = ""
        self.refresh()


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
