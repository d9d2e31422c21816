"""A report for people: grouped by rule, no wider than asked for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from fsm_agent.audit.findings import Finding, Report, Result, Rule, worst_first

SHOWN = 10
"""Findings of one rule in one log that are shown whole."""


def human(report: Report, width: int = 80) -> str:
    """Tell what was found, worst first, and what to do about it.

    Args:
        report: What an audit gave.
        width: Columns; lines of the log are cut there, all else is wrapped.
    """
    lines: list[str] = []
    groups: dict[str, list[Finding]] = {}
    for finding in worst_first(report.findings):
        groups.setdefault(finding.rule, []).append(finding)
    for id_, findings in groups.items():
        lines += [*_group(report, report.rule(id_), findings, width), ""]
    for result in report.results:
        lines += _aside(result, width)
    lines += _foot(report, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _group(report: Report, rule: Rule, findings: list[Finding], width: int) -> Iterator[str]:
    yield from _wrapped(f"{rule.id} {rule.severity}: {rule.claim}", width, hang="  ")
    for finding in findings[:SHOWN]:
        yield from _finding(finding, width)
    count = sum(result.counts.get(rule.id, 0) for result in report.results)
    if count > SHOWN:
        yield f"  … and {count - min(len(findings), SHOWN)} more"
    yield from _wrapped(f"Why: {rule.why}", width, "  ", "       ")
    yield from _wrapped(f"Do:  {rule.advice}", width, "  ", "       ")


def _finding(finding: Finding, width: int) -> Iterator[str]:
    where = f"{finding.file}:{finding.line}" if finding.line else finding.file
    who = f" [{finding.instance}]" if finding.instance else ""
    yield from _wrapped(f"{where}{who} {finding.message}", width, "  ", "    ")
    for text in finding.context:
        yield _cut(f"    | {text}", width)
    if len(finding.chain) > 1:
        yield from _wrapped(" ← ".join(finding.chain), width, "    ", "      ")


def _aside(result: Result, width: int) -> Iterator[str]:
    if result.fault:
        text = f"{result.file}: our own fault, the audit is not whole: {result.fault}"
        yield from _wrapped(text, width, hang="  ")
    for note in result.notes:
        yield from _wrapped(f"{result.file}: {note}", width, hang="  ")


def _foot(report: Report, width: int) -> Iterator[str]:
    results = report.results
    evaluated = {id_ for result in results for id_ in result.evaluated}
    left_out = [rule.id for rule in report.rules if rule.id not in evaluated]
    counted = [
        _count(sum(result.lines for result in results), "event"),
        _count(sum(result.sessions for result in results), "run"),
        _count(len(results), "log"),
        _count(len(evaluated), "rule"),
        _count(sum(n for result in results for n in result.counts.values()), "finding"),
    ]
    tail = f"; not evaluated: {', '.join(left_out)}" if left_out else ""
    yield from _wrapped(f"{', '.join(counted)}{tail}", width, hang="  ")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _wrapped(text: str, width: int, first: str = "", hang: str = "") -> list[str]:
    return textwrap.wrap(
        _printable(text),
        max(width, 20),
        initial_indent=first,
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _printable(text: str) -> str:
    """A log may hold what steers a terminal; a report never does."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _cut(text: str, width: int) -> str:
    text = _printable(text)
    return text if len(text) <= width else text[: width - 1] + "…"
