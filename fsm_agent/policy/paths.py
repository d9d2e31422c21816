"""Where a path leads, by its text alone."""

from __future__ import annotations

from pathlib import PurePosixPath

CONTROL_NAMES = frozenset({".git", ".fsm-agent", ".vscode", ".idea", ".claude", ".cursor"})
"""Directories that steer tools: file tools never write into them."""
CONTROL_FILES = frozenset({".mcp.json"})


def normal(path: str, cwd: str) -> PurePosixPath:
    """The path made absolute, with `.` and `..` worked out; links are not looked at."""
    parts: list[str] = []
    for part in PurePosixPath(cwd, path).parts[1:]:
        if part == "..":
            parts[-1:] = []
        else:
            parts.append(part)
    return PurePosixPath("/", *parts)


def is_inside(path: str, cwd: str) -> bool:
    """Whether the path lies in the workspace."""
    return normal(path, cwd).is_relative_to(PurePosixPath(cwd))


def is_control(path: str, cwd: str) -> bool:
    """Whether writing there could change what programs do: `.git/hooks`, editor tasks and such."""
    where = normal(path, cwd)
    names = [part.casefold() for part in where.parts]
    return not CONTROL_NAMES.isdisjoint(names) or names[-1] in CONTROL_FILES
