"""A report as JUnit XML: a suite a log, a case a rule."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from fsm_agent.audit.findings import Report, Result, Rule

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold at all."""


def junit(report: Report) -> str:
    """XML that CI systems read; a rule that was not evaluated is a skipped case."""
    suites = ET.Element("testsuites", name="fsm-agent audit")
    for result in report.results:
        suites.append(_suite(result, report.rules))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _suite(result: Result, rules: tuple[Rule, ...]) -> ET.Element:
    suite = ET.Element("testsuite", name=_legal(result.file))
    failed = skipped = 0
    for rule in rules:
        case = ET.SubElement(suite, "testcase", classname=_legal(result.file), name=rule.id)
        if count := result.counts.get(rule.id, 0):
            failed += 1
            found = [f for f in result.findings if f.rule == rule.id]
            failure = ET.SubElement(case, "failure", type=rule.severity)
            failure.set("message", f"{rule.claim} ({count} times not)")
            failure.text = "\n".join(_legal(f"{f.file}:{f.line}: {f.message}") for f in found)
        elif rule.id not in result.evaluated:
            skipped += 1
            ET.SubElement(case, "skipped", message="not evaluated")
    if result.fault:
        ET.SubElement(suite, "system-err").text = _legal(f"our own fault: {result.fault}")
    suite.set("tests", str(len(rules)))
    suite.set("failures", str(failed))
    suite.set("errors", str(int(bool(result.fault))))
    suite.set("skipped", str(skipped))
    return suite


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
