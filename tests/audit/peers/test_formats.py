"""Logs of other programs are judged by the rules that they say enough for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.audit import Options, Report, audit, human
from fsm_agent.audit.peers.reading import teller_of
from fsm_agent.errors import UsageError

Samples = Mapping[str, list[dict[str, Any]]]
Judged = Callable[..., Report]
Written = Callable[[list[dict[str, Any]]], Path]

SAMPLES = Path(__file__).parent / "samples"
LINES = ("claude_code", "codex")
every_format = pytest.mark.parametrize("name", [*LINES, "trajectory"])


def found(report: Report) -> list[tuple[str, int]]:
    return [(finding.rule, finding.line) for finding in report.findings]


@every_format
def test_a_good_log_is_clean_and_says_what_was_not_evaluated(
    samples: Samples, judged: Judged, name: str
) -> None:
    report = judged(samples[name])

    assert (report.exit_code, report.findings) == (0, [])
    assert report.results[0].lines == len(samples[name])
    assert report.results[0].evaluated == (
        *("FSA001", "FSA005", "FSA030", "FSA031", "FSA073", "FSA082"),
    )
    assert "holds no seals" in human(report, 999)
    assert "not evaluated: FSA002, FSA003" in human(report, 999)


@every_format
def test_a_network_command_is_found(
    samples: Samples, rules: Mapping[str, str], judged: Judged, name: str
) -> None:
    report = judged(samples[name], rules["no_network"])

    assert [finding.rule for finding in report.findings] == ["no_network"]
    assert '"command":"curl -s https://a.example"' in report.findings[0].context[-1]
    assert report.exit_code == 10


@every_format
@pytest.mark.parametrize(("over", "times"), [(0, 0), (1, 1)])
def test_each_answer_is_paid_once(
    samples: Samples, rules: Mapping[str, str], judged: Judged, name: str, over: int, times: int
) -> None:
    """Fresh tokens in at 99 and 5 out at 1, however often the log repeats them."""
    fresh = 9 if name == "claude_code" else 5
    rule = rules["budget"].replace('"usage.input" = 3, "usage.output" = 15', PRICES)
    report = judged(samples[name], rule.replace("1_000_000", str(fresh * 99 + 5 - over)))

    assert [finding.rule for finding in report.findings] == ["budget"] * times


PRICES = '"usage.input" = 99, "usage.output" = 1'


@every_format
def test_a_rule_about_what_the_log_has_no_word_for_is_not_evaluated(
    samples: Samples, rules: Mapping[str, str], judged: Judged, name: str
) -> None:
    event = rules["no_network"].split("network = ")[1].split("\n")[0]
    rule = rules["no_network"].replace(event, '{ on = "run_tool" }')
    report = judged(samples[name], rule)

    assert report.findings == []
    assert "no_network" not in report.results[0].evaluated


@every_format
def test_a_seal_that_is_expected_is_missed(samples: Samples, written: Written, name: str) -> None:
    report = audit([written(samples[name])], Options(head=f"4:{'a' * 64}"))

    assert found(report) == [("FSA004", 0)]


@every_format
def test_an_entry_of_another_form_is_told_and_passed_over(
    samples: Samples, judged: Judged, name: str
) -> None:
    strange = {"type": "user", "message": 5, "payload": 5, "source": 5}
    report = judged([*samples[name], strange])

    assert [rule for rule, _ in found(report)] == ["FSA082"]
    assert report.exit_code == 0


# -- which files -------------------------------------------------------------------------------------


def test_a_directory_is_searched_for_them(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES, tmp_path / "deep" / "down")
    (tmp_path / "other.json").write_text("{}")

    assert len(audit([tmp_path]).results) == 3


def test_what_no_program_that_is_known_wrote_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"type":"user","message":{"content":"hi"}}\n')
    report = audit([other])

    assert report.exit_code == 6
    assert "nor one of Claude Code or Codex, nor ATIF" in report.findings[0].message
    with pytest.raises(UsageError):
        audit([tmp_path])


def test_what_cannot_be_opened_is_of_no_program(tmp_path: Path) -> None:
    assert teller_of(tmp_path / "nothing") is None


# -- damage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_no_json_is_found_and_passed_over(
    samples: Samples, written: Written, name: str
) -> None:
    path = written(samples[name])
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:3], bytes(30), b"", *lines[3:]]))
    report = audit([path])

    assert found(report) == [("FSA001", 4)]
    assert report.exit_code == 3
    assert report.results[0].lines == len(samples[name])


@pytest.mark.parametrize("name", LINES)
def test_a_last_line_that_is_cut_short_is_a_torn_tail(
    samples: Samples, written: Written, name: str
) -> None:
    path = written(samples[name])
    path.write_bytes(path.read_bytes()[:-9])
    report = audit([path])

    assert found(report) == [("FSA005", len(samples[name]))]
    assert report.exit_code == 5


def test_a_trajectory_that_is_cut_short_is_damaged(samples: Samples, written: Written) -> None:
    path = written(samples["trajectory"])
    path.write_bytes(path.read_bytes()[:-9])
    report = audit([path])

    assert found(report) == [("FSA001", 0)]
    assert report.exit_code == 3


@pytest.mark.parametrize("name", LINES)
def test_lines_that_end_as_another_system_ends_them_are_read(
    samples: Samples, written: Written, name: str
) -> None:
    path = written(samples[name])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert audit([path]).exit_code == 0


def test_a_line_without_end_is_not_held_in_memory(samples: Samples, written: Written) -> None:
    path = written(samples["codex"])
    with path.open("ab") as file:
        file.truncate(path.stat().st_size + (65 << 20))

    assert found(audit([path])) == [("FSA001", len(samples["codex"]) + 1)]


@pytest.mark.parametrize(
    "raw", ['{"schema_version":"ATIF-v1.4"}', '{"schema_version":"ATIF-v1.4","steps":[]}{}']
)
def test_a_trajectory_of_which_nothing_is_understood_is_not_clean(raw: str, tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text(raw, encoding="utf-8")

    report = audit([path])

    assert report.exit_code == 3
    assert [finding.rule for finding in report.findings] == ["FSA001"]


def test_what_is_no_json_is_damage_wherever_its_form_goes_wrong(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    known = '{"type":"user","message":{"role":"user","content":"hi"},"sessionId":"s"}\n'
    path.write_text(f'{known}{{"type":"user","message":{"[" * 100_000}\n', encoding="utf-8")

    report = audit([path])

    assert report.exit_code == 3
    assert [(finding.rule, finding.line) for finding in report.findings] == [("FSA001", 2)]
