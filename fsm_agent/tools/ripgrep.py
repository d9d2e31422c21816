"""ripgrep as a command: where it is, how it is started, what it gave."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from fsm_agent.tools.bounded import Output
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.cleaning import clean_output
from fsm_agent.tools.commands import Command
from fsm_agent.tools.protocol import Workplace

_ALWAYS = ("--no-config", "--no-messages", "--color=never", "--null", "--hidden", "--sort=path")
_FAULT = 2  # its exit code for a fault of ours, and also when a file could not be read


class Search:
    """One run of ripgrep in an open directory, the repository's own records left out."""

    def __init__(
        self,
        directory: int,
        place: Workplace,
        *options: str,
        words: Sequence[str] = (),
        into: Output | None = None,
    ) -> None:
        """Start it.

        Args:
            directory: Descriptor of the directory; not needed afterwards.
            place: Where the call acts.
            options: Beside those that every search has.
            words: The pattern and the names, neither ever taken for an option.
            into: Takes what it prints; without one, it is bounded.

        Raises:
            ToolFailure: If there is no ripgrep or it cannot be started.
        """
        argv = (_binary(place), *_ALWAYS, *options, "--glob=!.git", "--", *words)
        cwd = f"/proc/self/fd/{directory}"  # not its path, which may lead elsewhere by now
        self._timeout_s = place.tool_timeout_s
        self._command = Command(argv, cwd, {"PATH": ""}, self._timeout_s, into)

    def stop(self) -> None:
        """Have it end now."""
        self._command.stop()

    async def output(self) -> bytes:
        """What it printed, if nothing else has taken it; nothing if nothing matches.

        Raises:
            ToolFailure: If the pattern is wrong or time is up.
        """
        ending = await self._command.ending()
        if ending.cause == "timed out":
            raise ToolFailure(f"timed out after {self._timeout_s:g} s: search in fewer files")
        if ending.code == _FAULT and ending.output.startswith(b"rg: "):
            raise ToolFailure(clean_output(ending.output.removeprefix(b"rg: ")).strip())
        return ending.output


def _binary(place: Workplace) -> str:
    """`rg` on the PATH, else the one that came with the package of that name."""
    scripts = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    for path in (place.environment.get("PATH", ""), *scripts):
        if found := shutil.which("rg", path=path):
            return found
    raise ToolFailure("ripgrep (rg) is not installed")
