"""Somebody at a terminal, on whose other side the program is measured."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep

WHERE = b"\x1b[6n"
"""How a program asks where the cursor is."""
PATIENCE_S = 120.0
POLL_S = 0.005


class Typist:
    """A program at a terminal of 80 by 24: what it writes is read at once, and not drawn."""

    def __init__(self, argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.written = bytearray()
        self.process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**environment, "TERM": "xterm-256color"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:  # the other side is gone
                return
            self.written += data
            if WHERE in data:
                self.types("\x1b[1;1R")

    def types(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def sees(self, text: str, times: int = 1) -> float:
        """Wait until the program has written it so often; how many seconds that took."""
        began = monotonic()
        while self.written.count(text.encode()) < times:
            if self.process.poll() is not None or monotonic() - began > PATIENCE_S:
                raise SystemExit(f"{text!r} did not come:\n{bytes(self.written[-2000:])!r}")
            sleep(POLL_S)
        return monotonic() - began

    @property
    def cpu(self) -> float:
        """Seconds of the processor that it has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> int:
        """Bytes that it has in memory now."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def leave(self) -> int:
        """Have the program end; the most bytes that it had in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (peak,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
        self.types("\x04")
        self.process.wait(PATIENCE_S)
        os.close(self._master)
        return int(peak.split()[1]) * 1024
