"""A command's output without what says nothing new.

Only noise goes: tests that passed, build steps, progress, a message that stood there three times
already. Every other line is kept, for nobody knows what a project's own prints mean; so debugging
prints, diffs and tracebacks stay whole. Rules, in order:

1. An output of up to 50 lines is left alone, and so is one that is asked for as it is: a command
   with a part that prints files, searches or picks lines (`cat`, `head`, `sed`, `rg`, `jq` …; all
   of `git`), or with the word `--raw`, for which a comment will do: `make # --raw`.
2. It is left alone where nothing shows that it comes from tests, a build or an installation:
   neither a verdict (`3 passed in 0.1s`, `error TS2322`, `make: ***`) nor noise in half its lines.
3. An error or a warning is one block with its context: what is indented or follows at once, also
   behind a blank line. Nothing inside it is noise. A build step right before an error stays.
4. The first and last lines always stay. Above 200 lines the rest is chosen in this order: errors,
   verdicts, blocks of errors (whole ones), warnings, the rest; each time those nearest to either
   end.
5. A last line says how much is shown, and how to get all. If not a quarter of the lines goes, all
   of them stay, for a second run costs more than they do.

The order of lines is that of the output. (Of a line rewritten by carriage returns the tools have
only kept the last state.) `filtered(c, filtered(c, o)) == filtered(c, o)`.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from fsm_agent.context.noise import Mark, mark, telling

FROM = 50
"""Lines up to which nothing is filtered."""
CAP = 200
"""The most lines that are shown of a filtered output, its last one (the marker) not counted."""
FIRST, LAST = 3, 10
"""Lines at both ends that are always shown."""
_COPIES = 3  # of one message
_MESSAGE = 16  # characters; what is shorter is data or layout, whose copies count
_BLOCK = 40  # lines of one error
_FLUSH = 2  # lines in a row, not indented, that still belong to an error
_BEFORE = 2  # lines that lead to an error

# Programs whose output is wanted word for word.
_PRINTS = """
    ack ag awk base64 bat batcat cat cmp comm column cut delta diff difft egrep fd fgrep file
    find fold gawk git grep head hexdump hg jq less ls mawk more nl objdump od pr readelf rg
    sdiff sed sort strings svn tac tail tr tree uniq wc xxd yq zcat zgrep
"""
# Programs behind which a word is an argument: `cargo test sort`.
_RUNS = """
    ant apt apt-get bazel brew bun bundle cargo cd clang cmake composer conda ctest deno docker
    dotnet echo eslint gcc go gradle gradlew jest make meson mocha mvn mvnw mypy ninja node nox
    npm npx pip pip3 pipenv pnpm podman poetry poe printf pytest python python3 rake rspec ruby
    ruff rustc swift tox tsc uv vitest yarn
"""

_RANKS: dict[Mark, int] = {"error": 1, "verdict": 2}
_BLOCK_RANKS: dict[Mark, int] = {"error": 3, "warning": 4}
_MARKER = r"\[… \d+ of \d+ lines shown; .*\]"
_HERE_DOCUMENT = r"(?ms)<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?^\s*\2$"


class _Unit(NamedTuple):
    """Lines that stay or go together: a block, or one line; the end is not in it."""

    start: int
    end: int
    mark: Mark


def filtered(command: str, output: str) -> str:
    """The output without noise, at most `CAP` lines and the marker; see the rules above.

    Args:
        command: The whole command line.
        output: What it printed, both streams in one.
    """
    lines = output.removesuffix("\n").split("\n")
    if len(lines) <= FROM or re.fullmatch(_MARKER, lines[-1]) or _as_it_is(command):
        return output
    marks = [mark(line.rstrip()) for line in lines]
    kept, noise, repeated = _without_noise(lines, list(_units(lines, marks)))
    if 2 * (noise + repeated) < len(lines) and not any(map(telling, lines)):
        return output
    shown = [n for unit in kept for n in range(unit.start, unit.end)]
    if len(shown) > CAP:
        shown = _chosen(kept, marks)
    if len(lines) <= CAP and 4 * len(shown) > 3 * len(lines):
        return output
    others = len(lines) - len(shown) - noise - repeated
    counts = {"of progress and passed tests": noise, "repeated": repeated, "other": others}
    left_out = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    marker = (
        f"[… {len(shown)} of {len(lines)} lines shown; left out: {left_out}. "
        "For all of them end the command with ` # --raw`, or narrow it with grep, head or tail …]"
    )
    text = "\n".join([*(lines[n] for n in shown), marker]) + "\n" * output.endswith("\n")
    return text if _bytes(text) < _bytes(output) else output


def _bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def _as_it_is(command: str) -> bool:
    """Whether the output is wanted word for word.

    In each part of the command the first program that is known counts, whatever stands before it:
    `sudo`, assignments, a path. What cannot be read is left alone, and so are its words.
    """
    if "--raw" in command.split():
        return True
    words = shlex.shlex(
        re.sub(_HERE_DOCUMENT, r"\3", command), posix=True, punctuation_chars="();<>|&\n"
    )
    words.whitespace, words.commenters = " \t\r", ""
    prints, known = _PRINTS.split(), {*_PRINTS.split(), *_RUNS.split()}
    part: list[str] = []
    try:
        for word in (*words, ";"):
            if word[0] not in words.punctuation_chars:
                part.append(word.rpartition("/")[2])
                continue
            program = next((name for name in part if name in known), "")
            to_file = word in (">", ">>", "&>") and part[-1:] != ["2"]
            if program in prints and not to_file:
                return True
            part = []
    except ValueError:  # quotes that do not end
        return True
    return False


def _units(lines: Sequence[str], marks: Sequence[Mark]) -> Iterator[_Unit]:
    """The lines as blocks of errors and warnings, and single lines between them."""
    at = 0
    while at < len(lines):
        block = marks[at] in ("error", "warning")
        end = _end_of_block(lines, marks, at) if block else at + 1
        yield _Unit(at, end, marks[at])
        at = end


def _end_of_block(lines: Sequence[str], marks: Sequence[Mark], start: int) -> int:
    """Where the lines end that belong to the error or warning in line `start`."""
    flush = 0
    for at in range(start + 1, min(len(lines), start + _BLOCK)):
        line, mark = lines[at], marks[at]
        if not line.strip():
            follows = lines[at + 1 : at + 2]
            indented = follows and follows[0][:1] in (" ", "\t", ">", "E")
            if not indented or marks[at + 1] in ("passed", "step"):
                return at
        elif mark == "passed" or (mark != "plain" and not _continues(line)):
            return at
        else:
            flush = 0 if _continues(line) else flush + 1
            if flush > _FLUSH:
                return at
    return min(len(lines), start + _BLOCK)


def _continues(line: str) -> bool:
    """Whether the line is of the inner form of a message: indented, source text, a hint."""
    return bool(re.match(r"\s|[>|^~+]|E\s|\d+\s*\||(?:note|help|hint):", line))


def _without_noise(lines: Sequence[str], units: Sequence[_Unit]) -> tuple[list[_Unit], int, int]:
    """The units that stay, the number of lines of noise, the number of repeated lines."""
    kept: list[_Unit] = []
    noise = repeated = 0
    seen: Counter[tuple[str, ...]] = Counter()
    for unit, following in pairwise((*units, _Unit(len(lines), len(lines), "plain"))):
        text = tuple(lines[unit.start : unit.end])
        if len(text) > 1 or (len(text[0]) >= _MESSAGE and not text[0][0].isspace()):
            seen[text] += 1
        blank = not text[0].strip() and kept and not lines[kept[-1].end - 1].strip()
        before_error = unit.mark == "step" and following.mark == "error"
        if unit.start < FIRST or unit.end > len(lines) - LAST or before_error:
            kept.append(unit)
        elif blank or unit.mark in ("passed", "step"):
            noise += 1
        elif seen[text] > _COPIES:
            repeated += len(text)
        else:
            kept.append(unit)
    return kept, noise, repeated


def _chosen(units: Sequence[_Unit], marks: Sequence[Mark]) -> list[int]:
    """The `CAP` lines that are worth most, in their order; a block stays whole or goes."""
    places = [n for unit in units for n in range(unit.start, unit.end)]
    last = len(places) - 1
    groups: list[tuple[int, int, range]] = []  # what comes first, distance from an end, lines
    for at, place in enumerate(places):
        rank = 0 if at < FIRST or at > last - LAST else _RANKS.get(marks[place])
        if rank is not None:
            groups.append((rank, min(at, last - at), range(at, at + 1)))
    at = 0
    for unit in units:
        end = at + unit.end - unit.start
        start = max(0, at - _BEFORE) if unit.mark == "error" else at
        groups.append((_BLOCK_RANKS.get(unit.mark, 5), min(at, last - end), range(start, end)))
        at = end
    chosen: set[int] = set()
    for *_, lines in sorted(groups, key=lambda group: group[:2]):
        if len(chosen) < CAP and len(chosen.union(lines)) <= CAP:
            chosen.update(lines)
    return [places[at] for at in sorted(chosen)]
