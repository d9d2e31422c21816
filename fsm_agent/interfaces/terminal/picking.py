"""A session is picked from a list."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from threading import Thread

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    FormattedTextControl,
    HSplit,
    Layout,
    VerticalAlign,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput

from fsm_agent.errors import FsmAgentError
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.choices import LISTED, Choices
from fsm_agent.interfaces.terminal.drawing import drawing
from fsm_agent.interfaces.terminal.line.editing import ESCAPE_S
from fsm_agent.interfaces.terminal.line.raw import RawInput
from fsm_agent.interfaces.terminal.numbered import GIVEN_UP
from fsm_agent.interfaces.terminal.resizing import follow_size
from fsm_agent.runtime.clock import SystemClock

GATHER_S = 0.05
"""Seconds in which what is found is gathered before it is shown."""


class Picker:
    """A list of sessions in place of the prompt; what is typed narrows it.

    Nothing is read in the loop's thread: names come first, what a log says when it is shown or
    looked for.
    """

    def __init__(self, catalogue: Catalogue, text: str = "") -> None:
        self._catalogue = catalogue
        self._choices = Choices(cwd=str(catalogue.cwd))
        self._buffer = Buffer(multiline=False)
        self._buffer.text = text
        self._buffer.cursor_position = len(text)
        self._buffer.on_text_changed += lambda _: self._look()
        self._looks = 0
        self._glancing = False
        self._app = self._made()

    async def pick(self) -> Path | None:
        """The session that is picked; none if the person gives up, or the terminal is gone."""
        self._look()
        try:
            return await self._app.run_async(handle_sigint=False, set_exception_handler=False)
        except EOFError:
            return None
        finally:
            self._looks += 1  # whoever still looks, stops

    def give_up(self) -> None:
        """Take the list away: nothing is picked."""
        if self._app.is_running and not self._app.is_done:
            self._app.exit(result=None)

    # -- what is looked for ----------------------------------------------------------------------

    def _look(self) -> None:
        """Look for what is typed now; what was looked for before is forgotten."""
        self._looks += 1
        choices = self._choices
        choices.found, choices.at, choices.looking, choices.fault = [], 0, True, ""
        choices.excerpts.clear()
        look = partial(self._search, asyncio.get_running_loop(), self._looks)
        text, everywhere = self._buffer.text.strip(), choices.everywhere
        Thread(target=look, args=(text,), kwargs={"everywhere": everywhere}, daemon=True).start()

    def _search(
        self, loop: asyncio.AbstractEventLoop, look: int, text: str, *, everywhere: bool
    ) -> None:
        """Find sessions, in a thread; tell of them in handfuls until another look begins."""
        found: list[tuple[Path, str]] = []
        told, fault = time.monotonic(), ""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            try:
                for directory, excerpt in self._catalogue.looked_into(text, everywhere=everywhere):
                    if look != self._looks:
                        return
                    if excerpt is not None:
                        found.append((directory, excerpt))
                    if found and time.monotonic() - told > GATHER_S:
                        loop.call_soon_threadsafe(self._take, look, found)
                        found, told = [], time.monotonic()
            except (FsmAgentError, OSError) as error:
                fault = escape_line(str(error))
            loop.call_soon_threadsafe(self._take, look, found)
            loop.call_soon_threadsafe(self._done, look, fault)

    def _take(self, look: int, found: Iterable[tuple[Path, str]]) -> None:
        if look == self._looks:
            for directory, excerpt in found:
                self._choices.found.append(directory)
                self._choices.excerpts[directory] = excerpt
            self._app.invalidate()

    def _done(self, look: int, fault: str) -> None:
        if look == self._looks:
            self._choices.looking, self._choices.fault = False, fault
            self._app.invalidate()

    async def _glance(self, directories: list[Path]) -> None:
        """Look at the logs that are seen."""
        glance = self._catalogue.glance
        for directory in directories:
            self._choices.glances[directory] = await asyncio.to_thread(glance, directory)
            self._app.invalidate()
        self._glancing = False

    # -- what is seen and typed ------------------------------------------------------------------

    def _made(self) -> Application[Path | None]:
        line = BufferControl(self._buffer, input_processors=[BeforeInput("resume: ", "bold")])
        shown = Window(FormattedTextControl(self._text), dont_extend_height=True)
        app: Application[Path | None] = Application(
            Layout(HSplit([shown, Window(line, height=1)], align=VerticalAlign.TOP)),
            key_bindings=self._keys(),
            erase_when_done=True,
            input=RawInput(sys.stdin),
            output=drawing(),
        )
        app.ttimeoutlen = app.timeoutlen = ESCAPE_S
        follow_size(app)
        return app

    def _text(self) -> StyleAndTextTuples:
        size = self._app.output.get_size()
        choices = self._choices
        missing = [one for one in choices.seen(size.rows) if one not in choices.glances]
        if missing and not self._glancing:
            self._glancing = True
            self._app.create_background_task(self._glance(missing))
        made: StyleAndTextTuples = []
        for style, text in choices.lines((size.columns, size.rows), SystemClock().unix()):
            made += [(style, text), ("", "\n")]
        return made[:-1]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def moves(by: int, *names: str) -> None:
            for name in names:
                keys.add(name)(lambda _: self._choices.move(by))

        moves(-1, "up", "c-p")
        moves(1, "down", "c-n")
        moves(-LISTED, "pageup")
        moves(LISTED, "pagedown")

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            if chosen := self._choices.chosen:
                event.app.exit(result=chosen)

        @keys.add("escape")
        @keys.add("c-c")
        @keys.add("c-d")
        def _(_: KeyPressEvent) -> None:
            self.give_up()

        @keys.add("tab")
        @keys.add("c-a")
        def _(_: KeyPressEvent) -> None:
            self._choices.everywhere = not self._choices.everywhere
            self._look()

        @keys.add("c-z")
        def _(_: KeyPressEvent) -> None:
            """It would be a letter."""

        @keys.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            self._buffer.insert_text(" ".join(event.data.split()))

        return keys


async def pick_first(catalogue: Catalogue) -> tuple[Path | None, int]:
    """Have a session picked where none is open; else the exit code, that of a signal that came."""
    picker, code = Picker(catalogue), GIVEN_UP

    def end(number: int) -> None:
        nonlocal code
        code = 128 + number
        picker.give_up()

    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    return await picker.pick(), code
