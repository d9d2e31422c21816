"""The history keeps whole lines, whoever else writes to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.interfaces.terminal.line.history import READ, LineHistory

CTRL_D, CTRL_R = "\x04", "\x12"
ANSWER = "text: All is well.\n"
WRITER = """
import sys
from pathlib import Path
from fsm_agent.interfaces.terminal.line.history import LineHistory
history = LineHistory(Path(sys.argv[1]), str)
for number in range(200):
    history.store_string(f"{sys.argv[2]}\\n{number}" + "x" * 500)
"""

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


def kept(path: Path) -> list[str]:
    return list(LineHistory(path, str).load_history_strings())


@given(texts=st.lists(st.text(st.characters(codec="utf-8")), unique=True))
def test_what_is_stored_is_loaded_newest_first(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("history") / "history"
    for text in texts:
        LineHistory(path, str).store_string(text)

    assert kept(path) == texts[::-1]


def test_each_text_is_there_once_where_it_was_last(tmp_path: Path) -> None:
    history = LineHistory(tmp_path / "history", str)
    for text in ("one", "two", "one"):
        history.store_string(text)

    assert kept(tmp_path / "history") == ["one", "two"]


def test_only_its_owner_can_read_it_and_secrets_are_not_in_it(tmp_path: Path) -> None:
    path = tmp_path / "history"
    LineHistory(path, lambda text: text.replace("hunter22", "[secret:X]")).store_string(
        "log in with hunter22"
    )

    assert kept(path) == ["log in with [secret:X]"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'"one"\n"tw')
    LineHistory(path, str).store_string("three")

    assert kept(path) == ["three", "one"]


def test_only_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b'"old"\n' + b'"x"\n' * (READ // 4) + b'"new"\n')

    assert kept(path) == ["new", "x"]


def test_one_that_cannot_be_kept_is_no_failure(tmp_path: Path) -> None:
    LineHistory(tmp_path / "nowhere" / "history", str).store_string("one")
    LineHistory(tmp_path, str).store_string("one")

    assert kept(tmp_path) == []


def test_writers_side_by_side_lose_and_mix_nothing(tmp_path: Path) -> None:
    path = tmp_path / "history"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name]) for name in ("one", "two", "three")]

    assert [writer.wait() for writer in writers] == [0, 0, 0]
    texts = kept(path)
    for name in ("one", "two", "three"):
        numbers = [text for text in texts if text.startswith(f"{name}\n")]
        assert numbers == [f"{name}\n{n}{'x' * 500}" for n in reversed(range(200))]


def test_lines_of_earlier_sessions_are_searched_and_come_back_whole(
    sits_down: Sits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "tok-12345678")
    person = sits_down(f"{ANSWER}---\n{ANSWER}")
    person.asks("first\x1b\rline tok-12345678")
    person.sees("All is well.")
    person.types("other\r")
    person.until(lambda: person.text().count("All is well.") == 2)
    person.types(CTRL_D)
    assert person.leaves() == 0
    person = sits_down(ANSWER)
    person.sees("\n>")
    person.types(CTRL_R)
    person.sees("I-search")
    person.types("irst")
    person.sees("> first\n  line [secret:DEPLOY_TOKEN]")
    person.types("\r\r")
    person.sees("All is well.")

    (said,) = [line["text"] for line in person.newest_log("user_input")]
    assert said == "first\nline [secret:DEPLOY_TOKEN]"


def test_an_answer_to_a_question_is_not_in_it(sits_down: Sits) -> None:
    person = sits_down('call: Write {"path": "a.txt", "content": "x"}\n---\ntext: Written.\n')
    person.asks("write it")
    person.sees("[y/n")
    person.answers("y")
    person.sees("Written.")

    (file,) = person.home.glob("projects/*/history")
    assert file.read_bytes() == b'"write it"\n'
