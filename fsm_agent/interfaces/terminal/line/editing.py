"""What the line is edited with: keys, history, completion, an editor."""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.cursor_shapes import ModalCursorShapeConfig
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.history import History
from prompt_toolkit.input.vt100 import cooked_mode
from prompt_toolkit.keys import Keys

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.terminal.line.menu import Menu
from fsm_agent.interfaces.terminal.line.pasting import Pastes
from fsm_agent.interfaces.terminal.line.picturing import Pictures

ESCAPE_S = 0.05
"""Seconds after which an ESC byte is a key, and not the start of another one's bytes.

A slow link may part them. With `CHORD_S`, an Esc has acted well within 100 ms.
"""
CHORD_S = 0.01
"""Seconds after which an Esc stands alone: Alt-Enter sends both at once."""
SEQUENCE_S = 1.0
"""Seconds that the next key of another sequence, such as Ctrl-X Ctrl-E, may take."""


class Editor:
    """A line is written in the editor that the environment names.

    Attributes:
        is_open: Whether the terminal is the editor's.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None
        self.is_open = False

    async def edit(self, text: str, put: Callable[[str], None], say: Callable[[str], None]) -> None:
        """Put what is made of the text, or the text and a word about what went wrong.

        Nothing else is shown while the editor has the terminal.
        """
        self.is_open = True
        try:
            async with in_terminal():
                text = await self._edited(text)
        except (UsageError, OSError) as error:
            say(str(error))
        finally:
            self.is_open, self._process = False, None
            put(text)

    def close(self) -> None:
        """End the editor: the session ends."""
        if self._process and self._process.returncode is None:
            self._process.terminate()

    def command(self) -> list[str]:
        """The editor and its arguments.

        Raises:
            UsageError: If none is named, or not in words that a shell would understand.
        """
        for name in ("VISUAL", "EDITOR"):
            try:
                if words := shlex.split(self._environment.get(name, "")):
                    return words
            except ValueError as error:
                raise UsageError(f"{name} is no command: {error}") from None
        raise UsageError("no editor is named: set VISUAL or EDITOR, such as EDITOR=nano")

    async def _edited(self, text: str) -> str:
        words = self.command()
        with _file(text) as file, cooked_mode(0):
            try:
                self._process = await asyncio.create_subprocess_exec(*words, file)
            except OSError as error:
                raise UsageError(f"{words[0]} cannot be started: {error.strerror}") from None
            if code := await self._process.wait():
                raise UsageError(f"{words[0]} failed (exit code {code}); the line is as it was")
            return _text(file)


@contextmanager
def _file(text: str) -> Iterator[Path]:
    """A file with the text, for as long as it is edited; nobody else can read it."""
    with tempfile.TemporaryDirectory(prefix="fsm-agent-") as folder:
        file = Path(folder, "line.md")
        file.write_bytes(f"{text}\n".encode(errors="replace"))
        yield file


def _text(file: Path) -> str:
    return file.read_bytes().decode(errors="replace").removesuffix("\n")


@dataclass(frozen=True)
class Editing:
    """What a prompt is given to edit its line with."""

    history: History
    menu: Menu
    editor: Editor
    pictures: Pictures
    vi: bool = False
    pastes: Pastes = field(default_factory=Pastes)

    @property
    def options(self) -> dict[str, Any]:
        """What of it a session of the library is made with."""
        return {
            "history": self.history,
            "completer": self.menu.completer,
            "editing_mode": EditingMode.VI if self.vi else EditingMode.EMACS,
            "cursor": ModalCursorShapeConfig() if self.vi else None,
        }

    def begin(self, session: PromptSession[None]) -> None:
        """Open the menu by itself; wait for keys, but after an Esc not: it may stand alone."""
        app = session.app
        buffer = session.default_buffer
        buffer.on_text_insert += self.menu.typed
        buffer.accept_handler = lambda _: True  # the library has keys that would end the prompt
        processor = app.key_processor
        app.ttimeoutlen = ESCAPE_S

        def decide(_: object) -> None:
            pending = processor.key_buffer
            after_escape = bool(pending) and pending[-1].key == Keys.Escape
            app.timeoutlen = CHORD_S if after_escape else SEQUENCE_S

        processor.after_key_press += decide
