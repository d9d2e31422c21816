"""Process trees: all that a command has started, found and ended.

A process that loses its parent becomes a child of this program (it is a subreaper). A process
belongs to a command if its parent does, if it is in a session that the command opened, or if it
carries the command's mark in its environment, as what a build server starts does. What leaves its
session, outlives its parent and drops its environment is out of reach; only a namespace holds it.
"""

from __future__ import annotations

import asyncio
import ctypes
import functools
import itertools
import os
import signal
import time
from contextlib import suppress

import msgspec

from fsm_agent.tools.cleaning import clean_line
from fsm_agent.tools.watching import watch

MARK = "FSM_AGENT_CALL"
"""The variable that carries the marks of all commands around a process, outermost first."""
TERM_S = 0.5
"""How long a process has after SIGTERM, in seconds."""
KILL_S = 2.0
"""How long SIGKILL is repeated, in seconds: new children may be born meanwhile."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_STRAY_S = 1.0  # whoever has started a process and waits for it has done so by then
_numbers = itertools.count(1)
_leaders: set[int] = set()
_strays: dict[int, float] = {}


class _Process(msgspec.Struct, frozen=True):
    parent: int
    session: int
    dead: bool


class Tree:
    """The processes of one command, from before its start.

    Attributes:
        mark: The command's own mark, to be appended to `MARK` in its environment.
    """

    def __init__(self) -> None:
        adopt_orphans()
        self.mark = f"{_this_program()}-{next(_numbers)}/"
        self._leader = 0
        self._sessions: set[int] = set()

    def begin(self, leader: int) -> None:
        """Name the command's first process: a child that has opened its own session."""
        self._leader = leader
        self._sessions.add(leader)
        _leaders.add(leader)

    def forget(self) -> None:
        """The command is over and its first process reaped."""
        _leaders.discard(self._leader)

    def living(self) -> list[int]:
        """The processes of the command that are alive; the dead ones are reaped.

        A look at all processes takes time: one that was listed may have had a child, and be dead,
        when its turn comes. So nobody is left only if two looks in a row find the same dead.
        """
        before: set[int] | None = None
        while _has_children():
            table = _processes()
            mine = self._members(table)
            self._sessions |= {table[pid].session for pid in mine}
            _reap(table, mine)
            if alive := [pid for pid in mine if not table[pid].dead]:
                return alive
            if mine == before:
                break
            before = mine
        return []

    async def end(self) -> tuple[str, ...]:
        """End what is alive: SIGTERM, half a second, SIGKILL until nobody is left.

        All are stopped before the first one is ended: else a shell whose command has died would
        go on to the next one.

        Returns:
            The command lines of the processes that were found, in the order of their numbers.
        """
        if not (found := self.living()):
            return ()
        names = tuple(_command_line(pid) for pid in sorted(found))
        _signal(found, signal.SIGSTOP, signal.SIGTERM, signal.SIGCONT)
        if not await self.gone(TERM_S, signal.SIGCONT):
            await self.gone(KILL_S, signal.SIGSTOP, signal.SIGKILL)
        return names

    async def gone(self, seconds: float, *signals: signal.Signals) -> bool:
        """Whether all have gone after so many seconds, under signals or by themselves.

        Signals are sent again and again: new processes may be born meanwhile.
        """
        until, pause = time.monotonic() + seconds, 0.001
        while living := self.living():
            if time.monotonic() > until:
                return False
            _signal(living, *signals)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def kill(self) -> None:
        """SIGKILL what is alive, here and now: there is no loop any more that could wait."""
        until = time.monotonic() + TERM_S
        while (living := self.living()) and time.monotonic() < until:
            _signal(living, signal.SIGSTOP, signal.SIGKILL)
            time.sleep(0.001)

    def _members(self, table: dict[int, _Process]) -> set[int]:
        this = os.getpid()
        mine = {
            pid
            for pid, process in table.items()
            if process.session in self._sessions
            or (process.parent == this and not process.dead and self._marked(pid))
        }
        news = mine
        while news:
            news = {pid for pid, process in table.items() if process.parent in news} - mine
            mine |= news
        return mine

    def _marked(self, pid: int) -> bool:
        return f"/{self.mark}".encode() in _proc(pid, "environ")


@functools.cache
def adopt_orphans() -> None:
    """Become the parent of all descendants that lose theirs, where the system can do that.

    Should this program be killed, they are orphans again: from then on the watcher sees to them.
    It is started first, so that it does not become a child itself.
    """
    watch(f"/{_this_program()}-")
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


@functools.cache
def _this_program() -> str:
    """Its number, and what tells it from one that has the number in another time or container."""
    return f"{os.getpid()}.{os.urandom(4).hex()}"


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _processes() -> dict[int, _Process]:
    table = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - twice as fast, and done over and over
        if name.isdigit() and (stat := _proc(int(name), "stat")):
            state, parent, _, session, *_ = stat.rpartition(b")")[2].split()
            table[int(name)] = _Process(int(parent), int(session), state in b"ZX")
    return table


def _proc(pid: int, name: str) -> bytes:
    """A file of a process; nothing if the process has gone or is none of our business."""
    path = f"/proc/{pid}/{name}"
    with suppress(OSError), open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
        return file.read()
    return b""


def _reap(table: dict[int, _Process], mine: set[int]) -> None:
    """Reap dead orphans: our own at once, others if nobody has waited for them for a while.

    A dead process shows no environment, so one that had left its session is nobody's. Children
    of other parts of this program are reaped by those, long before they count as strays.
    """
    this, session, now = os.getpid(), os.getsid(0), time.monotonic()
    dead = {
        pid
        for pid, process in table.items()
        if process.dead and process.parent == this and pid not in _leaders
    }
    strays = {pid for pid in dead - mine if table[pid].session != session}
    for pid in _strays.keys() - strays:
        del _strays[pid]
    for pid in strays:
        _strays.setdefault(pid, now)
    for pid in (dead & mine) | {pid for pid in strays if now - _strays[pid] > _STRAY_S}:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _signal(processes: list[int], *signals: signal.Signals) -> None:
    """Send each signal to all of them before the next one."""
    for number in signals:
        for pid in processes:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def _command_line(pid: int) -> str:
    words = _proc(pid, "cmdline").rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    return clean_line(words[:80]) or f"process {pid}"
