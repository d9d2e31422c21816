"""Directories opened beneath another one, whatever links lie on the way."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import sys

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
LINKS = 40
"""How many links one path may pass, as in the kernel."""

_OPENAT2 = 437  # the same number on all Linux architectures but Alpha
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_BENEATH = 0x08
_TRIES = 16  # the kernel gives EAGAIN when something is renamed while it climbs a `..`


class _How(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


def open_directory(top: int, path: str) -> int:
    """Open a directory beneath `top`, a descriptor, and give its descriptor.

    Links are followed as long as no step leaves `top`.

    Raises:
        OSError: EXDEV if the path leaves `top`, ELOOP for a loop or a magic link, and the usual.
    """
    return _by_kernel(top, path) if _kernel_can() else walk(top, path)


def walk(top: int, path: str) -> int:
    """`open_directory` step by step, for kernels without `openat2`: no step follows a link.

    The directories on the way down are held, so that `..` goes back to one that was passed, even
    when something is moved meanwhile.
    """
    held = [os.dup(top)]
    todo = path.split("/")[::-1]
    links = 0
    try:
        while todo:
            name = todo.pop()
            if name in ("", "."):
                continue
            if name == "..":
                os.close(held.pop())
                if not held:
                    raise _error(errno.EXDEV, path)
                continue
            target = link_target(held[-1], name)
            if target is None:
                held.append(os.open(name, DIRECTORY | os.O_NOFOLLOW, dir_fd=held[-1]))
                continue
            links += 1
            if links > LINKS:
                raise _error(errno.ELOOP, path)
            if target.startswith("/"):
                raise _error(errno.EXDEV, path)
            todo += target.split("/")[::-1]
        return held.pop()
    finally:
        for descriptor in held:
            os.close(descriptor)


def link_target(directory: int, name: str) -> str | None:
    """Where the link of this name points; None if it is no link or not there."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise


@functools.cache
def _kernel_can() -> bool:
    """Whether `openat2` exists and no filter forbids it."""
    if sys.platform != "linux":
        return False
    try:
        os.close(_by_kernel(-100, "."))  # AT_FDCWD
    except OSError as error:
        return error.errno not in (errno.ENOSYS, errno.EPERM)
    return True


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def _by_kernel(top: int, path: str) -> int:
    how = _How(DIRECTORY, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    name, size = ctypes.c_char_p(os.fsencode(path)), ctypes.c_size_t(ctypes.sizeof(how))
    for _ in range(_TRIES):
        descriptor = int(_libc().syscall(_OPENAT2, top, name, ctypes.byref(how), size))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() not in (errno.EAGAIN, errno.EINTR):
            break
    raise _error(ctypes.get_errno(), path)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
