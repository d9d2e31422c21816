"""Commands of one's own at a real terminal: prompt files with arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.interfaces.terminal.commands.custom import FAULTS, CustomCommands
from fsm_agent.runtime.instructions import Places

ANSWER = "text: All is well.\n"

Sits = Callable[..., Any]
"""Starts the program with a script for its model, and options."""


@pytest.fixture
def commands(workspace: Path) -> Path:
    """Where the project's prompt files are."""
    folder = workspace / ".fsm-agent" / "commands"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person's own prompt files are."""
    monkeypatch.setenv("FSM_AGENT_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "commands"
    folder.mkdir(parents=True)
    return folder


def unbroken(person: Any) -> str:
    """What is seen, with long paths in one piece."""
    return str(person.text()).replace("\n", "")


def test_the_log_has_the_line_as_typed_and_the_text_as_sent(
    sits_down: Sits, commands: Path
) -> None:
    (commands / "fix.md").write_text("---\ndescription: Mend\n---\nMend $1 by @plan.txt.\n")
    (commands.parents[1] / "plan.txt").write_text("thinking\n")
    person = sits_down(f"{ANSWER}---\n{ANSWER}")
    person.asks("/fix 12")
    person.sees("All is well.")

    (line,) = person.log("user_input")
    assert line["text"] == "/fix 12"
    assert line["sent"] == 'Mend 12 by <file path="plan.txt">\nthinking\n</file>.'
    assert person.text().count("> /fix 12") == 1
    assert "/fix is the project's: .fsm-agent/commands/fix.md" in person.text()
    person.types("/fix 13\r")
    person.until(lambda: len(person.ends()) == 2)
    assert person.text().count("is the project's") == 1


def test_in_plain_lines_it_is_the_same(sits_down: Sits, commands: Path) -> None:
    (commands / "fix.md").write_text("Mend $1.\n")
    person = sits_down(ANSWER, "--plain")
    person.asks("/fix 12")
    person.sees("/fix is the project's: .fsm-agent/commands/fix.md")
    person.sees("All is well.")

    (line,) = person.log("user_input")
    assert (line["text"], line["sent"]) == ("/fix 12", "Mend 12.")


def test_typed_while_busy_it_is_queued_as_a_line(sits_down: Sits, own: Path) -> None:
    (own / "fix.md").write_text("Mend $ARGUMENTS.\n")
    person = sits_down(f"delay: 0.5\ntext: First.\n---\n{ANSWER}")
    person.asks("one")
    person.sees("waiting for the model")
    person.types("/fix 12\r")
    person.sees("queued: /fix 12")
    person.sees("All is well.")

    second = person.log("user_input")[1]
    assert (second["text"], second["sent"]) == ("/fix 12", "Mend 12.")
    assert [line["of"] for line in person.log("queued")] == [second["seq"]]
    assert "is the project's" not in person.text()


def test_a_project_s_command_brings_in_nothing_from_elsewhere(
    sits_down: Sits, commands: Path, workspace: Path
) -> None:
    (workspace.parent / "secret.txt").write_text("mine")
    (commands / "look.md").write_text("See @../secret.txt and @inside.txt\n")
    (workspace / "inside.txt").symlink_to("../secret.txt")
    person = sits_down(ANSWER)
    person.asks("/look")
    person.sees("All is well.")

    assert person.log("user_input")[0]["sent"] == "See @../secret.txt and @inside.txt"
    assert "@../secret.txt: it lies outside the project; left as it is" in person.text()


def test_help_and_suggestions_have_them_with_where_they_are(
    sits_down: Sits, commands: Path, own: Path
) -> None:
    (commands / "refactor.md").write_text("---\nargument-hint: [what]\n---\n# Make it simple\n")
    (own / "git").mkdir()
    (own / "git" / "commit.md").write_text("Commit it.\n")
    (own / "help.md").write_text("Mine.\n")
    person = sits_down(ANSWER)
    person.until(lambda: "help.md is passed over: /help is built in" in unbroken(person))
    person.asks("/help")
    person.sees("/refactor     [what] Make it simple (project)")
    assert "/git:commit   Commit it. (yours)" in person.text()
    person.types("/help refactor\r")
    person.sees("It is the project's: .fsm-agent/commands/refactor.md.")
    person.types("/refactr it\r")
    person.sees("Did you mean /refactor? Nothing was sent.")
    person.types("/refa\t")
    person.sees("> /refactor")

    assert person.log("user_input") == []


def test_a_file_that_is_gone_gives_the_line_back(sits_down: Sits, own: Path) -> None:
    (own / "fix.md").write_text("Mend it.\n")
    person = sits_down(ANSWER)
    person.asks("/help fix")
    person.sees("Its text is handed in as a line")
    (own / "fix.md").unlink()
    person.types("/fix 12\r")
    person.until(lambda: "fix.md is no file" in unbroken(person))
    person.until(lambda: person.text().rstrip().endswith("> /fix 12"))

    assert person.log("user_input") == []


def test_of_many_bad_files_a_few_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "commands"
    folder.mkdir(parents=True)
    for number in range(FAULTS + 2):
        (folder / f"{number}.md").touch()
    custom = CustomCommands(Places(tmp_path, tmp_path, tmp_path / "config"), {})

    assert len(custom.faults) == FAULTS + 1
    assert custom.faults[-1] == "… and 2 more prompt files"
    assert not custom.asks("/0")
