"""What an audit says: rules, findings, the result of a log, the report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec

from fsm_agent.audit.counting import Counts

Severity: TypeAlias = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the mildest to the worst."""
FOUND = 10
"""The exit code for findings that say nothing of the log's own soundness."""
PRECEDENCE = (7, 3, 6, 4, FOUND, 5, 0)
"""Exit codes of an audit; of several that apply, the first in this order is given."""
KEPT = 50
"""Findings of one rule in one log that are kept; the others are only counted."""


class Rule(msgspec.Struct, frozen=True):
    """Something that a log must never show.

    Attributes:
        id: Stable name; never given anew.
        severity: How bad a breach is.
        claim: What holds in every good log, in one sentence.
        why: What goes wrong where it does not hold.
        advice: What to do about a finding.
        exit: The exit code that a finding leads to.
    """

    id: str
    severity: Severity
    claim: str
    why: str
    advice: str
    exit: int = FOUND


class Finding(msgspec.Struct, frozen=True):
    """One breach of a rule.

    Attributes:
        rule: The rule's id.
        severity: The rule's severity.
        file: The log, as it is named in reports.
        line: Where it shows in the file, from 1; 0: in no line (a file beside the log).
        seq: The line's `seq`; -1 where no line could be read.
        instance: Whom the line speaks of; empty if of nobody.
        subject: The row that was taken, or the type of the line.
        message: What is wrong.
        context: The line before, the line, the line after, shortened.
        chain: The line and what caused it, back to the input.
    """

    rule: str
    severity: Severity
    file: str
    line: int
    message: str
    seq: int = -1
    instance: str = ""
    subject: str = ""
    context: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """The same for the same breach in another run: it holds no number and no digest."""
        machine = self.instance.partition("-")[0]
        words = _VARYING.sub("#", self.message)
        return sha256(f"{self.rule}\0{machine}\0{self.subject}\0{words}".encode()).hexdigest()


_VARYING = re.compile(r"\b[0-9a-f]{16,64}\b|\d+")


class Result(msgspec.Struct):
    """What the audit of one log gave.

    Attributes:
        file: The log, as it is named in reports.
        lines: How many lines were proved and looked at.
        sessions: How many times a run began in it.
        findings: The breaches, in the order of the log; of each rule at most `KEPT`.
        counts: How many findings there were of each rule.
        evaluated: The rules that were looked at.
        notes: What a reader of the result must know.
        coverage: What was taken of the tables, if that was asked for.
        fault: What went wrong in the audit itself; empty if nothing did.
    """

    file: str
    lines: int = 0
    sessions: int = 0
    findings: list[Finding] = msgspec.field(default_factory=list)
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    evaluated: tuple[str, ...] = ()
    notes: list[str] = msgspec.field(default_factory=list)
    coverage: Counts | None = None
    fault: str = ""

    def add(self, finding: Finding) -> None:
        """Keep a finding, or only count it."""
        count = self.counts[finding.rule] = self.counts.get(finding.rule, 0) + 1
        if count <= KEPT:
            self.findings.append(finding)


class Report(msgspec.Struct):
    """What an audit gave, over all logs.

    Attributes:
        results: One for each log, in the order they were named.
        rules: The whole catalogue, the team's own rules behind the built-in ones.
        severity: The mildest severity that fails.
    """

    results: list[Result]
    rules: tuple[Rule, ...]
    severity: Severity = "error"

    @property
    def findings(self) -> list[Finding]:
        """All findings that were kept."""
        return [finding for result in self.results for finding in result.findings]

    @property
    def coverage(self) -> Counts | None:
        """What was taken of the tables, over all logs, if that was asked for."""
        counted = [result.coverage for result in self.results if result.coverage is not None]
        return Counts.merged(counted) if counted else None

    @property
    def exit_code(self) -> int:
        """The one exit code for all of it."""
        failing = SEVERITIES[SEVERITIES.index(self.severity) :]
        rules = {rule.id: rule for rule in self.rules}
        codes = {7 for result in self.results if result.fault}
        for result in self.results:
            for id_ in result.counts:
                rule = rules[id_]
                if rule.exit != FOUND or rule.severity in failing:
                    codes.add(rule.exit)
        return next(code for code in PRECEDENCE if code in codes or not code)

    def rule(self, id_: str) -> Rule:
        """A rule by its id."""
        return next(rule for rule in self.rules if rule.id == id_)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by severity, worst first, otherwise in their order."""
    return sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))
