"""`audit`: finished logs against rules; nothing is changed."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from fsm_agent.audit import Options, Report, as_json, audit, github, human, junit, sarif
from fsm_agent.audit.covering import as_data, as_table, lcov, picture
from fsm_agent.interfaces.arguments import positive
from fsm_agent.interfaces.logs import log_of, named_files
from fsm_agent.lifecycles.declared import tables

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "human": lambda report: human(report, shutil.get_terminal_size().columns),
    "json": as_json,
    "junit": junit,
    "sarif": sarif,
    "github": github,
}
COVERAGE = ("table", "json", "lcov", "mermaid")


def parser() -> argparse.ArgumentParser:
    """The grammar of `audit`."""
    made = argparse.ArgumentParser(
        prog="fsm-agent audit",
        description="Judge finished logs by rules. A path is a log, a session's directory or id, or "
        "a directory above many; without one, this directory's newest session.",
        epilog="exit codes: 0 clean; 10 a rule was broken; 3 damaged; 4 diverged; 5 only a torn "
        "tail; 6 unknown version or tables; 7 a fault of the audit itself.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("paths", nargs="*", metavar="PATH", help="what to audit")
    add("--format", choices=sorted(FORMATS), default="human", help="how findings are written")
    add("--rules", action="append", default=[], type=Path, metavar="FILE", help="rules of your own")
    add(
        "--severity",
        choices=("error", "warning", "note"),
        default="error",
        help="the mildest finding that fails",
    )
    add("--derive", action="store_true", help="re-derive digests of states and requests, too")
    add("--expect-head", default="", metavar="SEQ:HASH", help="a seal that the log must hold")
    add("--coverage", choices=COVERAGE, help="print what was taken of the tables instead")
    add("--jobs", type=positive, default=1, metavar="N", help="so many processes")
    return made


def main(argv: Sequence[str]) -> int:
    """Run `audit`; return its exit code."""
    given = parser().parse_args(argv[1:])
    paths = [Path(text) if Path(text).exists() else log_of(text) for text in given.paths]
    options = Options(
        rules=tuple(given.rules),
        severity=given.severity,
        derive=given.derive,
        coverage=given.coverage is not None,
        head=given.expect_head,
        jobs=given.jobs,
        root=Path.cwd(),
    )
    report = audit(paths or [log_of(None)], options)
    text = _coverage(report, given.coverage) if given.coverage else FORMATS[given.format](report)
    with named_files():
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()
    return report.exit_code


def _coverage(report: Report, form: str) -> str:
    counts = report.coverage
    if counts is None:
        return "nothing was covered"
    if form == "json":
        return msgspec.json.format(
            msgspec.json.encode(as_data(counts, tables())), indent=2
        ).decode()
    if form == "mermaid":
        return "\n".join(picture(counts, table) for table in tables().values())
    return lcov(counts, tables()) if form == "lcov" else as_table(counts, tables())
