"""Paths the model names, held by descriptor so that a check cannot age."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self, TypeAlias

from fsm_agent.policy.paths import is_control
from fsm_agent.tools.beneath import DIRECTORY, LINKS, link_target, open_directory
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.cleaning import clean_line
from fsm_agent.tools.protocol import Workplace

Opener: TypeAlias = Callable[[int, str], int]

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
_DOTS = re.compile(r"/(?:\.?/)+")
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NotADirectory(ToolFailure):
    """The path leads to something that cannot be searched as a directory."""


class NotThere(ToolFailure):
    """A directory that leads to the path does not exist."""


class Location:
    """A name in a directory that is held open: what was checked is what is used.

    Attributes:
        parent: Descriptor of the directory.
        name: The last name of the path, after all links; what it names may not exist.
        path: The path beneath its root, after a last link, as text.
        shown: The path as it was given, safe to print.
    """

    def __init__(self, parent: int, name: str, path: str, shown: str) -> None:
        self.parent, self.name, self.path, self.shown = parent, name, path, shown

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        os.close(self.parent)

    @property
    def key(self) -> tuple[int, int, str]:
        """The same for all paths that lead here."""
        directory = os.fstat(self.parent)
        return directory.st_dev, directory.st_ino, self.name

    def exists(self) -> bool:
        """Whether anything has this name."""
        try:
            os.stat(self.name, dir_fd=self.parent, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def open(self) -> int:
        """Open the regular file for reading; never waits, never follows a link.

        Raises:
            ToolFailure: If there is none, or it may not be read.
        """
        try:
            descriptor = os.open(self.name, _READ, dir_fd=self.parent)
        except OSError as error:
            raise ToolFailure(_why(error, self.shown)) from error
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            os.close(descriptor)
            kind = _KINDS.get(stat.S_IFMT(mode), "something else")
            raise ToolFailure(f"{self.shown} is {kind}, not a regular file")
        return descriptor


def locate(path: str, place: Workplace) -> Location:
    """Where a path leads that may be read: beneath the workspace or a readable directory.

    Raises:
        ToolFailure: If it leads elsewhere, or its directory does not exist.
    """
    if path and path in (place.draft, place.plan):
        return _own(path)
    return _locate(path, place, (place.root, *place.readable), open_directory)


def locate_existing(path: str, place: Workplace) -> Location:
    """Where a path leads beneath the workspace, to be changed. Makes nothing.

    Raises:
        NotThere: If its directory does not exist.
        ToolFailure: If it leads elsewhere or to what steers other programs.
    """
    return _locate_writable(path, place, open_directory)


def locate_for_writing(path: str, place: Workplace) -> Location:
    """Where a path leads that may be written: beneath the workspace. Makes its directories.

    Raises:
        ToolFailure: If it leads elsewhere or to what steers other programs, or a directory cannot
            be made.
    """
    return _locate_writable(path, place, _make_directory)


def open_folder(path: str, place: Workplace) -> int:
    """Open a directory that may be searched, and give its descriptor.

    Raises:
        NotADirectory: If it is something else.
        ToolFailure: If it leads elsewhere or is not there.
    """
    root, relative = _divide(path, place, (place.root, *place.readable))
    top = _open_root(root)
    try:
        return open_directory(top, relative)
    except NotADirectoryError as error:
        raise NotADirectory(f"{clean_line(path)} is not a directory") from error
    except OSError as error:
        raise ToolFailure(_why(error, clean_line(path))) from error
    finally:
        os.close(top)


def check_root(place: Workplace) -> None:
    """Make sure that the working directory is there.

    Raises:
        ToolFailure: If it is not.
    """
    os.close(_open_root(place.root))


def _locate(path: str, place: Workplace, roots: Sequence[str], opener: Opener) -> Location:
    root, relative = _divide(path, place, roots)
    shown = clean_line(path)
    top = _open_root(root)
    try:
        return _follow(top, relative, shown, opener)
    except FileNotFoundError as error:
        raise NotThere(_why(error, shown)) from error
    except OSError as error:
        raise ToolFailure(_why(error, shown)) from error
    finally:
        os.close(top)


def _own(path: str) -> Location:
    """A file that this program has made for the model."""
    folder, _, name = path.rpartition("/")
    return Location(_open_root(folder), name, path, path)


def _locate_writable(path: str, place: Workplace, opener: Opener) -> Location:
    if path and path in (place.draft, place.user_memory, place.project_memory):
        return _own(path)
    location = _locate(path, place, (place.root,), opener)
    try:
        _check_steering(location.parent, location.name, place.root, location.shown)
    except ToolFailure:
        os.close(location.parent)
        raise
    return location


def _check_steering(directory: int, name: str, root: str, shown: str) -> None:
    """Refuse a name that steers other programs, by where its open directory really lies."""
    if is_control(f"{_real_path(directory)}/{name}", root):
        raise ToolFailure(f"{shown} steers other programs; a person must edit it")


def _real_path(directory: int) -> str:
    return str(Path(f"/proc/self/fd/{directory}").readlink())


def _follow(top: int, path: str, shown: str, opener: Opener) -> Location:
    """Resolve the last name's links by hand: the directories' links are the opener's."""
    for _ in range(LINKS):
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            os.close(open_directory(top, path))
            raise ToolFailure(f"{shown} is a directory, not a regular file")
        parent = opener(top, directory or ".")
        try:
            target = link_target(parent, name)
        except OSError:
            os.close(parent)
            raise
        if target is None:
            return Location(parent, name, str(PurePosixPath(path)), shown)
        os.close(parent)
        _check_name(target)
        if target.startswith("/"):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        path = f"{directory or '.'}/{target}"
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _make_directory(top: int, path: str) -> int:
    """Open a directory beneath `top`, made with all that lead to it where they are missing."""
    with suppress(FileNotFoundError):
        return open_directory(top, path)
    made = "."
    for name in path.split("/"):
        parent = open_directory(top, made)
        try:
            _check_steering(parent, name, _real_path(top), clean_line(path))
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=parent)
        finally:
            os.close(parent)
        made = f"{made}/{name}"
    return open_directory(top, path)


def _divide(path: str, place: Workplace, roots: Sequence[str]) -> tuple[str, str]:
    """The root that a path lies beneath by its text, and the rest of it."""
    check_root(place)
    if not path:
        raise ToolFailure("no path")
    _check_name(path)
    if not path.startswith("/"):
        return place.root, path
    path = _DOTS.sub("/", path)
    for root in roots:
        beneath = root.rstrip("/") + "/"
        if f"{path}/".startswith(beneath):
            return root, path[len(beneath) :] or "."
    raise ToolFailure(f"{clean_line(path)} is outside the workspace {place.root}")


def _check_name(path: str) -> None:
    """Refuse what is no path, or one that could not be written down in the log."""
    if "\0" in path or any("\ud800" <= char <= "\udfff" for char in path):
        raise ToolFailure(f"not a path: {clean_line(path)}")


def _open_root(root: str) -> int:
    try:
        return os.open(root, DIRECTORY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolFailure(f"working directory {root} no longer exists") from error
    except OSError as error:
        raise ToolFailure(f"working directory {root} cannot be read: {error.strerror}") from error


def _why(error: OSError, shown: str) -> str:
    match error.errno:
        case errno.ENOENT:
            hint = " (~ is not expanded)" if shown.startswith("~") else ""
            return f"{shown} not found{hint}"
        case errno.EXDEV:
            return f"{shown} leads outside the workspace"
        case errno.EACCES:
            return f"permission denied: {shown}"
        case errno.ELOOP:
            return f"{shown} is a link that cannot be followed"
        case errno.ENXIO:
            return f"{shown} is a socket, not a regular file"
        case _:
            return f"{shown}: {error.strerror}"
