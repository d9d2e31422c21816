"""Keys as they are pressed."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TextIO

from prompt_toolkit.input.posix_utils import PosixStdinReader
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys


class RawInput(Vt100Input):
    """The keyboard, raw for as long as the prompt is there.

    While something is printed the library would make the terminal cooked: keys pressed in that
    moment would be echoed, a Ctrl-C would be a signal and a Ctrl-D the end of the input. And bytes
    that are no text would come in as something that no log can hold, or fail as news of the mouse,
    which nobody asked for.
    """

    def __init__(self, stdin: TextIO) -> None:
        super().__init__(stdin)
        self.stdin_reader = PosixStdinReader(stdin.fileno(), "replace", stdin.encoding)

    def read_keys(self) -> list[KeyPress]:
        """The keys that were pressed since."""
        return [press for press in super().read_keys() if press.key is not Keys.Vt100MouseEvent]

    def cooked_mode(self) -> contextlib.AbstractContextManager[None]:
        """Stay raw."""
        return contextlib.nullcontext()

    def stop(self) -> None:
        """Stop this job, the terminal as the shell wants it, until it is gone on with."""
        with super().cooked_mode():
            os.kill(0, signal.SIGTSTP)
