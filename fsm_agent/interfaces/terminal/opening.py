"""Sessions are opened at a terminal, one after the other."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from fsm_agent.errors import FsmAgentError, UsageError
from fsm_agent.events import inputs as i
from fsm_agent.interfaces.assembly import BLOCKING, Wanted, places
from fsm_agent.interfaces.catalogue import Catalogue
from fsm_agent.interfaces.configuring import ENVIRONMENT, draws
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.providing import taken_up
from fsm_agent.interfaces.terminal.app import Terminal
from fsm_agent.interfaces.terminal.commands.table import Commands
from fsm_agent.interfaces.terminal.numbered import GIVEN_UP, pick_plain
from fsm_agent.interfaces.terminal.plain import Plain
from fsm_agent.interfaces.terminal.surface import Acts, Surface
from fsm_agent.interfaces.terminal.switching import Opened, opened
from fsm_agent.runtime.redaction import Redactor, secrets_of
from fsm_agent.settings import RunSettings


def run_terminal(
    settings: RunSettings, wanted: Wanted, home: Path, cwd: Path, *, vi: bool, plain: bool
) -> int:
    """Talk until the person leaves; return the exit code.

    Args:
        settings: What the command line says.
        wanted: Which session.
        home: Where the program keeps its files.
        cwd: The directory the program was started in.
        vi: Whether vi's keys edit the line, and not emacs'.
        plain: Whether lines are wanted, and no drawing; a terminal that can do no more gets them.

    Raises:
        UsageError: If nobody sees what is said.
    """
    if not sys.stdout.isatty():
        raise UsageError("the prompt needs a terminal for what it says, too; give a prompt: -p")
    if "\x1b".encode(sys.stdout.encoding) != b"\x1b":
        raise UsageError(f"no terminal understands {sys.stdout.encoding}: see PYTHONIOENCODING")
    if not plain and not draws():
        aside("TERM names no terminal that can be drawn on: plain lines, as with --plain")
        plain = True
    if wanted.resume == "":
        picked, code = _picked(Catalogue(home, cwd), plain=plain)
        if picked is None:
            return code
        wanted = Wanted(resume=picked.name)
    first = opened(wanted, home, cwd)
    for text in first.said:
        aside(f"fsm-agent: {text}")
    first.said.clear()
    return asyncio.run(_Sitting(settings, home, vi=vi, plain=plain).go_on_from(first))


def _picked(catalogue: Catalogue, *, plain: bool) -> tuple[Path | None, int]:
    """What the person picks; else the exit code."""
    if plain:
        say = partial(print, end="", flush=True)
        return pick_plain(catalogue, sys.stdin.readline, say), GIVEN_UP
    from fsm_agent.interfaces.terminal.picking import pick_first  # noqa: PLC0415 - start-up

    return asyncio.run(pick_first(catalogue))


class _Sitting:
    """A person at a terminal, who goes from one session to another."""

    def __init__(self, settings: RunSettings, home: Path, *, vi: bool, plain: bool) -> None:
        self._settings, self._home, self._vi, self._plain = settings, home, vi, plain
        self._redactor = Redactor(secrets_of(ENVIRONMENT, settings.api_key))

    async def go_on_from(self, current: Opened) -> int:
        """Go on until a session is left for none; return the exit code of that one."""
        former: Opened | None = None
        # until the prompt is there, Ctrl-C would cancel what comes next, and leave a log without end
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
        while True:
            try:
                terminal = self._terminal(current)
                code, following = await self._talk(terminal, current, former)
            finally:
                current.session.close()
            if following is None:
                return code
            if terminal.called_away:
                following.session.close()
                return code
            former, current = current, following

    async def _talk(
        self, terminal: Terminal, current: Opened, former: Opened | None
    ) -> tuple[int, Opened | None]:
        """The exit code of a session, and the one that comes next: one that cannot begin leads back."""
        try:
            code = await terminal.run(_settings(self._settings, current.settings))
        except FsmAgentError as error:
            if terminal.began or former is None:
                raise
            return error.exit_code, self._back(former, error)
        return code, terminal.next

    def _terminal(self, current: Opened) -> Terminal:
        commands = Commands(places(current.cwd))
        return Terminal(current, self._home, self._surface(current, commands), commands)

    def _surface(self, current: Opened, commands: Commands) -> Callable[[Acts], Surface]:
        if self._plain:
            return Plain
        from fsm_agent.interfaces.terminal.drawn import drawn  # noqa: PLC0415 - start-up

        return drawn(current, commands, self._home, self._redactor, vi=self._vi)

    def _back(self, former: Opened, error: FsmAgentError) -> Opened:
        """The session before one that could not begin."""
        back = opened(Wanted(resume=former.session.name), self._home, former.cwd)
        back.said.append(str(error))
        return back


def _settings(settings: RunSettings, forked: i.Settings | None) -> RunSettings:
    """Those of the command line; a fork keeps what a session that is taken up would keep."""
    if forked is None:
        return settings
    settings = taken_up(settings, forked, ENVIRONMENT)
    if settings.permission or forked.permission not in BLOCKING:
        return settings
    return msgspec.structs.replace(settings, permission=forked.permission)
