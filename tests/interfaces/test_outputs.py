"""The answer on stdout, all else on stderr; an output may be lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from fsm_agent.runtime.places import LOG
from fsm_agent.testing.program import Program, ended

SCRIPT = """\
---
thinking: Look first.
text: I'll look.
call: Bash {"command": "echo one; printf '\\\\033]0;owned\\\\007'"}
usage: 10 2
---
text: Two lines,
    one answer.
usage: 30 4 10
"""
STREAM = ("--output-format", "stream-json")


def newest(program: Program) -> bytes:
    return (program.sessions[-1] / LOG).read_bytes()


def test_text_is_the_answer_alone_and_the_rest_is_beside_it(program: Program) -> None:
    run = program.play(SCRIPT, "go")

    assert (run.code, run.out) == (0, b"Two lines,\none answer.\n")
    assert run.err == "I'll look.\n[Bash] echo one; printf '\\033]0;owned\\007'\n"


def test_stream_json_is_the_log_byte_for_byte(program: Program) -> None:
    run = program.play(SCRIPT, *STREAM, "go")

    assert (run.code, run.out, run.err) == (0, newest(program), "")
    first, last = program.log()[0], program.log()[-1]
    assert (first["type"], first["v"]) == ("session_start", 1)
    assert first["session"] == program.sessions[-1].name
    assert (last["type"], last["code"], last["reason"]) == ("session_end", 0, "done")


def test_the_stream_of_a_resumed_session_goes_on_where_the_log_ended(program: Program) -> None:
    program.play("text: One.", "go")
    before = newest(program)

    run = program.play("---\ntext: One.\n---\ntext: Two.", *STREAM, "-c", "more")

    assert before + run.out == newest(program)


def test_deltas_are_lines_without_a_number(program: Program) -> None:
    run = program.play(SCRIPT, *STREAM, "--include-deltas", "go")

    lines = run.out.splitlines(keepends=True)
    deltas = [msgspec.json.decode(line) for line in lines if not line.startswith(b'{"seq":')]
    assert b"".join(line for line in lines if line.startswith(b'{"seq":')) == newest(program)
    assert {delta["type"] for delta in deltas} == {"delta"}
    said = "".join(delta["text"] for delta in deltas if delta["of"] == "text")
    assert said == "I'll look.Two lines,\none answer."


def test_json_is_one_object(program: Program) -> None:
    run = program.play(SCRIPT, "--output-format", "json", "go")

    assert run.out.count(b"\n") == 1
    result = msgspec.json.decode(run.out)
    assert result == {
        "session": program.sessions[-1].name,
        "turn": "answered",
        "exit_code": 0,
        "text": "Two lines,\none answer.",
        "errors": [],
        "usage": {"input": 40, "output": 6, "cache_read": 10},
        "requests": 2,
        "cost_microdollars": None,
        "unpriced_answers": 2,
        "log": str(program.sessions[-1] / LOG),
    }


def test_json_of_a_failure_says_so(program: Program) -> None:
    run = program.play("error: 401 no such key", "--output-format", "json", "go")

    result = msgspec.json.decode(run.out)
    assert (run.code, result["exit_code"], result["turn"]) == (1, 1, "failed")
    assert "no such key" in result["errors"][0]


def test_what_a_server_says_cannot_steer_a_terminal(program: Program) -> None:
    run = program.play("error: 401 \x1b]0;owned\x07\u202e", "go")

    assert "\\x1b]0;owned\\x07\\u202e" in run.err
    assert run.err.isprintable() or "\x1b" not in run.err


SEPARATORS = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\rh\r\ni"


def test_separators_come_back_byte_for_byte_and_split_nothing(program: Program) -> None:
    (program.cwd / "file").write_bytes(SEPARATORS.encode())
    script = '---\ncall: Read {"path": "file"}\n---\ntext: Done.\n---\ntext: Again.'

    run = program.play(script, *STREAM, SEPARATORS)
    again = program.play(script, *STREAM, "-c", "more")

    assert (run.code, again.code) == (0, 0)
    assert run.out + again.out == newest(program)
    (first, _), (result,) = program.log("user_input"), program.log("tool_result")
    assert first["text"] == SEPARATORS
    assert result["content"] == "a\u2028b\u2029c\\x85d\\x0be\\x0cf\\x1cg\\x0dh\r\ni"
    sent = (program.sessions[-1] / "conversation.jsonl").read_bytes()
    assert msgspec.json.decode(sent.split(b"\n")[0])["text"] == SEPARATORS


@pytest.mark.parametrize("form", ["text", "stream-json"])
def test_a_reader_who_leaves_is_no_failure_of_a_turn_that_answers(
    program: Program, form: str
) -> None:
    reads, writes = os.pipe()
    os.close(reads)

    run = program.play(SCRIPT, "--output-format", form, "go", stdout=writes)

    os.close(writes)
    assert run.code == 0
    assert program.log()[-1]["code"] == 0


def test_a_reader_of_one_line_gets_it(program: Program) -> None:
    with program.start("--script", program.script(SCRIPT), *STREAM, "go") as process:
        assert process.stdout
        head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True, check=True)
        process.stdout.close()
        process.stdout = None
        run = ended(process)

    assert head.stdout == newest(program).split(b"\n", 1)[0] + b"\n"
    assert (run.code, run.err) == (0, "")
    assert program.log()[-1]["type"] == "session_end"


def test_an_answer_that_cannot_be_written_is_a_failure_and_said(program: Program) -> None:
    with Path("/dev/full").open("wb") as full:
        run = program.play("text: Hello.", "go", stdout=full)

    assert run.code == 1
    assert "No space left on device" in run.err
    assert str(program.sessions[-1] / LOG) in run.err


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)], ids=str)
def test_closed_standard_files_harm_neither_run_nor_log(
    program: Program, closed: tuple[int, ...]
) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    run = program.play(
        '---\ncall: Bash {"command": "echo hi >&2"}\n---\ntext: Hello.', "go", preexec_fn=close
    )

    assert run.code == 0
    assert run.out == (b"" if 1 in closed else b"Hello.\n")
    assert program.log("tool_result")[0]["content"] == "hi\n"
    assert program.log()[-1]["type"] == "session_end"


VERBS = (["sessions"], ["log"], ["log", "--path"], ["schema"], ["states", "draw"], ["--help"])


def test_verbs_bear_a_reader_who_leaves_and_a_full_disk(program: Program) -> None:
    program.play("text: Hello.", "go")
    reads, writes = os.pipe()
    os.close(reads)
    for verb in VERBS:
        left = program.run(*verb, stdout=writes)
        with Path("/dev/full").open("wb") as full:
            lost = program.run(*verb, stdout=full)
        assert (left.code, left.err) == (0, ""), verb
        assert lost.code in (0, 2), verb
        assert "Exception" not in lost.err, verb
    os.close(writes)
