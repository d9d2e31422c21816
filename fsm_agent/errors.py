"""Every failure in one tree, each with the exit code it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXIT_CODES: Mapping[int, str] = MappingProxyType(
    {
        0: "Good.",
        1: "The turn failed or was refused.",
        2: "Wrong usage or configuration, or the session is in use.",
        3: "The log is damaged before its tail.",
        4: "A replay diverged from what was recorded.",
        5: "Only the tail of the log is torn.",
        6: "The log's version or a table is unknown or wrong.",
        7: "Our own fault.",
        8: "A limit was reached.",
        9: "An approval is needed that nobody can give here.",
        10: "Audit or check has findings.",
        11: "The log cannot be written.",
        129: "Ended by SIGHUP.",
        130: "Ended by SIGINT.",
        143: "Ended by SIGTERM.",
    }
)
"""Every exit code of the command line and what it means."""


class FsmAgentError(Exception):
    """What this program raises on purpose; its text says what, where and what to do."""

    exit_code = 7


class DeclarationError(FsmAgentError):
    """A table in `states/` breaks a rule of the format.

    Attributes:
        path: The table's file.
        line: The line of the fault, from 1.
    """

    exit_code = 6

    def __init__(self, path: object, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line = path, line


class IllegalTrigger(FsmAgentError):
    """No row of the machine allows this trigger with these answers; nothing has changed."""

    def __init__(
        self, machine: str, state: str, trigger: str, why: str = "no row allows it"
    ) -> None:
        super().__init__(f"{machine}: '{trigger}' in '{state}': {why}")
        self.machine, self.state, self.trigger = machine, state, trigger


class UsageError(FsmAgentError):
    """The command line, the environment or a setting is wrong."""

    exit_code = 2


class NotFetched(FsmAgentError):
    """A list could not be fetched from its server; what was there before stays."""

    exit_code = 1


class SessionInUse(FsmAgentError):
    """Another process holds the session's lock."""

    exit_code = 2


class LogError(FsmAgentError):
    """Something about `events.jsonl`."""


class DamagedLog(LogError):
    """The log is damaged before its tail; nothing of it is rewritten.

    Attributes:
        line: The line where it shows, from 1; 0 if it is not in a line (a blob).
        offset: The first byte of that line in the file, from 0.
    """

    exit_code = 3

    def __init__(self, message: str, line: int = 0, offset: int = 0) -> None:
        super().__init__(message)
        self.line, self.offset = line, offset


class UnknownVersion(LogError):
    """The log was written in a format, or by tables, that this program does not have."""

    exit_code = 6


class LogNotWritable(LogError):
    """A batch could not be made durable; the log was cut back to the batch before it."""

    exit_code = 11


class ReplayDiverged(FsmAgentError):
    """The same inputs gave other lines. It does not mean that the recorded work failed."""

    exit_code = 4
