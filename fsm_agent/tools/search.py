"""Glob and Grep: files by name and by content, without ignored ones."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated

import msgspec
from msgspec import Meta

from fsm_agent.events.outcome import ToolOutcome
from fsm_agent.tools.calls import CommandTool, Job, ToolFailure, spec
from fsm_agent.tools.cleaning import clean_line, clean_text
from fsm_agent.tools.containment import NotADirectory, locate, open_folder
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.ripgrep import Search

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
    context: Annotated[int, Meta(ge=0, description="Lines around a match")] = 0


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
    try:
        searches = [
            Search(directory, place, "--files", *options, words=())
            for options in ((f"--glob={literal}",), ())
        ]
    finally:
        os.close(directory)

    def stop() -> None:
        for search in searches:
            search.stop()

    return Job(_names(searches, _prefix(asked.path)), stop)


async def _names(searches: Sequence[Search], prefix: str) -> ToolOutcome:
    matching, all_files = await asyncio.gather(*(search.output() for search in searches))
    kept = set(all_files.split(b"\0"))
    names = [name.decode(errors="replace") for name in matching.split(b"\0") if name in kept]
    return ToolOutcome("".join(f"{prefix}{clean_line(name)}\n" for name in names if name))


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
    if asked.glob:
        options.append(f"--glob={asked.glob}")
    try:
        directory = open_folder(asked.path, place)
    except NotADirectory:
        return _grep_file(asked, place, options)
    try:
        search = Search(directory, place, "--with-filename", *options, words=(asked.pattern,))
    finally:
        os.close(directory)
    return Job(_matches(search, _prefix(asked.path)), search.stop)


def _grep_file(asked: GrepArguments, place: Workplace, options: Sequence[str]) -> Job:
    with locate(asked.path, place) as file:
        os.close(file.open())  # a regular one, so that ripgrep cannot hang on it
        words = (asked.pattern, f"./{file.name}")
        search = Search(file.parent, place, "--no-filename", *options, words=words)
        return Job(_matches(search, "", f"{file.shown}\n"), search.stop)


async def _matches(search: Search, prefix: str, title: str = "") -> ToolOutcome:
    found = await search.output()
    text = _HEADING.sub(lambda path: prefix.encode() + path[1] + b"\n", found)
    return ToolOutcome(title + clean_text(text.decode(errors="replace")) if text else "")


def _prefix(path: str) -> str:
    """What names found in a directory begin with."""
    directory = str(PurePosixPath(path))
    return "" if directory == "." else f"{directory.rstrip('/')}/"
