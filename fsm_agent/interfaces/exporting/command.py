"""`export`: which form, from which log, to where."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from fsm_agent.errors import UsageError
from fsm_agent.interfaces.configuring import ENVIRONMENT
from fsm_agent.interfaces.exporting import atif, html, markdown, otlp, plain
from fsm_agent.interfaces.exporting.transcribing import transcribe
from fsm_agent.interfaces.exporting.transcript import Transcript
from fsm_agent.interfaces.logs import Proved, log_of, named_files
from fsm_agent.interfaces.outlets import aside
from fsm_agent.lifecycles.projections import closes, conversation, stats
from fsm_agent.lifecycles.replay import take
from fsm_agent.lifecycles.world import World
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.lock import SessionLock
from fsm_agent.log.projections import Projections
from fsm_agent.runtime.redaction import Redactor, secrets_of

FORMS: Mapping[str, tuple[Callable[[Transcript], bytes], frozenset[str]]] = {
    "markdown": (markdown.markdown, markdown.LEAVES_OUT),
    "html": (html.html, html.LEAVES_OUT),
    "json": (plain.plain, plain.LEAVES_OUT),
    "atif": (atif.atif, atif.LEAVES_OUT),
    "otlp": (otlp.otlp, otlp.LEAVES_OUT),
}
"""Each form, and the types of lines that it leaves out of what a transcript tells."""


def parser() -> argparse.ArgumentParser:
    """The grammar of `export`."""
    made = argparse.ArgumentParser(
        prog="fsm-agent export",
        description="Give a session in another form, or make the files beside its log again.",
        allow_abbrev=False,
    )
    made.add_argument(
        "session", nargs="?", metavar="S", help="id, directory or log; else the newest"
    )
    what = made.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", choices=tuple(FORMS), help="the form")
    what.add_argument(
        "--projections",
        nargs="?",
        const="",
        metavar="DIR",
        help="conversation.jsonl and stats.json, made again from the log; else beside it",
    )
    made.add_argument("-o", "--output", type=Path, metavar="FILE", help="instead of stdout")
    return made


def main(argv: Sequence[str]) -> int:
    """Run `export`; return its exit code: 0, 3 damaged, 5 torn, 6 unknown version."""
    given = parser().parse_args(argv[1:])
    if given.output and given.to is None:
        raise UsageError("-o goes with --to; --projections takes a directory")
    with named_files():
        log = Proved(log_of(given.session))
        if given.to is None:
            return rebuild(log, Path(given.projections) if given.projections else None)
        return export(log, given.to, given.output)


def export(log: Proved, form: str, output: Path | None) -> int:
    """Write what is proved of a log in this form; say how much of it is in there."""
    redactor = Redactor(secrets_of(ENVIRONMENT, None))  # files are kept as they were
    blobs = BlobStore(log.path.parent)
    transcript = transcribe(log, lambda blob: redactor.data(blobs.get(blob)))
    made, leaves_out = FORMS[form]
    if transcript.events:
        raw = made(transcript)
        if output:
            with named_files(output):
                output.write_bytes(raw)
        else:
            sys.stdout.buffer.write(raw)
            sys.stdout.buffer.flush()
        aside(f"{form}: {_told(transcript, leaves_out)}")
        for gap in transcript.gaps:
            aside(f"fsm-agent: {gap}")
    return log.verdict()


def _told(transcript: Transcript, leaves_out: frozenset[str]) -> str:
    """How many of how many events a form carries, and which it does not."""
    carried = {n: c for n, c in transcript.carried.items() if n not in leaves_out}
    left = {n: c - carried.get(n, 0) for n, c in sorted(transcript.events.items())}
    named = ", ".join(f"{count} {name}" for name, count in left.items() if count)
    told = f"{sum(carried.values())} of {sum(transcript.events.values())} events carried"
    return f"{told}; left out: {named}" if named else told


def rebuild(log: Proved, directory: Path | None) -> int:
    """Write the files that a session keeps beside its log, from the log alone.

    Args:
        log: The log.
        directory: Where to; None for beside the log, which nobody may be writing then.

    Raises:
        SessionInUse: If the files are those of a session that runs.
    """
    world = World(lru_cache(64)(BlobStore(log.path.parent).text))
    figures = b""
    with contextlib.ExitStack() as held:
        if directory is None:
            held.callback(SessionLock(log.path.parent).close)
        for batch in log:
            for line in batch.lines:
                take(world, line)
            if any(map(closes, batch.lines)):
                figures = stats(world)
        code = log.verdict()  # nothing is made from half a log
        place = directory or log.path.parent
        place.mkdir(parents=True, exist_ok=True)
        files = Projections(place)
        files.replace("conversation.jsonl", conversation(world.messages))
        if figures:
            files.replace("stats.json", figures)
    aside(f"{place}: {len(world.messages)} messages of {world.seq} events")
    return code
