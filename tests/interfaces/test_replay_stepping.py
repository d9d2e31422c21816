"""`replay --step` is a debugger: forth, back, stops, looks, causes."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pytest
from syrupy.assertion import SnapshotAssertion

from fsm_agent.events.values import Blob
from fsm_agent.interfaces.debugging.console import HELP, Debugger
from fsm_agent.interfaces.debugging.stepping import Stepper
from fsm_agent.interfaces.replaying import main
from fsm_agent.lifecycles.replay import fold
from fsm_agent.lifecycles.world import digest
from fsm_agent.log.reading import read
from fsm_agent.testing.program import Ended, Program

GOOD = sorted((Path(__file__).parents[1] / "replays" / "1" / "good").glob("*.jsonl"))
ONE_TOOL = next(path for path in GOOD if path.stem == "one-tool")


Verb = Callable[..., Ended]


def no_blobs(blob: Blob) -> str:
    raise AssertionError(blob)


@pytest.fixture
def stepper() -> Stepper:
    return Stepper(read(ONE_TOOL), no_blobs)


def obeyed(capsys: pytest.CaptureFixture[str], log: Path, *commands: str) -> list[str]:
    """What the debugger says to these commands."""
    debugger = Debugger(Stepper(read(log), no_blobs))
    for command in commands:
        assert debugger.obey(command)
    return capsys.readouterr().out.splitlines()


def seqs(said: Sequence[str]) -> list[int]:
    """The seqs of the lines that were told."""
    return [int(line.split()[0]) for line in said if line.split()[0].isdigit()]


@pytest.mark.parametrize("log", GOOD, ids=lambda log: log.stem)
def test_the_world_behind_each_batch_is_the_sealed_one_forth_and_back(log: Path) -> None:
    batches = list(read(log))
    stepper = Stepper(batches, no_blobs)

    forth = []
    for batch in batches:
        stepper.next_batch()
        assert (stepper.at, digest(stepper.world)) == (batch.lines[-1].seq, batch.seal.state)
        forth.append(stepper.at)
    for at in [*forth[-2::-1], -1]:
        stepper.previous_batch()
        assert stepper.at == at
        assert digest(stepper.world) == digest(
            fold(batches[: forth.index(at) + 1 if at + 1 else 0], no_blobs)
        )
    assert stepper.faults == {}


def test_it_does_not_leave_the_log(stepper: Stepper) -> None:
    stepper.move(-1)
    assert stepper.at == -1
    stepper.previous_batch()
    assert stepper.at == -1
    stepper.move(1000)
    stepper.next_batch()
    assert stepper.at == len(stepper.lines) - 1 == 42


def test_a_session_with_the_debugger(
    snapshot: SnapshotAssertion, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = """\
        n
        N
        n 2
        b
        B
        break tool Read
        break state turn=drain
        break answer answer=done
        break text "ok|Done\\."
        breaks
        delete 4
        c
        c
        c
        c
        why 24
        p states
        p plan
        p stats
        p conversation
        p prompt
        p body
        g 9
        p body
        p line
        diff 4 24
        diff 24 4
        diff 5 5
        # a remark, and an empty line

        what
        p nothing
        break nothing
        break text [
        delete 7
        g 43
        g x
        diff 1
        h
        q
        n
    """
    stdin = io.TextIOWrapper(io.BytesIO(commands.replace("        ", "").encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.chdir(ONE_TOOL.parent)

    assert main(["replay", "--step", ONE_TOOL.name]) == 0
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize(
    ("words", "stops"),
    [
        ("state tool-1.1=done", [21]),
        ("state tool=done", [21]),
        ("state turn=call", [8, 27]),
        ("state call=turn", []),
        ("tool Read", [13]),
        ("tool Bash", []),
        ("answer verdict=allow", [17]),
        ("answer verdict=deny", []),
        ("text a\\.py", [13]),
    ],
)
def test_it_stops_where_it_is_told_to(
    words: str, stops: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    said = obeyed(capsys, ONE_TOOL, f"break {words}", *["c"] * (len(stops) + 1))

    assert seqs(said) == [*stops, 42]
    assert "the end of the log" in said


def test_each_request_is_re_encoded_to_what_was_sent(capsys: pytest.CaptureFixture[str]) -> None:
    stepper = Stepper(read(ONE_TOOL), no_blobs)
    sent = [n for n, raw in enumerate(stepper.raws) if b'"type":"send_request"' in raw]

    said = obeyed(capsys, ONE_TOOL, *(c for n in sent for c in (f"g {n}", "p body")))

    assert len(sent) == 2
    assert [line.split(":")[0] for line in said if line.startswith("as sent")] == [
        f"as sent in line {n}" for n in sent
    ]


def test_why_leads_from_a_result_to_the_model_s_call_and_the_person(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = obeyed(capsys, ONE_TOOL, "why 22")

    assert [line.split()[3] for line in told][:4] == [
        "tool_result",
        "transition",
        "finished",
        "run_tool",
    ]
    assert "tool_call" in told[5]
    assert "user_input" in told[-1]


def test_a_missing_blob_is_said_and_the_rest_is_shown(program: Program, verb: Verb) -> None:
    big = program.cwd / "AGENTS.md"
    big.write_text("a rule\n" * 1000)
    program.play("---\ntext: Hello.\n", "go")
    blobs = program.sessions[-1] / "blobs"
    for blob in blobs.iterdir():
        blob.unlink()

    run = verb("replay", "--step", said=b"c\np prompt\np body\np conversation\n")

    assert run.code == 0
    assert run.out.count(b"the log names this blob, and it is not there") >= 2
    assert b"[answer]\nHello." in run.out
    assert verb("replay").code == 0


def test_bytes_that_are_no_text_are_a_command_that_is_not_there(verb: Verb) -> None:
    run = verb("replay", "--step", str(ONE_TOOL), said=b"\xff\x1b[2J\nn\n")

    assert (run.code, run.err) == (0, "")
    assert b"\x1b" not in run.out
    assert b"session_start" in run.out


def test_at_a_terminal_it_prompts_completes_and_repeats(home: Path, tmp_path: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "fsm_agent", "replay", "--step", str(ONE_TOOL)],
        env={**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
        encoding="utf-8",
        dimensions=(24, 200),
        timeout=10,
    )
    for keys, seen in (
        ("n\r", "session_start v=1"),
        ("\r", "settings protocol=scripted"),
        ("p conv\t", "ersation"),
        ("\r", "nothing has been said"),
        ("p\x03", r"\(replay\)"),
        ("p plan\r", "the plan is in"),
    ):
        if not seen.startswith("nothing"):
            child.expect(r"\(replay\)")
        child.send(keys)
        child.expect(seen)
    child.expect(r"\(replay\)")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.wait()
    assert child.exitstatus == 0


def test_help_names_every_command() -> None:
    words = set(HELP.replace(",", " ").split())

    assert {*"nbNBgcphq", "break", "breaks", "delete", "why", "diff"} <= words


@pytest.mark.parametrize(
    ("log", "stop", "responsible"),
    [
        ("crashed-and-resumed", "state tool=unknown", "crashed"),
        ("cut-answer-and-on", "state turn=stopping", "interrupt"),
        ("interrupted-tools", "state tool=stopping", "interrupt"),
        ("retry", "state turn=wait", "rejected"),
        ("standing-yes", "answer verdict=allow", "tool_call"),
        ("one-tool", "tool Read", "tool_call"),
    ],
)
def test_a_stop_and_a_why_lead_to_the_responsible_line(
    log: str, stop: str, responsible: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next(path for path in GOOD if path.stem == log)

    said = obeyed(capsys, path, f"break {stop}", "c", "why")

    assert responsible in [line.split()[3] for line in said[3:8]]


def test_a_seq_without_end_is_no_line(stepper: Stepper, capsys: pytest.CaptureFixture[str]) -> None:
    assert Debugger(stepper).obey("g " + "9" * 5000)
    assert "digits is too large" in capsys.readouterr().out


def test_why_leads_through_a_crash_to_what_it_cut_short(program: Program, verb: Verb) -> None:
    script = '---\ncall: Bash {"command": "kill -9 $PPID"}\n---\ntext: I do not know.'
    assert program.play(script, "go").code == -9
    assert program.play(script, "-c").code == 0
    (call,) = program.log("tool_call")
    (result,) = program.log("tool_result")

    said = verb("replay", "--step", said=b"why %d" % result["seq"]).out.decode()

    kinds = [line.split()[3] for line in said.splitlines()[1:]]
    assert kinds[:4] == ["tool_result", "transition", "crashed", "run_tool"]
    assert seqs(said.splitlines()[1:])[-1] < call["seq"]
    assert "tool_call" in kinds
    assert kinds[-1] == "user_input"
