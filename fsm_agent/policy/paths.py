"""Where a path leads, by its text alone."""

from __future__ import annotations

from functools import lru_cache

CONTROL_NAMES = frozenset({".git", ".fsm-agent", ".vscode", ".idea", ".claude", ".cursor"})
"""Directories that steer tools: file tools never write into them."""
CONTROL_FILES = frozenset({".mcp.json"})
CHECKPOINT = (".fsm-agent", "task.md")
"""The one file there that is the model's own: where it notes how far a long task is."""


@lru_cache(256)
def normal(path: str, cwd: str) -> tuple[str, ...]:
    """The names of the absolute path, `.` and `..` worked out; links are not looked at.

    Asked for every call, more than once, and again in every replay, so it is done on text:
    `PurePosixPath` takes several times as long.
    """
    names: list[str] = []
    for name in (path if path.startswith("/") else f"{cwd}/{path}").split("/"):
        if name == "..":
            names[-1:] = []
        elif name not in ("", "."):
            names.append(name)
    return tuple(names)


def is_inside(path: str, cwd: str) -> bool:
    """Whether the path lies in the workspace."""
    root = normal(cwd, "/")
    return normal(path, cwd)[: len(root)] == root


def is_control(path: str, cwd: str) -> bool:
    """Whether writing there could change what programs do: `.git/hooks`, editor tasks and such.

    Only names below the workspace count: where that lies is a person's choice.
    """
    root, names = normal(cwd, "/"), normal(path, cwd)
    below = names[len(root) :] if names[: len(root)] == root else names
    names = tuple(name.casefold() for name in below)
    if names == CHECKPOINT:
        return False
    return not CONTROL_NAMES.isdisjoint(names) or not CONTROL_FILES.isdisjoint(names[-1:])
