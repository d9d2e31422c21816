"""The fixture runs real sessions, and recorded ones again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fsm_agent.errors import ReplayDiverged
from fsm_agent.log.reading import EVENTS
from fsm_agent.testing.agent import Agent, NotRecorded, Played
from fsm_agent.testing.normalising import normalised

pytest_plugins = ["fsm_agent.testing.plugin"]

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "turn-a-session-into-a-test.md"
FIX = """\
---
text: I look.
call: Read {"path": "a.py"}
---
call: Edit {"path": "a.py", "old_string": "1", "new_string": "2"}
call: Bash {"command": "pwd; cat a.py"}
---
text: Done.
"""


@pytest.fixture
def fixed(agent: Agent) -> Played:
    """A session in which a file is changed."""
    (agent.workspace / "a.py").write_text("x = 1\n")
    return agent.play(FIX, "fix it")


@pytest.fixture
def later(tmp_path: Path) -> Agent:
    """The agent in another workspace, as it was before."""
    agent = Agent(tmp_path.resolve() / "later")
    (agent.workspace / "a.py").write_text("x = 1\n")
    return agent


def test_it_tells_what_came_of_a_session(agent: Agent, fixed: Played) -> None:
    assert (fixed.code, fixed.answer) == (0, "Done.")
    assert [name for name, _ in fixed.calls] == ["Read", "Edit", "Bash"]
    assert (agent.workspace / "a.py").read_text() == "x = 2\n"
    assert fixed.verify() > 10
    report = fixed.audit()
    assert (report.exit_code, report.findings) == (0, [])


def test_a_forged_session_is_told(fixed: Played) -> None:
    forged = Path(__file__).parents[1] / "replays" / "1" / "wrong" / "line.jsonl"
    (fixed.directory / EVENTS).write_bytes(forged.read_bytes())

    with pytest.raises(ReplayDiverged):
        fixed.verify()
    assert fixed.audit().exit_code != 0


def test_a_session_again_does_the_same_elsewhere(fixed: Played, later: Agent) -> None:
    again = later.rerun(fixed.directory)

    assert (again.code, again.answer) == (0, "Done.")
    assert (later.workspace / "a.py").read_text() == "x = 2\n"
    assert normalised(again.lines) == normalised(fixed.lines)
    assert again.audit().findings == []


def test_with_recorded_results_nothing_is_touched(fixed: Played, later: Agent) -> None:
    again = later.rerun(fixed.directory, tools="recorded")

    assert normalised(again.lines) == normalised(fixed.lines)
    assert (later.workspace / "a.py").read_text() == "x = 1\n"


def test_a_tool_that_says_something_else_fails_the_test(fixed: Played, later: Agent) -> None:
    (later.workspace / "a.py").write_text("x = 10\n")

    with pytest.raises(NotRecorded) as caught:
        later.rerun(fixed.directory)

    assert 'recorded: "x = 1\\n"\n  now:      "x = 10\\n"' in str(caught.value)


def test_a_person_answers_as_then(agent: Agent, later: Agent) -> None:
    source = Path(__file__).parents[1] / "runtime" / "__snapshots__" / "test_sequences"
    log = source / "test_denied_by_a_person_with_a_word.jsonl"

    again = later.rerun(log)

    assert again.answer == "I see."
    assert not any("--approved" in text for text in normalised(again.lines))


def test_settings_may_be_other_ones(fixed: Played, later: Agent) -> None:
    with pytest.raises(NotRecorded, match="is in messages"):
        later.rerun(fixed.directory, permission="read")


def test_what_depends_on_the_run_is_left_out(fixed: Played) -> None:
    texts = normalised(fixed.lines)

    assert texts[0] == "session_start"
    assert "turn-1 stream --completed[T31]--> persist answer=text" in texts
    assert 'text turn-1 text="I look."' in texts
    assert 'finished tool-1.3 output="<workspace>\\nx = 2\\n"' in texts
    assert any('"before":"<blob>"' in text for text in texts)
    assert not re.search(r"[0-9a-f]{16}|/agent/|20\d\d-", "\n".join(texts))


def test_the_how_to_does_what_it_says(fixed: Played, tmp_path: Path) -> None:
    """Its two files, next to a session, are a test that passes; changed, one that fails."""
    conftest, test = re.findall(r"```python\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    place = tmp_path / "tests"
    (place / "sessions").mkdir(parents=True)
    (place / "project").mkdir()
    (place / "project" / "a.py").write_text("x = 1\n")
    fixed.directory.rename(place / "sessions" / "fix-it")
    (place / "conftest.py").write_text(conftest)
    (place / "test_fix_it.py").write_text(test)

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert len(test.splitlines()) <= 20
    assert run().returncode == 0
    (place / "project" / "a.py").write_text("y = 1\n")
    failed = run()
    assert failed.returncode == 1
    assert "recorded: " in failed.stdout
