"""All sessions there are to choose from, looked into only when needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fsm_agent.interfaces.listing import glance
from fsm_agent.interfaces.searching import search
from fsm_agent.runtime.places import LOG, all_sessions, sessions


class Catalogue:
    """The sessions of this directory, or of all, newest first.

    What is read once is kept: a choice is made among what there was when it began.
    """

    def __init__(self, home: Path, cwd: Path, *, but: Path | None = None) -> None:
        """`but` is the session that one is chosen in, which is no choice."""
        self._home, self.cwd, self._but = home, cwd, but
        self.glance = cache(glance)
        self._directories = cache(self._found)

    def directories(self, *, everywhere: bool) -> tuple[Path, ...]:
        """Sessions in which anything was logged.

        Raises:
            UsageError: If a directory of sessions cannot be looked into.
        """
        return self._directories(everywhere)

    def _found(self, everywhere: bool) -> tuple[Path, ...]:  # noqa: FBT001 - a key of the cache
        found = all_sessions(self._home) if everywhere else sessions(self._home, self.cwd)
        return tuple(directory for directory in found if directory != self._but)

    def looked_into(self, text: str, *, everywhere: bool) -> Iterator[tuple[Path, str | None]]:
        """Each session, and where the text stands in it; None where it does not.

        Big and small letters are the same. It is found in the name without an excerpt, else in what
        was said, called and given.
        """
        for directory in self.directories(everywhere=everywhere):
            yield directory, self._excerpt(directory, text)

    def _excerpt(self, directory: Path, text: str) -> str | None:
        if text.lower() in directory.name:
            return ""
        try:
            found = next(search(directory / LOG, text, loosely=True), None)
        except OSError:
            return None
        return found.excerpt if found else None
