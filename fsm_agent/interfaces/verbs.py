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
from fsm_agent.events import inputs as i
from fsm_agent.events.schema import schema
from fsm_agent.interfaces.arguments import positive
from fsm_agent.interfaces.checking import prove
from fsm_agent.interfaces.configuring import home, working_directory
from fsm_agent.interfaces.logs import named_files
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.searching import search
from fsm_agent.interfaces.terminal.escaping import escape_line, shorten
from fsm_agent.lifecycles.declared import tables
from fsm_agent.log.listing import Listing, head
from fsm_agent.machine.drawing import drawings
from fsm_agent.runtime.places import LOG, find_session, sessions

FOLLOW_S = 0.1
"""How often the end of a log that is followed is looked at, in seconds."""
PREVIEW = 60
"""Characters of a session's first line that the list shows."""


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

    log = verbs.add_parser("log", help="print a session's log: the newest one's, or by id")
    log.add_argument("session", nargs="?", metavar="ID")
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
    found = list(sessions(home(), cwd))
    for directory in found:
        changed = time.localtime((directory / LOG).stat().st_mtime)
        print(
            f"{directory.name}  {time.strftime('%Y-%m-%d %H:%M', changed)}  {_preview(directory)}"
        )
    if not found:
        aside(f"no sessions of {cwd} yet")
    return 0


def _grep(given: argparse.Namespace) -> int:
    here = sessions(home(), working_directory())
    logs = home().glob(f"projects/*/*/{LOG}") if given.all else (found / LOG for found in here)
    count = 0
    for count, one in enumerate(search(sorted(logs), given.text), 1):  # noqa: B007 - counted
        print(f"{one.session} {one.seq} {one.type}: {one.excerpt}")
    if not count:
        aside("nothing was found")
    return 0


def _preview(directory: Path) -> str:
    for _, line in Listing(directory / LOG):
        if isinstance(line.event, i.UserInput):
            return shorten(escape_line(line.event.text), PREVIEW)
    return "(nothing was asked)" if head(directory / LOG) else "(empty)"


def _log(given: argparse.Namespace) -> int:
    path = _directory(given.session) / LOG
    if given.path:
        sys.stdout.buffer.write(os.fsencode(path) + b"\n")
        return 0
    for chunk in _chunks(path, follow=given.follow):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    return 0


def _directory(name: str | None) -> Path:
    if name is not None:
        found = find_session(home(), name)
        if found is None:
            raise UsageError(f"there is no session '{name}'; `fsm-agent sessions` lists them")
        return found
    newest = next(sessions(home(), working_directory()), None)
    if newest is None:
        raise UsageError("this directory has no session yet")
    return newest


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
