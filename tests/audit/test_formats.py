"""Each format says the same, in the shape that its readers expect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from sarif_pydantic import Sarif
from syrupy.assertion import SnapshotAssertion

from fsm_agent.audit import (
    Finding,
    Options,
    Report,
    Result,
    Rule,
    as_json,
    audit,
    github,
    human,
    junit,
    sarif,
)
from fsm_agent.audit.catalogue import RULES

LOG = "test_a_turn_without_a_person_in_between[one tool]"


@pytest.fixture
def report(
    logs: Mapping[str, bytes],
    opened: Callable[[bytes], Any],
    sealed: Callable[[Any], bytes],
    write: Callable[[bytes], Path],
) -> Report:
    """Of two logs: one with a wrong result and an unknown type, one with a torn tail."""
    batches = opened(logs[LOG])
    for line in (line for batch in batches for line in batch):
        if line["type"] == "tool_result":
            line["id"] = "call_of_another"
        if line["type"] == "text":
            line["type"] = "spoken_word"
    paths = [write(sealed(batches)), write(logs[LOG][:-20])]
    return audit(paths, Options(root=paths[0].parents[1]))


def flooded() -> Report:
    """More findings than any reader wants, in a file with an awkward name."""
    rule = Rule("own", "error", "It holds.", "It matters.", "Mend it.")
    result = Result("a b,c:ü%.jsonl", lines=9, evaluated=("own",))
    for number in range(60):
        message = f"no {number}\nsecond line \x00 <&> 100%"
        result.add(Finding("own", "error", result.file, number + 1, message, seq=number))
    return Report([result], (rule,))


def test_people_are_told_by_rule_with_context_and_causes(
    report: Report, snapshot: SnapshotAssertion
) -> None:
    assert human(report) == snapshot


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_asked_for(report: Report, width: int) -> None:
    wide = [line for line in human(report, width).splitlines() if len(line) > width]

    assert [line for line in wide if " " in line.strip()] == []


def test_nothing_in_a_log_can_steer_the_terminal() -> None:
    message = "a\x1b[2J\x9b1m\u202eb\nc"
    result = Result("x\x1b]0;t\x07", findings=[Finding("FSA031", "error", "x", 1, message)])
    text = human(Report([result], RULES))

    assert all(c.isprintable() for c in text.replace("\n", ""))
    assert r"a\x1b[2J\x9b1m\u202eb\nc" in text


def test_what_is_too_much_to_show_is_counted() -> None:
    text = human(flooded())

    assert text.count("ü%.jsonl:") == 10
    assert "… and 50 more" in text
    assert "60 findings" in text


def test_json_holds_all_of_it(report: Report) -> None:
    whole = json.loads(as_json(report))

    assert whole["exit_code"] == 10
    assert [entry["file"] for entry in whole["inputs"]] == [
        "session-0/events.jsonl",
        "session-1/events.jsonl",
    ]
    assert whole["inputs"][1]["counts"] == {"FSA005": 1}
    assert len(whole["findings"]) == len(report.findings)
    one = next(f for f in whole["findings"] if f["rule"] == "FSA031")
    assert one["line"] == one["seq"] + 1
    assert len(one["fingerprint"]) == 64
    assert len(one["context"]) == 3


def test_junit_has_a_suite_a_log_and_a_case_a_rule(report: Report) -> None:
    suites = ET.fromstring(junit(report))

    assert len(suites) == 2
    for suite in suites:
        assert suite.get("tests") == str(len(RULES)) == str(len(suite.findall("testcase")))
    cases = {case.get("name"): case for case in suites[0]}
    assert cases["FSA031"].find("failure") is not None
    assert cases["FSA032"].find("skipped") is not None
    assert len(cases["FSA010"]) == 0
    assert suites[1].get("failures") == "1"


def test_junit_is_xml_whatever_a_message_holds() -> None:
    failure = ET.fromstring(junit(flooded())).find(".//failure")

    assert failure is not None
    assert "(60 times not)" in (failure.get("message") or "")
    assert len((failure.text or "").splitlines()) == 100


def test_sarif_is_of_its_schema(report: Report) -> None:
    log = Sarif.model_validate_json(sarif(report))
    run = log.runs[0]

    assert log.version == "2.1.0"
    assert [rule.id for rule in run.tool.driver.rules or ()] == [rule.id for rule in RULES]
    assert len(run.results or ()) == len(report.findings)


def test_sarif_points_at_the_line_with_a_relative_path(report: Report) -> None:
    results = json.loads(sarif(report))["runs"][0]["results"]
    one = next(result for result in results if result["ruleId"] == "FSA031")
    place = one["locations"][0]["physicalLocation"]
    finding = next(f for f in report.findings if f.rule == "FSA031")

    assert place == {
        "artifactLocation": {"uri": "session-0/events.jsonl"},
        "region": {"startLine": finding.seq + 1},
    }
    assert one["partialFingerprints"] == {"fsmAgent/v1": finding.fingerprint}
    assert RULES[one["ruleIndex"]].id == "FSA031"
    assert one["level"] == "error"


def test_sarif_escapes_a_file_s_name() -> None:
    log = json.loads(sarif(flooded()))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]

    assert place["artifactLocation"]["uri"] == "a%20b%2Cc%3A%C3%BC%25.jsonl"


def test_github_gets_ten_annotations_a_level_and_a_sum() -> None:
    lines = github(flooded()).splitlines()

    assert len(lines) == 11
    assert lines[0] == (
        "::error file=a b%2Cc%3Aü%25.jsonl,line=1,title=own::no 0%0Asecond line \\x00 <&> 100%25"
    )
    assert lines[-1] == "fsm-agent audit: 60 findings in 9 events of 1 logs, exit code 10"


def test_github_tells_levels_apart(report: Report) -> None:
    levels = [line.split(" ")[0] for line in github(report).splitlines()[:-1]]

    assert levels == sorted(levels, key=["::error", "::warning", "::notice"].index)
    assert set(levels) == {"::error", "::warning", "::notice"}


@pytest.mark.parametrize("form", [human, as_json, junit, sarif, github])
def test_the_same_report_gives_the_same_text(form: Callable[[Report], str], report: Report) -> None:
    assert form(report) == form(report)
    assert form(report).endswith("\n")


@pytest.mark.parametrize("form", [human, as_json, junit, sarif, github])
def test_a_fault_of_ours_is_in_every_format(form: Callable[[Report], str]) -> None:
    assert "bug here" in form(Report([Result("x", fault="bug here")], RULES))
