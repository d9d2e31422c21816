"""The terminal that is drawn on, for as long as it is there."""

from __future__ import annotations

import contextlib
import sys

from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.console import Console

from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.interfaces.painting.pictures import PictureConsole

SIZE = ("COLUMNS", "LINES")
"""Variables that say how large the terminal was once."""


class _Drawing(Vt100_Output):
    def flush(self) -> None:
        """Write, if somebody is there: that the terminal is gone is the keyboard's to tell.

        The library would wait for ever for what a failure has kept it from finishing.
        """
        with contextlib.suppress(OSError):
            super().flush()


def drawing() -> Output:
    """What the library draws with."""
    depth = ColorDepth.from_env()
    return _Drawing.from_pty(sys.stdout, term=ENVIRONMENT.get("TERM"), default_color_depth=depth)


def console() -> Console:
    """What finished blocks are printed with."""
    environment = {name: text for name, text in ENVIRONMENT.items() if name not in SIZE}
    return PictureConsole(_environ=environment)
