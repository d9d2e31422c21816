"""The screen: scrollback above, what is under way and the prompt below."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.dimension import Dimension
from rich.text import Text

from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.painting.items import Item, Status, TurnEnded
from fsm_agent.interfaces.painting.pictures import Picture, paint, put
from fsm_agent.interfaces.terminal.drawing import console, drawing
from fsm_agent.interfaces.terminal.line.editing import Editing
from fsm_agent.interfaces.terminal.line.keys import bindings
from fsm_agent.interfaces.terminal.line.raw import RawInput
from fsm_agent.interfaces.terminal.line.typed import Typed
from fsm_agent.interfaces.terminal.live import GREY, Lines
from fsm_agent.interfaces.terminal.picking import Picker
from fsm_agent.interfaces.terminal.resizing import follow_size
from fsm_agent.interfaces.terminal.surface import Acts
from fsm_agent.interfaces.terminal.titles import Titles

FRAME_S = 0.05
"""Seconds between two redraws at least."""
SLICE_S = 0.02
"""Seconds that are spent on printing before keys are looked at again."""
GATHER_S = 0.1
"""Seconds in which what is to be printed is gathered: the prompt is drawn anew each time."""
TICK_S = 0.1
"""Seconds between two redraws while something is under way."""
BEGIN = "a line for the model · / for commands · @ for files · ! for a shell line"
"""What the empty prompt says before the first turn."""


class Screen:
    """Prints what is finished into the scrollback; redraws the rest below it."""

    def __init__(self, acts: Acts, editing: Editing) -> None:
        self.lines: Callable[[tuple[int, int]], Lines] = lambda _: []
        self.mark: Callable[[], str] = lambda: ">"
        self.status: Callable[[], Status] = Status
        self.unfold: Callable[[], None] = lambda: None
        self.hint = ""
        self.pastes = editing.pastes
        self._acts, self._editor = acts, editing.editor
        self._console = console()
        self._out: deque[Iterator[Picture]] = deque()
        self._printing: asyncio.Task[None] | None = None
        self._closing = self._ticking = False
        self._drawn: tuple[int, Lines] = (-1, [])
        self._redraw: asyncio.TimerHandle | None = None
        self._input = RawInput(sys.stdin)
        self._session: PromptSession[None] = PromptSession(
            self._message,
            multiline=True,
            placeholder=self._placeholder,
            prompt_continuation="  ",
            complete_while_typing=False,
            reserve_space_for_menu=4,
            key_bindings=merge_key_bindings([bindings(acts, editing, self.warn), self._keys()]),
            erase_when_done=True,
            input=self._input,
            output=drawing(),
            **editing.options,
        )
        self._app = self._session.app
        above = Window(FormattedTextControl(self._above), height=self._height)
        line = self._app.layout.container  # as a part of its message the library draws lines slowly
        self._app.layout = Layout(HSplit([above, line]), self._session.default_buffer)
        self._line = Typed(self._session.default_buffer)
        editing.begin(self._session)
        follow_size(self._app)
        self._titles = Titles(self._control)

    async def run(self) -> None:
        """Show the prompt until `close`.

        Raises:
            EOFError: If the terminal is gone.
        """
        self._titles.begin()
        try:
            await self._app.run_async(handle_sigint=False, set_exception_handler=False)
        finally:
            self._titles.end()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-z")
        async def _(_: KeyPressEvent) -> None:
            await self._suspend()

        @keys.add("c-t")
        def _(_: KeyPressEvent) -> None:
            self.unfold()

        @keys.add("c-g", filter=~is_searching & ~Condition(self._acts.is_asked))
        @keys.add("c-x", "c-e", filter=~is_searching & ~Condition(self._acts.is_asked))
        def _(_: KeyPressEvent) -> None:
            text = self.pastes.expand(self._line.lift())  # pastes stand in the file as they are
            edit = self._editor.edit(text, self.put, self.warn)
            self._editing = asyncio.create_task(edit)

        return keys

    async def _suspend(self) -> None:
        """Let the shell have the terminal, until it gives it back."""
        self._titles.end()
        await run_in_terminal(self._input.stop)
        self._titles.begin()
        self.refresh()

    def _control(self, sequence: str) -> None:
        self._app.output.write_raw(sequence)
        self._app.output.flush()

    async def close(self) -> None:
        """Print what is left, and take the prompt away."""
        self._closing = True
        self._editor.close()
        if self._printing:
            await asyncio.wait([self._printing])
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    # -- scrollback ------------------------------------------------------------------------------

    def show(self, item: Item) -> None:
        """Print an item above the prompt, painted when its turn comes."""
        self._print(paint(item))
        if isinstance(item, TurnEnded) and self._app.is_running:
            self._titles.ended(item.seconds)

    def warn(self, text: str) -> None:
        """Print a word about what went wrong."""
        self.print(Text(f"· {escape_line(text)}", "warning"))

    def print(self, *pictures: Picture) -> None:
        """Print escaped text above the prompt."""
        self._print(iter(pictures))

    def echo(self, line: str) -> None:
        """Print a line that was handed in and is in no item."""
        self.print(Text(f"\n> {escape_line(line)}", "person"))

    def _print(self, pictures: Iterator[Picture]) -> None:
        self._out.append(pictures)
        if not self._app.is_running:
            self._flush()
        elif self._printing is None:
            self._drain_soon()

    def _drain_soon(self) -> None:
        self._printing = asyncio.create_task(self._drain())
        self._printing.add_done_callback(self._drained)

    async def _drain(self) -> None:
        """Print slice by slice: between two of them keys are taken, and the prompt is there."""
        while self._out:
            await run_in_terminal(self._flush)
            if not self._closing:
                await asyncio.sleep(FRAME_S if self._out else GATHER_S)

    def _drained(self, printing: asyncio.Task[None]) -> None:
        self._printing = None
        printing.result()
        if self._out:  # it came after the last look, and before this word of its end
            self._drain_soon()

    def _flush(self) -> None:
        """Print what there is; while the prompt is there, no longer than a slice."""
        until = time.monotonic() + SLICE_S
        while self._out:
            picture = next(self._out[0], None)
            if picture is None:
                self._out.popleft()
            else:
                with contextlib.suppress(OSError):  # the terminal is gone
                    put(self._console, [picture])
            if self._app.is_running and not self._closing and time.monotonic() > until:
                break

    # -- below it --------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Redraw soon, and again and again while something is under way.

        A key that is pressed is seen at once: the library redraws for it by itself.
        """
        if not self._app.is_running:
            return
        loop = asyncio.get_running_loop()
        if self._redraw is None:
            self._redraw = loop.call_later(FRAME_S, self._draw)
        if self._acts.is_busy() and not self._ticking:
            self._ticking = True
            loop.call_later(TICK_S, self._tick)

    def _draw(self) -> None:
        self._redraw = None
        if not self._app.is_done:
            self._titles.show(self.status().standing, busy=self._acts.is_busy())
        self._app.invalidate()

    def _tick(self) -> None:
        self._ticking = False
        self.refresh()

    def _message(self) -> StyleAndTextTuples:
        """What the line begins with."""
        return [("bold", f"{self._line.question or self.mark()} ")]

    def _live(self) -> Lines:
        """What stands above the line; the library asks often for each time it draws."""
        if self._drawn[0] != self._app.render_counter:
            size = self._app.output.get_size()
            self._drawn = (self._app.render_counter, self.lines((size.columns, size.rows)))
        return self._drawn[1]

    def _height(self) -> Dimension:
        """As many rows as there are lines; fewer where a long line is typed."""
        return Dimension(min=0, preferred=len(self._live()), max=len(self._live()))

    def _above(self) -> StyleAndTextTuples:
        made: StyleAndTextTuples = []
        for style, text in self._live():
            made += [(style, text), ("", "\n")]
        return made[:-1]

    def _placeholder(self) -> StyleAndTextTuples:
        """What the empty line says."""
        return [(GREY, self.hint or ("" if self.status().standing.turn else BEGIN))]

    # -- the line --------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """What is typed."""
        return self._line.text

    @property
    def lent(self) -> bool:
        """Whether the terminal is an editor's."""
        return self._editor.is_open

    def take(self) -> str:
        """What is typed; the line is empty then, and kept in the history."""
        return self._line.take()

    def put(self, text: str) -> None:
        """Put text before what is typed, or will be again after a question."""
        self._line.put(text)

    async def pick(self, catalogue: Catalogue, text: str) -> Path | None:
        """Have a session picked in place of the prompt, beginning with those that hold a text."""
        async with in_terminal():
            picked = await Picker(catalogue, text).pick()
        if picked is None:  # else what was typed behind the last key is for the next session
            self._press(get_typeahead(self._input))
        return picked

    def ask(self, question: str) -> None:
        """Let the line be the answer to a question, once what came before it is printed."""
        self._print(self._stand(question, self._line.ask()))

    def _stand(self, question: str, due: object) -> Iterator[Picture]:
        """Keys that were pressed until now are no answer: they are taken first."""
        self._press(self._input.read_keys())
        self._line.stand(question, due)
        self._titles.asked()
        self._app.invalidate()
        yield from ()

    def _press(self, keys: list[KeyPress]) -> None:
        self._app.key_processor.feed_multiple(keys)
        self._app.key_processor.process_keys()

    def asked(self) -> None:
        """The question is answered or taken back."""
        self._line.asked()
        self._app.invalidate()
