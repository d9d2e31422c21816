"""A command at work: output collected, end awaited, its tree ended."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import PurePath
from typing import Literal, TypeAlias

import msgspec

from fsm_agent.tools.bounded import Bounded, Output
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.trees import MARK, Tree

Cause: TypeAlias = Literal["exited", "timed out", "stopped"]

_GRACE_S = 0.2  # for children that outlive the command, as `> >(sort)` does
_BLOCK = 1 << 16
_BLOCKS = 64  # read at once
_NO_ARGUMENT = "a NUL or a lone surrogate cannot be given to a program"


class Ending(msgspec.Struct, frozen=True):
    """How a command came to its end.

    Attributes:
        cause: Whether it ended by itself.
        code: Its exit code, negative for the signal that ended it; None if it could not be ended.
        output: What it printed, both streams in one, bounded or as it was collected.
        left: Command lines of the processes that were ended because it left them running.
    """

    cause: Cause
    code: int | None
    output: bytes
    left: tuple[str, ...] = ()


class Command:
    """One process without terminal or input, in a session of its own.

    It is over when the process ends, not when its output does: a child in the background may hold
    the pipe for ever. What it left running is ended then.
    """

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        environment: Mapping[str, str],
        timeout_s: float,
        output: Output | None = None,
    ) -> None:
        """Start the process.

        Args:
            argv: The program and its arguments.
            cwd: Where it runs.
            environment: The whole of it; the command's mark is added.
            timeout_s: How long it may run, in seconds.
            output: Takes what it prints; without one, it is bounded.

        Raises:
            ToolFailure: If it cannot be started.
        """
        self._loop, self._tree = asyncio.get_running_loop(), Tree()
        self._output = output or Bounded()
        self._cause: asyncio.Future[Cause] = self._loop.create_future()
        self._silent = False
        with ExitStack() as undo:
            try:
                self._pipe, self._process, self._handle = self._spawn(argv, cwd, environment, undo)
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else _NO_ARGUMENT
                raise ToolFailure(f"{PurePath(argv[0]).name} cannot be started: {why}") from error
            undo.pop_all()
        self._tree.begin(self._process.pid)
        self._loop.add_reader(self._pipe, self._read)
        self._loop.add_reader(self._handle, self._end, "exited")
        self._timer = self._loop.call_later(timeout_s, self._end, "timed out")

    def stop(self) -> None:
        """Have it end now; `ending` then comes soon."""
        self._end("stopped")

    async def ending(self) -> Ending:
        """Wait for the end, and end what is left. To be awaited once."""
        try:
            cause = await self._cause
            left: tuple[str, ...] = ()
            if cause == "exited":
                self._process.wait()
                left = await self._end_children()
            else:
                await self._tree.end()
            self._read()
            return Ending(cause, self._process.poll(), self._output.value(), left)
        except asyncio.CancelledError:  # the loop ends: no time for more
            self._tree.kill()
            raise
        finally:
            self._close()

    async def _end_children(self) -> tuple[str, ...]:
        """Give children a moment to end by themselves, then end all."""
        await self._tree.gone(_GRACE_S)
        return await self._tree.end()

    def _spawn(
        self, argv: Sequence[str], cwd: str, environment: Mapping[str, str], undo: ExitStack
    ) -> tuple[int, subprocess.Popen[bytes], int]:
        pipe, writer = os.pipe()
        undo.callback(os.close, pipe)
        try:
            process = subprocess.Popen(  # noqa: S603 - running what was asked is its task
                argv,
                cwd=cwd,
                env={**environment, MARK: environment.get(MARK, "/") + self._tree.mark},
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=writer,
                start_new_session=True,
            )
        finally:
            os.close(writer)
        undo.callback(process.wait)
        undo.callback(process.kill)
        handle = os.pidfd_open(process.pid)
        os.set_blocking(pipe, False)
        return pipe, process, handle

    def _end(self, cause: Cause) -> None:
        self._loop.remove_reader(self._handle)
        if not self._cause.done():
            self._cause.set_result(cause)

    def _read(self) -> None:
        """Take what is in the pipe, but not for ever: the writer may be faster."""
        for _ in range(_BLOCKS):
            if self._silent:
                return
            try:
                block = os.read(self._pipe, _BLOCK)
            except BlockingIOError:
                return
            if not block:
                self._loop.remove_reader(self._pipe)
                self._silent = True
            self._output.add(block)

    def _close(self) -> None:
        self._timer.cancel()
        self._loop.remove_reader(self._pipe)
        self._loop.remove_reader(self._handle)
        with suppress(subprocess.TimeoutExpired):  # not even SIGKILL ends what hangs in a disk
            self._process.wait(_GRACE_S)
        self._tree.forget()
        os.close(self._pipe)
        os.close(self._handle)
