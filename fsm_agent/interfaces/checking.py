"""`states check`: the tables proved, each alone and all together."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path, PurePath

from fsm_agent.errors import DeclarationError
from fsm_agent.interfaces.counterexamples import as_log, as_table
from fsm_agent.interfaces.logs import named_files, table_in
from fsm_agent.lifecycles.checking.walk import PROPERTIES, Walk
from fsm_agent.lifecycles.declared import table_path, tables
from fsm_agent.machine import Table
from fsm_agent.machine.checking import check

NEEDED = ("session", "tool", "turn")
"""Machines without which there is nothing to walk."""


def prove(directory: Path | None, tools: int, counterexample: Path | None) -> int:
    """Print a line for each property; return 0, or 10 if one does not hold.

    Args:
        directory: Where the tables lie; None means the shipped ones.
        tools: Calls of each answer that has any.
        counterexample: Where the first one is written as a log, if there is one.

    Raises:
        DeclarationError: If a table cannot be read, or one that is needed is missing.
        OSError: If a file cannot be read or written.
    """
    began = time.monotonic()
    found = _read(directory) if directory else {t: (tables()[t], table_path(t)) for t in tables()}
    machines = {name: table for name, (table, _) in found.items()}
    faults = [fault for table, path in found.values() for fault in check(table, path, machines)]
    _line("alone", "each table is sound by itself", len(machines), began, ok=not faults)
    for fault in faults:
        print(f"  {fault}")
    if faults:
        return 10
    began = time.monotonic()
    walk = Walk(machines, tools)
    broken = {finding.rule for finding in walk.findings}
    for rule, words in PROPERTIES.items():
        _line(rule, words, walk.counts[rule], began, ok=rule not in broken)
    for finding in walk.findings:
        print(f"\n{finding.rule}: {finding.text}")
        if finding.path:
            print(*as_table(finding.path), sep="\n")
    shown = next((finding for finding in walk.findings if finding.path), None)
    if shown and counterexample:
        with named_files(counterexample):
            counterexample.write_bytes(as_log(shown))
        print(f"\n{shown.rule} is written to {counterexample}")
    return 10 if walk.findings else 0


def _line(rule: str, words: str, count: int, began: float, *, ok: bool) -> None:
    seconds = time.monotonic() - began
    print(f"{'ok' if ok else 'NO':2}  {rule:8}  {words:71}  {count:>9,}  {seconds:.1f} s")


def _read(directory: Path) -> Mapping[str, tuple[Table, PurePath]]:
    """The tables of a directory and their files, by machine."""
    found: dict[str, tuple[Table, PurePath]] = {}
    for path in sorted(directory.iterdir()):
        if path.suffix != ".toml":
            continue
        table = table_in(path)
        if table.name != path.stem:
            raise DeclarationError(path, 1, f"the machine's name is '{table.name}', not the file's")
        found[table.name] = table, path
    for name in NEEDED:
        if name not in found:
            raise DeclarationError(directory / f"{name}.toml", 1, "there is no such table")
    return found
