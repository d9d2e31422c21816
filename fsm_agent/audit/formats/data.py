"""A report as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

from fsm_agent.audit.covering import as_data
from fsm_agent.audit.findings import Report
from fsm_agent.lifecycles.declared import tables
from fsm_agent.version import __version__

SCHEMA = 1
"""Raised when a field goes or changes its meaning; new fields do not raise it."""


def as_json(report: Report) -> str:
    """One object, indented; its fields are documented in `docs/reference/rules.md`."""
    whole: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": {"name": "fsm-agent", "version": __version__},
        "exit_code": report.exit_code,
        "inputs": [
            {
                "file": result.file,
                "events": result.lines,
                "runs": result.sessions,
                "counts": result.counts,
                "evaluated": result.evaluated,
                "notes": result.notes,
                "fault": result.fault,
            }
            for result in report.results
        ],
        "findings": [
            {**msgspec.structs.asdict(finding), "fingerprint": finding.fingerprint}
            for finding in report.findings
        ],
    }
    if (counts := report.coverage) is not None:
        whole["coverage"] = as_data(counts, tables())
    return msgspec.json.format(msgspec.json.encode(whole), indent=2).decode() + "\n"
