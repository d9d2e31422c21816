"""Glob and Grep: files by name and by content, without ignored ones."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Annotated

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.calls import CommandTool, Job, Number, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_line, clean_text
from fsm_agent.tools.containment import NotADirectory, locate, open_folder
from fsm_agent.tools.found import Names, Sections
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.ripgrep import Search

_LISTED = 1 << 20  # characters of names that Glob gives
_HEADING = re.compile(rb"([^\n\0]*)\0")


class GlobArguments(msgspec.Struct, frozen=True):
    """What Glob is asked."""

    pattern: str
    path: str = "."


class GrepArguments(msgspec.Struct, frozen=True):
    """What Grep is asked."""

    pattern: Annotated[str, Meta(description="Regular expression")]
    path: str = "."
    glob: Annotated[str, Meta(description="Only files that match")] = ""
    context: Annotated[Number, Meta(description="Lines around a match")] = 0


def glob_tool() -> CommandTool[GlobArguments]:
    """The tool Glob."""
    told = spec(
        "Glob",
        "List files by name (**/*.py; without a slash at any depth), one path a line, sorted, "
        "ignored files left out. Empty if none matches.",
        GlobArguments,
    )
    return CommandTool(told, GlobArguments, _glob)


def grep_tool() -> CommandTool[GrepArguments]:
    """The tool Grep."""
    told = spec(
        "Grep",
        "Search file contents with ripgrep: matches with line numbers, under the path of their "
        "file, ignored files left out. Empty if nothing matches.",
        GrepArguments,
    )
    return CommandTool(told, GrepArguments, _grep)


def _glob(asked: GlobArguments, place: Workplace) -> Job:
    """List what matches, and all files: a glob given to ripgrep overrules ignore files."""
    if not asked.pattern:
        raise ToolFailure("no pattern")
    pattern = asked.pattern.removeprefix(f"{place.root}/").removeprefix("./")
    literal = re.sub(r"^!", r"\\!", pattern)
    directory = open_folder(asked.path, place)
    matching, all_files = Names(), Names()
    try:
        searches = [
            Search(directory, place, "--files", f"--glob={literal}", into=matching),
            Search(directory, place, "--files", into=all_files),
        ]
    finally:
        os.close(directory)

    async def listed() -> ToolOutcome:
        await asyncio.gather(*(search.output() for search in searches))
        kept = set(all_files.names)
        return _names([name for name in matching.names if name in kept], _prefix(asked.path))

    def stop() -> None:
        for search in searches:
            search.stop()

    return Job(listed(), stop)


def _names(names: Sequence[bytes], prefix: str) -> ToolOutcome:
    lines = [f"{prefix}{clean_line(name.decode(errors='replace'))}\n" for name in names]
    shown = sum(end <= _LISTED for end in accumulate(map(len, lines)))
    if left := len(lines) - shown:
        lines[shown:] = [f"[{left} more files left out: give a narrower pattern or a path]\n"]
    return ToolOutcome("".join(lines))


def _grep(asked: GrepArguments, place: Workplace) -> Job:
    if not asked.pattern:
        raise ToolFailure("no pattern")
    options = [
        "--line-number",
        "--heading",
        f"--context={asked.context}",
        "--max-columns=1000",
        "--max-columns-preview",
    ]
    try:
        directory = open_folder(asked.path, place)
    except NotADirectory:
        return _grep_file(asked, place, options)
    options.append("--with-filename")
    try:
        search: Search | _GlobSearch
        if asked.glob:
            options.append(f"--glob={asked.glob}")
            search = _GlobSearch(directory, place, options, asked.pattern)
        else:
            search = Search(directory, place, *options, words=(asked.pattern,))
    finally:
        os.close(directory)
    return Job(_matches(search, _prefix(asked.path)), search.stop)


class _GlobSearch:
    """A search in the files that a glob names, as one search is.

    The glob overrules ignore files, so all files are listed first and what is found in others is
    dropped.
    """

    def __init__(
        self, directory: int, place: Workplace, options: Sequence[str], pattern: str
    ) -> None:
        self._place, self._options, self._pattern = place, options, pattern
        self._names, self._stopped = Names(), False
        self._search = Search(directory, place, "--files", into=self._names)
        self._directory = os.dup(directory)

    def stop(self) -> None:
        self._stopped = True
        self._search.stop()

    async def output(self) -> bytes:
        try:
            await self._search.output()
            if self._stopped:
                return b""
            into = Sections(frozenset(self._names.names))
            words = (self._pattern,)
            self._search = Search(
                self._directory, self._place, *self._options, words=words, into=into
            )
        finally:
            os.close(self._directory)
        return await self._search.output()


def _grep_file(asked: GrepArguments, place: Workplace, options: Sequence[str]) -> Job:
    with locate(asked.path, place) as file:
        os.close(file.open())  # a regular one, so that ripgrep cannot hang on it
        words = (asked.pattern, f"./{file.name}")
        search = Search(file.parent, place, "--no-filename", *options, words=words)
        return Job(_matches(search, "", f"{file.shown}\n"), search.stop)


async def _matches(search: Search | _GlobSearch, prefix: str, title: str = "") -> ToolOutcome:
    found = await search.output()
    text = _HEADING.sub(lambda path: prefix.encode() + path[1] + b"\n", found)
    return ToolOutcome(title + clean_text(text.decode(errors="replace")) if text else "")


def _prefix(path: str) -> str:
    """What names found in a directory begin with."""
    directory = str(PurePosixPath(path))
    return "" if directory == "." else f"{directory.rstrip('/')}/"
