"""The small verbs: sessions, log, states, schema."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from fsm_agent.errors import UsageError
from fsm_agent.events.schema import schema
from fsm_agent.interfaces.arguments import positive
from fsm_agent.interfaces.checking import prove
from fsm_agent.interfaces.configuring import home, working_directory
from fsm_agent.interfaces.listing import listed
from fsm_agent.interfaces.logs import log_of, named_files
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.searching import search
from fsm_agent.lifecycles.declared import tables
from fsm_agent.machine.drawing import drawings
from fsm_agent.runtime.places import LOG, all_logs, sessions

FOLLOW_S = 0.1
"""How often the end of a log that is followed is looked at, in seconds."""


def main(argv: Sequence[str]) -> int:
    """Run the verb that `argv` begins with; return its exit code."""
    given = parser().parse_args(argv)
    verb: Callable[[argparse.Namespace], int] = given.run
    with named_files():
        return verb(given)


def parser() -> argparse.ArgumentParser:
    """The grammar of the verbs."""
    made = argparse.ArgumentParser(prog="fsm-agent", allow_abbrev=False)
    verbs = made.add_subparsers(required=True, metavar="VERB")

    listing = verbs.add_parser("sessions", help="list this directory's sessions, newest first")
    listing.set_defaults(run=_sessions)
    found = listing.add_subparsers(metavar="ACTION")
    grep = found.add_parser("grep", help="find a text in what was said, called and given")
    grep.add_argument("text", metavar="TEXT", help="as it is: no pattern")
    grep.add_argument("--all", action="store_true", help="in the sessions of every directory")
    grep.set_defaults(run=_grep)

    log = verbs.add_parser("log", help="print a session's log: the newest one's, or this")
    log.add_argument("session", nargs="?", metavar="S", help="id, directory or log")
    log.add_argument("-f", "--follow", action="store_true", help="go on as the log grows")
    log.add_argument("--path", action="store_true", help="print only where the log is")
    log.set_defaults(run=_log)

    states = verbs.add_parser("states", help="the state machines")
    doings = states.add_subparsers(required=True, metavar="ACTION")
    draw = doings.add_parser("draw", help="draw each table as a Mermaid file")
    draw.add_argument("--check", action="store_true", help="only say whether the files are current")
    draw.add_argument("--directory", type=Path, default=Path("diagrams"), help="where they are")
    draw.set_defaults(run=_draw)

    check = doings.add_parser("check", help="prove the tables: each alone, then all together")
    check.add_argument("--tools", type=_calls, default=2, metavar="K", help="calls of an answer: 2")
    check.add_argument("--table-dir", type=Path, metavar="DIR", help="other tables than ours")
    check.add_argument(
        "--counterexample", type=Path, metavar="FILE", help="write the first as a log"
    )
    check.set_defaults(run=_check)

    printed = verbs.add_parser("schema", help="print the JSON Schema of the log's lines")
    printed.set_defaults(run=_schema)
    return made


def _calls(text: str) -> int:
    if (number := positive(text)) < 2:  # noqa: PLR2004 - the fewest that can wait for each other
        raise argparse.ArgumentTypeError("must be 2 or more, or no call waits for another")
    return number


def _sessions(_: argparse.Namespace) -> int:
    cwd = working_directory()
    rows = [row for _directory, row in listed(sessions(home(), cwd))]
    for row in rows:
        print(row)
    if not rows:
        aside(f"no sessions of {cwd} yet")
    return 0


def _grep(given: argparse.Namespace) -> int:
    if not given.text:
        raise UsageError("there is no text to look for")
    here = sessions(home(), working_directory())
    logs = all_logs(home()) if given.all else (session / LOG for session in here)
    count = 0
    for log in sorted(logs):
        try:
            found = list(search(log, given.text))
        except OSError as error:
            aside(f"{log}: not looked into: {error.strerror}")
            continue
        count += len(found)
        for one in found:
            print(f"{one.session} {one.seq} {one.type}: {one.excerpt}")
    if not count:
        aside("nothing was found")
    return 0


def _log(given: argparse.Namespace) -> int:
    path = log_of(given.session)
    if given.path:
        sys.stdout.buffer.write(os.fsencode(path) + b"\n")
        return 0
    for chunk in _chunks(path, follow=given.follow):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    return 0


def _chunks(path: Path, *, follow: bool) -> Iterator[bytearray]:
    """The log's bytes; to a follower, whole lines."""
    held = bytearray()
    with path.open("rb") as file:
        while True:
            if chunk := file.read(1 << 16):
                if end := chunk.rfind(b"\n") + 1:
                    yield held + chunk[:end]
                    held.clear()
                held += chunk[end:]
            elif follow:
                time.sleep(FOLLOW_S)
            else:
                yield held
                return


def _draw(given: argparse.Namespace) -> int:
    stale = []
    for name, text in drawings(tables()).items():
        path = given.directory / name
        if path.is_file() and path.read_text() == text:
            continue
        stale.append(name)
        if not given.check:
            given.directory.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    words = "stale" if given.check else "drawn"
    for name in stale:
        print(f"{words}: {given.directory / name}")
    if not stale:
        print("all diagrams are current")
    return 10 if stale and given.check else 0


def _check(given: argparse.Namespace) -> int:
    return prove(given.table_dir, given.tools, given.counterexample)


def _schema(_: argparse.Namespace) -> int:
    print(msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode())
    return 0
