"""A team's own rules are machines that events move."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

import pytest

from fsm_agent.audit import Options, audit
from fsm_agent.audit.rulefiles import Watcher, built_in, read_watcher
from fsm_agent.errors import DeclarationError, UsageError
from fsm_agent.testing.stage import Stage, say

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "audit-in-ci.md"
EXAMPLES = {
    match[1]: match[2]
    for match in re.finditer(
        r"`(\w+\.toml)`:\n\n```toml\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL
    )
}


async def told(tmp_path: Path, rules: str, script: str) -> list[tuple[str, str]]:
    """What the rules find in a session with this script: instance and message."""
    file = tmp_path / "rules.toml"
    file.write_text(rules, encoding="utf-8")
    stage = Stage(tmp_path, script)
    await stage.play(say("go"))
    report = audit([stage.directory], Options(rules=(file,)))
    assert {finding.rule for finding in report.findings} <= {read(rules).table.name}
    assert report.exit_code == (10 if report.findings else 0)
    return [(finding.subject, finding.message) for finding in report.findings]


def read(rules: str) -> Watcher:
    return read_watcher(rules, PurePath("rules.toml"))


def calls(*lines: str) -> str:
    return "".join(f"---\ncall: {line}\n" for line in lines) + "---\ntext: Done."


def test_the_how_to_has_three_examples() -> None:
    assert sorted(EXAMPLES) == ["budget.toml", "no_network.toml", "read_first.toml"]


async def test_each_network_command_is_found(tmp_path: Path) -> None:
    script = calls(
        'Bash {"command": "ls && curl -s https://a.example"}',
        'Bash {"command": "echo curly"}',
        'Read {"path": "curl"}',
        'Bash {"command": "ssh host true"}',
    )
    found = await told(tmp_path, EXAMPLES["no_network.toml"], script)

    assert found == [("tool_call", "A command reached for the network.")] * 2


async def test_a_write_before_the_read_of_that_path_is_found(tmp_path: Path) -> None:
    script = calls(
        'Read {"path": "a"}', 'Edit {"path": "a"}', 'Edit {"path": "b"}', 'Read {"path": "b"}'
    )
    found = await told(tmp_path, EXAMPLES["read_first.toml"], script)

    assert found == [("tool_call", "It was changed before it was read.")]


@pytest.mark.parametrize(("tokens", "times"), [(3_000, 0), (300_000, 1)])
async def test_what_costs_too_much_is_found_once(tmp_path: Path, tokens: int, times: int) -> None:
    steps = (f'---\ncall: Read {{"path": "{n}"}}\nusage: {tokens} 10\n' for n in range(3))
    found = await told(tmp_path, EXAMPLES["budget.toml"], f"{''.join(steps)}---\ntext: Done.")

    assert found == [("completed", "The session costs more than it may.")] * times


WATCHER = """\
[machine]
name    = "quiet"
version = 1
caption = "Nothing is run."
initial = "still"

[watch.events]
runs = { on = "run_tool", where = { name = "Bash" } }

[states]
still = { caption = "Nothing has been run." }
loud  = { caption = "Something was run.", violation = true }

[rows]
R1 = { from = "still", on = "runs", to = "loud" }
"""


def changed(old: str, new: str) -> str:
    assert WATCHER.count(old) == 1
    return WATCHER.replace(old, new)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (changed('"run_tool"', '"runs_tool"'), "7: event 'runs': there is no type of line 'runs_"),
        (changed("name = ", "nome = "), "7: event 'runs': a line of type 'run_tool' has no field"),
        (changed("where", "matches").replace('"Bash"', '"("'), "is no regular expression"),
        (changed('on = "runs",', 'on = "run",'), "R1: 'run' is no event of"),
        (changed('to = "loud"', 'to = "loud", emits = ["stop"]'), "neither emits nor sends"),
        (changed(", violation = true", ", final = true"), "no state has violation = true"),
        (changed('to = "loud"', 'to = "lout"'), "state 'loud' is never reached"),
        (changed("[watch.events]", "[watch.event]"), "7: [watch]"),
        (changed("[rows]", 'x = { of = ["a", "b"], caption = "?" }\n[rows]'), "x"),
    ],
)
def test_a_rule_file_that_cannot_work_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        read(text)

    assert why in str(refused.value)
    assert str(refused.value).startswith("rules.toml:")


def test_a_rule_file_that_is_not_there_is_wrong_usage(
    tmp_path: Path, logs: Mapping[str, bytes], write: Callable[[bytes], Path]
) -> None:
    log = write(next(iter(logs.values())))

    with pytest.raises(UsageError, match="no such rules"):
        audit([log], Options(rules=(tmp_path / "no such rules",)))


async def test_instances_are_kept_apart_by_the_field_that_is_named(tmp_path: Path) -> None:
    twice = changed("[watch.events]", '[watch]\nper = "instance"\n\n[watch.events]')
    script = calls('Bash {"command": "a"}', 'Bash {"command": "b"}')

    assert len(await told(tmp_path, twice, script)) == 2


async def test_without_one_the_whole_log_is_one_instance(tmp_path: Path) -> None:
    script = calls('Bash {"command": "a"}', 'Bash {"command": "b"}')

    assert len(await told(tmp_path, WATCHER, script)) == 1


def test_the_built_in_rules_that_can_be_are_watchers() -> None:
    assert [watcher.table.name for watcher in built_in()] == ["FSA023", "FSA040", "FSA042"]


RULE = """\
[machine]
name = "mine"
version = 1
caption = "No command."
initial = "quiet"
[watch.events]
ran = { on = "tool_call" }
[states]
quiet = { caption = "None." }
loud = { caption = "One.", violation = true }
[rows]
N1 = { from = "quiet", on = "ran", to = "loud" }
N2 = { from = "loud", on = "ran" }
"""


@pytest.mark.parametrize("name", ["FSA001", "FSA040"])
def test_a_rule_may_not_take_the_name_of_another(name: str, tmp_path: Path) -> None:
    for file, text in (("a", RULE), ("b", RULE), ("c", RULE.replace("mine", name))):
        (tmp_path / file).write_text(text, encoding="utf-8")
    session = tmp_path / "events.jsonl"
    session.touch()

    audit([session], Options(rules=(tmp_path / "a", tmp_path / "a")))
    for rules in (("a", "b"), ("c",)):
        with pytest.raises(UsageError, match="another rule is called"):
            audit([session], Options(rules=tuple(tmp_path / file for file in rules)))


def test_a_pipe_or_a_device_is_no_rule_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(UsageError, match="a pipe or a device"):
            audit([tmp_path], Options(rules=(path,)))


def test_an_event_of_no_type_is_refused() -> None:
    with pytest.raises(DeclarationError, match="names no type of line"):
        read(RULE.replace('"tool_call"', "[]"))
