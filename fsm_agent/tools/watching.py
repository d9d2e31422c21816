"""A process beside this one that ends its commands should it be killed."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress

_SCRIPT = """
exec 3<&0
(
    read -r _
    for round in 1 2 3 4 5; do
        found=$(grep -lsF "$1" /proc/[0-9]*/environ | cut -d/ -f3)
        [ "$found" ] || exit
        kill -9 $found
    done
) <&3 3<&- &
"""


def watch(mark: str) -> None:
    """Start the watcher: when this program is gone, it kills what has the mark in its environment.

    It waits for the end of a pipe that is open here, and nowhere else, as long as this program
    runs: so it costs a command nothing. The shell that starts it ends at once, so it is no child
    of this program. Where it cannot be started there is none.
    """
    reader, _ = os.pipe()  # the other end is never closed
    with suppress(OSError):
        subprocess.run(  # noqa: S603 - no word of it is anybody else's
            ("/bin/sh", "-c", _SCRIPT, "fsm-agent-watch", mark),
            cwd="/",
            env={"PATH": os.defpath},
            stdin=reader,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            check=False,
        )
    os.close(reader)
