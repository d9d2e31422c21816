"""A report as annotations of a GitHub job."""

from __future__ import annotations

from fsm_agent.audit.findings import SEVERITIES, Finding, Report, worst_first

LIMIT = 10
"""Annotations of each level that a job shows."""
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def github(report: Report) -> str:
    """Workflow commands, at most ten of each level, and a line that sums up."""
    lines: list[str] = []
    for severity in reversed(SEVERITIES):
        found = [f for f in worst_first(report.findings) if f.severity == severity]
        lines += [_annotation(finding) for finding in found[:LIMIT]]
    lines += [
        f"::error file={_property(result.file)}::{_text('our own fault: ' + result.fault)}"
        for result in report.results
        if result.fault
    ]
    findings = sum(n for result in report.results for n in result.counts.values())
    events = sum(result.lines for result in report.results)
    lines.append(
        f"fsm-agent audit: {findings} findings in {events} events of {len(report.results)} logs, "
        f"exit code {report.exit_code}"
    )
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding) -> str:
    place = f"file={_property(finding.file)}"
    if finding.line:
        place += f",line={finding.line}"
    return f"::{_LEVELS[finding.severity]} {place},title={finding.rule}::{_text(finding.message)}"


def _text(text: str) -> str:
    """As a command takes it; else what a log holds could steer the page or begin a command."""
    shown = "".join(c if c.isprintable() or c in "\r\n" else ascii(c)[1:-1] for c in text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
