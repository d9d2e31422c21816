"""Calls and results pair up under our names, whoever wrote the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest

from fsm_agent.audit import Report

Entry = dict[str, Any]
Samples = Mapping[str, list[Entry]]
Judged = Callable[..., Report]


def found(report: Report) -> list[tuple[str, int]]:
    return [(finding.rule, finding.line) for finding in report.findings]


def without(entries: list[Entry], number: int) -> list[Entry]:
    return [*entries[:number], *entries[number + 1 :]]


def claude(id_: str, *blocks: Entry, aside: bool = False) -> Entry:
    message = {"role": "assistant", "id": id_, "content": blocks}
    return {"type": "assistant", "message": message, "sessionId": "s", "isSidechain": aside}


def codex(kind: str, **more: object) -> Entry:
    return {"type": "response_item", "payload": {"type": kind, **more}}


def codex_call(id_: str, command: str) -> Entry:
    arguments = msgspec.json.encode({"command": command}).decode()
    return codex("function_call", name="shell", call_id=id_, arguments=arguments)


def codex_result(id_: str, output: object) -> Entry:
    return codex("function_call_output", call_id=id_, output=output)


SPOKEN = codex("message", role="user", content=[{"type": "input_text", "text": "go on"}])


# -- calls and results -------------------------------------------------------------------------------


def test_a_call_without_a_result_is_found_where_the_model_is_asked_again(
    samples: Samples, judged: Judged
) -> None:
    lost = without(samples["claude_code"], 4)
    assert found(judged(lost)) == [("FSA030", 6)]
    lost = [*without(samples["codex"], 6), SPOKEN]
    assert found(judged(lost)) == [("FSA030", 10)]
    _, step, last = samples["trajectory"]
    assert found(judged([{**step, "observation": None}, last])) == [("FSA030", 0)] * 2


def test_a_result_that_comes_late_is_no_second_finding(samples: Samples, judged: Judged) -> None:
    lines = samples["claude_code"]

    assert found(judged([*without(lines, 4), lines[4]])) == [("FSA030", 6)]


def test_calls_that_are_open_at_the_end_are_told(samples: Samples, judged: Judged) -> None:
    report = judged(samples["claude_code"][:4])

    assert report.exit_code == 0
    assert report.results[0].notes[-1] == "it ends with 2 calls without a result"


def test_a_result_for_nobody_or_a_second_one_is_found(samples: Samples, judged: Judged) -> None:
    lines = samples["codex"]

    assert found(judged([*lines, codex_result("z", "")])) == [("FSA031", 11)]
    assert found(judged([*lines, codex_result("a", "")])) == [("FSA030", 11)]


def test_two_open_calls_of_one_id_are_found(samples: Samples, judged: Judged) -> None:
    lines = samples["codex"][:4]

    assert found(judged([*lines, codex_call("a", "pwd")])) == [("FSA031", 5)]


def test_the_same_call_and_result_three_times_is_a_loop(samples: Samples, judged: Judged) -> None:
    pairs = [(codex_call(id_, "ls"), codex_result(id_, "x.py")) for id_ in "abc"]
    steps = [line for pair in pairs for line in pair]
    begun = samples["codex"][:2]

    assert found(judged([*begun, *steps])) == [("FSA073", 8)]
    assert found(judged([*begun, *steps[:4], SPOKEN, *steps[4:]])) == []


def test_who_works_aside_is_not_waited_for(samples: Samples, judged: Judged) -> None:
    lines = samples["claude_code"]
    call = {"type": "tool_use", "id": "x", "name": "Read", "input": {}}
    working = [claude("m", call, aside=True), claude("n", {**call, "id": "y"}, aside=True)]

    assert found(judged([*lines[:2], *working, *lines[2:]])) == []


# -- the words of each format ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Bash", {"command": "curl x"}),
        ("exec_command", {"cmd": "curl x"}),
        ("shell", {"command": ["bash", "-lc", "curl x"]}),
        ("shell", {"command": ["curl", "x"]}),
        ("execute_bash", "curl x"),
    ],
)
def test_a_shell_is_known_by_its_names(
    samples: Samples, rules: Mapping[str, str], judged: Judged, name: str, arguments: object
) -> None:
    call = {"tool_call_id": "a", "function_name": name, "arguments": arguments}
    steps = [samples["trajectory"][0], {"source": "agent", "tool_calls": [call]}]

    assert found(judged(steps, rules["no_network"])) == [("no_network", 0)]


def test_the_other_calls_of_codex(
    samples: Samples, rules: Mapping[str, str], judged: Judged
) -> None:
    action = {"type": "exec", "command": ["curl", "x"]}
    lines = [
        *samples["codex"][:2],
        codex("local_shell_call", call_id="a", action=action),
        codex_result("a", {"content": "no", "success": False}),
        codex("custom_tool_call", call_id="b", name="apply_patch", input="*** Begin"),
        codex("custom_tool_call_output", call_id="b", output="{not JSON"),
    ]
    assert found(judged(lines, rules["no_network"])) == [("no_network", 3)]


FAILED = """\
[machine]
name    = "failed"
version = 1
caption = "No command fails."
initial = "well"

[watch.events]
fails = { on = "tool_result", where = { name = "Bash", ok = false } }

[states]
well = { caption = "None has." }
ill  = { caption = "One has.", violation = true }

[rows]
F1 = { from = "well", on = "fails", to = "ill" }
F2 = { from = "ill", on = "fails" }
"""


@pytest.mark.parametrize(
    ("output", "times"),
    [
        ('{"output":"","metadata":{"exit_code":1}}', 1),
        ('{"output":"","metadata":{"exit_code":0}}', 0),
        ({"content": "", "success": False}, 1),
        ("well", 0),
    ],
)
def test_a_failed_command_of_codex_is_one(
    samples: Samples, judged: Judged, output: object, times: int
) -> None:
    lines = [*samples["codex"][:4], codex_result("a", output)]

    assert found(judged(lines, FAILED)) == [("failed", 5)] * times


def test_a_failed_tool_of_claude_code_is_one(samples: Samples, judged: Judged) -> None:
    lines = samples["claude_code"]
    block = {**lines[4]["message"]["content"][0], "is_error": True}
    failed = {**lines[4], "message": {"role": "user", "content": [block]}}

    assert found(judged([*lines[:4], failed], FAILED)) == [("failed", 5)]


def test_a_file_is_known_by_its_path(
    samples: Samples, rules: Mapping[str, str], judged: Judged
) -> None:
    said = samples["claude_code"][1]
    edit = {"type": "tool_use", "id": "a", "name": "Edit", "input": {"file_path": "/p/x.py"}}
    read = {**edit, "id": "b", "name": "Read"}

    assert found(judged([said, claude("m", read, edit)], rules["read_first"])) == []
    blind = judged([said, claude("m", edit, read)], rules["read_first"])
    assert found(blind) == [("read_first", 2)]


def test_what_a_resume_has_copied_was_paid_elsewhere(
    samples: Samples, rules: Mapping[str, str], judged: Judged
) -> None:
    said, step, last = samples["trajectory"]
    rule = rules["budget"].replace("1_000_000", "1")

    assert found(judged([said, {**step, "is_copied_context": True}, last], rule)) == []
    assert found(judged([said, step, last], rule)) == [("budget", 0)]
