"""`/log`, `/replay`, `/audit`: what is recorded, and whether it holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from rich.text import Text

from fsm_agent.audit import Options, audit, human
from fsm_agent.errors import UsageError
from fsm_agent.events.lines import Batch, Line, encode
from fsm_agent.interfaces.arguments import positive
from fsm_agent.interfaces.debugging.telling import told
from fsm_agent.interfaces.logs import Proved, own_tables
from fsm_agent.interfaces.painting.escaping import escape, escape_line
from fsm_agent.interfaces.replaying import verified
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.lifecycles.replay import check
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.listing import tail
from fsm_agent.runtime.places import LOG

LINES = 20
"""Lines of the log that are shown where no number is given."""
MOST = 1000
"""Lines that are shown at most: `fsm-agent log` has all."""
WIDTH = 80
"""Columns of an audit's findings."""


def _log(desk: Desk, word: str) -> None:
    """Show the last lines of the log, or where it is.

    Raises:
        UsageError: If that is neither `path` nor a number.
    """
    path = desk.session.directory / LOG
    if word == "path":
        desk.print(Text(f"  {escape_line(str(path))}", overflow="fold"))
        return
    count = count_of(word) if word else LINES
    for line in tail(path, min(count, MOST)):
        desk.print(Text(line_told(line), "quiet", no_wrap=True, overflow="ellipsis"))
    if count > MOST:
        desk.print(Text(f"  those are the last {MOST:,}; `fsm-agent log` has all", "quiet"))


def count_of(word: str) -> int:
    """How many lines are wanted.

    Raises:
        UsageError: If that is no number from 1.
    """
    try:
        return positive(word)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"it takes a number of lines, or path: {error}") from None


def line_told(line: Line) -> str:
    """A line of the log in one line, escaped."""
    return told(encode(line))


def _replay(desk: Desk, _: str) -> None:
    lines = desk.session.world.seq
    desk.print(Text(f"  deciding {lines:,} lines again …", "quiet"))
    desk.background("replay", partial(_decided_again, desk.session.directory / LOG, lines))


def _decided_again(path: Path, lines: int) -> Iterator[Text]:
    """What deciding the first so many lines again has shown."""
    log, blobs = Proved(path, lazily=True), BlobStore(path.parent)
    again = partial(_first, lines, Proved(path))
    found = check(_first(lines, log), blobs.text, partial(own_tables, blobs), again=again)
    if found.divergences:
        yield Text(f"  {escape(found.divergences[0].told())}", "error")
    elif log.damage:
        yield Text(f"  {escape_line(str(log.damage))}", "error")
    else:
        yield Text(f"  {verified(found)}")


def _first(lines: int, log: Iterable[Batch]) -> Iterator[Batch]:
    """The batches that hold the first so many lines: a turn may be writing more."""
    for batch in log:
        yield batch
        lines -= batch.count
        if lines <= 0:
            return


def _audit(desk: Desk, _: str) -> None:
    desk.print(Text(f"  judging {desk.session.world.seq:,} lines …", "quiet"))
    desk.background("audit", partial(_judged, desk.session.directory / LOG))


def _judged(path: Path) -> Iterator[Text]:
    """What the rules find in the log, as far as it is written."""
    report = audit([path], Options(root=path.parent))
    style = "error" if report.findings else ""
    yield from (Text(f"  {escape(line)}", style) for line in human(report, WIDTH).splitlines())


COMMANDS = (
    Command(
        "log",
        "the last lines of the log, or where it is",
        _log,
        words=lambda _, __: (("path", "where it is"),),
        takes="[N|path]",
        more="A line for each event, 20 if no number is given.",
        example="/log 50",
    ),
    Command(
        "replay",
        "decide everything again from the log, and compare each byte",
        _replay,
        more="What has been logged so far, beside the prompt; `fsm-agent replay` does more.",
        example="/replay",
    ),
    Command(
        "audit",
        "judge the log by all rules",
        _audit,
        more="What has been logged so far, beside the prompt; `fsm-agent audit` does more.",
        example="/audit",
    ),
)
