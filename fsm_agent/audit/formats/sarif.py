"""A report as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from fsm_agent.audit.findings import Finding, Report, Rule, worst_first
from fsm_agent.version import __version__

LIMIT = 5000
"""Results that are given, worst first: platforms refuse or drop what is beyond."""
_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(report: Report) -> str:
    """One run with the whole catalogue of rules; paths are relative where the report's are."""
    places = {rule.id: index for index, rule in enumerate(report.rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "fsm-agent audit",
                "version": __version__,
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, places[finding.rule])
            for finding in worst_first(report.findings)[:LIMIT]
        ],
        "invocations": [
            {
                "executionSuccessful": not any(result.fault for result in report.results),
                "exitCode": report.exit_code,
                "toolExecutionNotifications": [
                    {"level": level, "message": {"text": f"{result.file}: {text}"}}
                    for result in report.results
                    for level, texts in (("note", result.notes), ("error", [result.fault]))
                    for text in texts
                    if text
                ],
            }
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.claim},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.advice},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding, place: int) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line:
        location["region"] = {"startLine": finding.line}
    return {
        "ruleId": finding.rule,
        "ruleIndex": place,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"fsmAgent/v1": finding.fingerprint},
        "properties": {"instance": finding.instance, "chain": finding.chain},
    }


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
