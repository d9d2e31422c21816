"""`export` says what it carried, and refuses what cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fsm_agent.events.lines import seal
from fsm_agent.interfaces.exporting.command import FORMS, main
from fsm_agent.log.lock import SessionLock
from fsm_agent.testing.program import Ended, Program

ONE_TOOL = Path(__file__).parents[1] / "replays" / "1" / "good" / "one-tool.jsonl"
Verb = Callable[..., Ended]


@pytest.fixture
def talked(program: Program) -> Program:
    """A session with an answer and a command."""
    script = '---\ncall: Bash {"command": "echo hi"}\nusage: 9 3\n---\ntext: Done.\nusage: 5 5 9\n'
    assert program.play(script, "go").code == 0
    return program


def test_it_says_how_many_events_it_carried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in FORMS:
        out = tmp_path / form
        assert main(["export", str(ONE_TOOL), "--to", form, "-o", str(out)]) == 0
        said = capsys.readouterr()
        assert said.out == ""
        counted = re.match(rf"{form}: (\d+) of 43 events carried; left out: (.*)\n", said.err)
        assert counted
        left = sum(int(part.split()[0]) for part in counted[2].split(", "))
        assert int(counted[1]) + left == 43
        assert out.stat().st_size > 100


def test_projections_are_made_again_byte_for_byte(
    talked: Program, verb: Verb, tmp_path: Path
) -> None:
    talked.play("---\ntext: And on.\nusage: 5 5\n", "-c", "more")
    session = talked.sessions[-1]
    names = ("conversation.jsonl", "stats.json")
    kept = [(session / name).read_bytes() for name in names]

    assert verb("export", "--projections", str(tmp_path / "new")).code == 0
    assert [(tmp_path / "new" / name).read_bytes() for name in names] == kept

    for name in names:
        (session / name).unlink()
    assert verb("export", session.name, "--projections").code == 0
    assert [(session / name).read_bytes() for name in names] == kept


def test_projections_of_a_session_in_use_are_left_alone(talked: Program, verb: Verb) -> None:
    lock = SessionLock(talked.sessions[-1])
    try:
        run = verb("export", "--projections")
    finally:
        lock.close()

    assert run.code == 2
    assert "is using this session" in run.err


def test_projections_are_not_made_from_half_a_log(talked: Program, verb: Verb) -> None:
    session = talked.sessions[-1]
    kept = (session / "conversation.jsonl").read_bytes()
    log = session / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Done.", b"Gone."))

    assert verb("export", "--projections").code == 3
    assert (session / "conversation.jsonl").read_bytes() == kept


def torn(raw: bytes) -> bytes:
    return raw[:-7]


def bent(raw: bytes) -> bytes:
    return raw.replace(b'"text":"Done."', b'"text":"Gone."')


def strange(raw: bytes) -> bytes:
    """The same, then a sealed line of a type that is not known."""
    line = b'{"seq":43,"time":"2026-01-01T00:00:00.000Z","kind":"note","type":"dream","x":1}'
    return raw + seal([line], bytes.fromhex(raw[-68:-4].decode()), "0" * 16)[0]


@pytest.mark.parametrize(
    ("spoil", "code", "said"),
    [
        (torn, 5, "a torn tail"),
        (bent, 3, ":33: "),
        (strange, 0, "1 lines of the unknown type 'dream'"),
        (lambda _: b"", 5, "the log is empty"),
        (lambda _: b"\x7fELF" + bytes(999), 2, "no log of fsm-agent"),
        (lambda _: b'{"type":"user"}\n' * 3, 2, "no log of fsm-agent"),
        (lambda raw: raw.replace(b'"v":1', b'"v":9'), 6, "log format 9"),
    ],
    ids=["torn", "bent", "unknown type", "empty", "binary", "another program's", "later"],
)
@pytest.mark.parametrize("to", [["--to", "markdown"], ["--projections", "new"]], ids=lambda o: o[0])
def test_what_is_wrong_with_a_log_is_said(
    spoil: Callable[[bytes], bytes],
    code: int,
    said: str,
    to: list[str],
    program: Program,
    verb: Verb,
) -> None:
    path = program.cwd / "events.jsonl"
    path.write_bytes(spoil(ONE_TOOL.read_bytes()))

    run = verb("export", str(path), *to)

    assert (run.code, said in run.err) == (code, True), run.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--to", "pdf"],
        ["--to", "html", "--projections"],
        ["--projections", "x", "-o", "y"],
        ["--to", "html", "-o", "/"],
        ["nowhere", "--to", "html"],
    ],
)
def test_what_cannot_be_exported_is_refused(arguments: list[str], verb: Verb) -> None:
    run = verb("export", *arguments)

    assert run.code == 2
    assert run.err
