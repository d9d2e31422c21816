"""What other tables or settings would change is found; nothing else."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from fsm_agent.log.reading import read
from fsm_agent.testing.program import Ended, Program

TESTS = Path(__file__).parents[1]
GOOD = TESTS / "replays" / "1" / "good"
ONE_TOOL = GOOD / "one-tool.jsonl"
STATES = TESTS.parent / "states"

WhatIf: TypeAlias = Callable[..., Ended]


@pytest.fixture
def what_if(verb: Callable[..., Ended], tmp_path: Path) -> WhatIf:
    """Verify a log with these settings."""

    def run(settings: str, *arguments: str, log: str = "one-tool") -> Ended:
        file = tmp_path / "settings.toml"
        file.write_text(settings, encoding="utf-8")
        path = str(GOOD / f"{log}.jsonl")
        return verb("replay", path, "--verify", "--with", f"settings={file}", *arguments)

    return run


@pytest.fixture
def states(tmp_path: Path) -> Path:
    """The shipped tables, one row of the turn under another name."""
    copy = shutil.copytree(STATES, tmp_path / "states")
    turn = (copy / "turn.toml").read_text(encoding="utf-8")
    (copy / "turn.toml").write_text(turn.replace("T70 ", "T99 "), encoding="utf-8")
    return copy


def test_one_request_a_turn_leaves_a_turn_with_a_tool_exhausted(what_if: WhatIf) -> None:
    ended = what_if("max_turns = 1")

    assert ended.code == 4
    assert b"line 27 (batch 4): another row is taken" in ended.out
    assert b'"to":"exhausted"' in ended.out
    assert b"steps: recorded left, now spent" in ended.out


def test_a_mode_that_only_reads_denies_what_was_run(what_if: WhatIf) -> None:
    ended = what_if('permission = "read"', log="standing-yes")

    assert ended.code == 4
    assert b"verdict: recorded ask, now deny" in ended.out


def test_fewer_tries_fail_a_turn_that_was_tried_again(what_if: WhatIf) -> None:
    ended = what_if("max_retries = 0", log="retry")

    assert ended.code == 4
    assert b"help: recorded waiting, now nothing" in ended.out


def test_a_shorter_limit_cuts_a_result(what_if: WhatIf) -> None:
    ended = what_if("result_limit = 3", "--continue")

    assert ended.code == 4
    assert b"tool_result tool-1.1 content=done" in ended.out


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A session whose context was cut before three of its requests."""
    log = TESTS / "runtime" / "__snapshots__" / "test_cuts" / "test_a_cut_that_pays.jsonl"
    return Path(shutil.copy(log, tmp_path / "events.jsonl"))


def test_what_cuts_have_saved_is_told_in_tokens_and_money(
    cut: Path, verb: Callable[..., Ended], tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[economy]\nautomatic = false\n", encoding="utf-8")
    ended = verb("replay", str(cut), "--verify", "--with", f"settings={file}", "--continue")

    assert ended.code == 4
    assert b"row=T11 to=compact cut=yes" in ended.out
    figures = {
        name.decode(): (int(was.replace(b",", b"")), int(now.replace(b",", b"")))
        for name, was, now in re.findall(
            rb"^([a-z -]+?) +([\d,]+) +([\d,]+)$", ended.out, re.MULTILINE
        )
    }
    assert figures["summaries among them"] == (3, 0)
    assert figures["requests"] == (11, 8)
    assert figures["cached tokens"][0] < figures["cached tokens"][1]
    assert figures["micro-dollars"][0] < figures["micro-dollars"][1]


def test_where_no_price_is_known_no_cost_is_made_up(
    cut: Path, verb: Callable[..., Ended], tmp_path: Path
) -> None:
    by_hand = TESTS / "runtime" / "__snapshots__" / "test_cuts" / "test_a_cut_by_hand.jsonl"
    shutil.copy(by_hand, cut)
    file = tmp_path / "settings.toml"
    file.write_text("[economy]\nautomatic = true\nwindow = 2000\n", encoding="utf-8")
    ended = verb("replay", str(cut), "--verify", "--with", f"settings={file}")

    assert re.search(rb"^micro-dollars +\? +\?$", ended.out, re.MULTILINE)


def test_a_wrong_weight_is_refused(what_if: WhatIf) -> None:
    ended = what_if('[economy]\nkep = "0.5"')

    assert ended.code == 2
    assert "there is no setting 'kep'; did you mean 'keep'?" in ended.err


def test_the_same_settings_change_nothing(what_if: WhatIf) -> None:
    ended = what_if('retry_base_ms = 2\npermission = "allow"')

    assert ended.code == 0
    assert b"nothing would differ" in ended.out


@pytest.mark.parametrize("log", sorted(path.stem for path in GOOD.glob("*.jsonl")))
def test_settings_that_nothing_asks_for_change_nothing(log: str, what_if: WhatIf) -> None:
    """Though they are a part of the state that the seals name."""
    assert what_if("retry_after_cap_ms = 7_000_000", log=log).code == 0


def test_going_on_puts_all_differences_into_a_table(what_if: WhatIf) -> None:
    ended = what_if("max_turns = 1", "--continue")

    assert ended.code == 4
    head, first, second, counts, _ = ended.out.decode().splitlines()
    assert head.split() == ["line", "kind", "was", "is", "now"]
    assert re.split(r" {2,}", first.strip()) == [
        "27",
        "transition",
        "transition turn-1 row=T70 to=compact steps=left",
        "transition turn-1 row=T71 to=exhausted steps=spent",
    ]
    assert second.split()[:2] == ["39", "transition"]
    assert counts == "2 transition"


def test_another_model_is_another_request_each_time(what_if: WhatIf) -> None:
    ended = what_if('model = "other"', "--continue")

    requests = ONE_TOOL.read_bytes().count(b'"type":"send_request"')
    assert ended.out.splitlines()[-2].decode() == f"{requests} request"


def test_going_on_goes_on_as_recorded(states: Path, verb: Callable[..., Ended]) -> None:
    """A difference does not lead to others: each is one that the tables make anew."""
    logs = GOOD.glob("*.jsonl")
    for log in logs:
        taken = log.read_bytes().count(b'"row":"T70"')
        ended = verb("replay", str(log), "--verify", "--continue", "--with", f"states={states}")

        assert ended.code == (4 if taken else 0)
        assert ended.out.count(b"row=T99") == taken
        assert f"of {len(list(read(log)))} batches differ".encode() in ended.out or not taken


def test_tables_and_settings_go_together(
    states: Path, tmp_path: Path, verb: Callable[..., Ended]
) -> None:
    (tmp_path / "s,x.toml").write_text("max_turns = 1", encoding="utf-8")
    both = f"states={states},settings={tmp_path / 's,x.toml'}"

    ended = verb("replay", str(ONE_TOOL), "--verify", "--continue", "--with", both)

    assert b"row=T71 to=exhausted" in ended.out


WRONG = {
    "max_turn = 1": "there is no setting 'max_turn'; did you mean 'max_turns'?",
    "retries = 1": "did you mean 'max_retries'?",
    'max_turns = "1"': "'max_turns': Expected `int`, got `str`",
    "person = 1": "'person': Expected `bool`, got `int`",
    'permission = "all"': "'permission': Invalid enum value 'all'",
    'protocol = "carrier pigeon"': "unknown protocol 'carrier pigeon'",
    "max_turns": "not TOML",
}


@pytest.mark.parametrize("settings", WRONG)
def test_wrong_settings_are_refused_with_what_was_meant(settings: str, what_if: WhatIf) -> None:
    ended = what_if(settings)

    assert (ended.code, ended.out) == (2, b"")
    assert WRONG[settings] in ended.err


@pytest.mark.parametrize("given", ["x=1", "states=", "settings=a,settings=b", "", "states"])
def test_what_is_not_understood_is_refused(given: str, verb: Callable[..., Ended]) -> None:
    ended = verb("replay", str(ONE_TOOL), "--verify", "--with", given)

    assert ended.code == 2
    assert "--with takes states=DIR, settings=FILE or both" in ended.err


def test_a_table_with_a_word_of_another_version_is_no_fault_of_ours(
    states: Path, verb: Callable[..., Ended]
) -> None:
    turn = (states / "turn.toml").read_text(encoding="utf-8")
    (states / "turn.toml").write_text(turn.replace('"user_line"', '"fanfare"'), encoding="utf-8")

    ended = verb("replay", str(ONE_TOOL), "--verify", "--with", f"states={states}")

    assert ended.code == 4
    assert b"'fanfare' is not known here" in ended.out


@pytest.mark.parametrize("given", ["settings=pipe", "settings=/dev/zero", "states=."])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(
    given: str, program: Program, verb: Callable[..., Ended]
) -> None:
    os.mkfifo(program.cwd / "pipe")
    (program.cwd / "turn.toml").symlink_to("pipe")

    ended = verb("replay", str(ONE_TOOL), "--verify", "--with", given)
    checked = verb("states", "check", "--table-dir", ".")

    assert (ended.code, checked.code) == (2, 2)
    assert "a pipe or a device" in ended.err
    assert "a pipe or a device" in checked.err


def test_a_table_that_is_no_text_is_refused(program: Program, verb: Callable[..., Ended]) -> None:
    (program.cwd / "turn.toml").write_bytes(b"\xff")

    ended = verb("replay", str(ONE_TOOL), "--verify", "--with", "states=.")

    assert (ended.code, "turn.toml:1: not UTF-8" in ended.err) == (6, True), ended.err
