"""A damaged log loses nothing that can be proved, and is never rewritten."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fsm_agent.events.lines import GENESIS, seal
from fsm_agent.events.values import TextBlock
from fsm_agent.lifecycles.replay import verify
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Program

TWO = "---\ntext: One.\n---\ntext: Two."
THREE = f"{TWO}\n---\ntext: Three."


@pytest.fixture
def session(program: Program) -> Path:
    """A session of two turns."""
    program.play(TWO, "first")
    program.play(TWO, "-c", "second")
    return program.sessions[-1]


def lines_of(session: Path) -> list[bytes]:
    return (session / "events.jsonl").read_bytes().splitlines(keepends=True)


def cut_inside(lines: list[bytes]) -> list[bytes]:
    where = next(k for k, line in enumerate(lines) if b'"type":"user_input"' in line)
    return [*lines[:where], lines[where][:60] + b"\n", *lines[where + 1 :]]


def strangers(lines: list[bytes]) -> list[bytes]:
    return [*lines[:6], b"\n", b"42\n", b'"x"\n', b"[]\n", *lines[6:]]


DAMAGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a line cut short inside": cut_inside,
    "lines that are none": strangers,
    "a flipped bit": lambda lines: [
        *lines[:9],
        lines[9].replace(b"derived", b"d\x65rivee"),
        *lines[10:],
    ],
    "zeros inside": lambda lines: [*lines[:8], bytes(200) + b"\n", *lines[8:]],
    "both, and a torn end": lambda lines: [*strangers(cut_inside(lines))[:-1], lines[-1][:50]],
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_log_is_gone_on_from_in_a_new_session(
    name: str, program: Program, session: Path
) -> None:
    damaged = b"".join(DAMAGES[name](lines_of(session)))
    (session / "events.jsonl").write_bytes(damaged)

    with ModelServer(Reply(openai([TextBlock("Three.")]))) as server:
        run = program.run("--base-url", server.url, "-m", "m", "-c", "third")
        sent = server.requests[0].json()["messages"][1:]

    assert (run.code, run.out) == (0, b"Three.\n")
    assert re.search(rf"{re.escape(str(session))}/events\.jsonl:\d+: byte \d+: ", run.err)
    assert "going on in a new session" in run.err
    assert (session / "events.jsonl").read_bytes() == damaged
    new = program.sessions[-1]
    assert new != session
    assert program.log("session_fork", new)[0]["source"] == session.name
    assert program.log("log_damage", new)
    assert [message["content"] for message in sent][-1] == "third"
    assert "Two." in [message["content"] for message in sent]
    assert program.run("sessions").out.count(b"\n") == 2


def test_a_damaged_session_goes_on_in_its_directory(program: Program, session: Path) -> None:
    (session / "events.jsonl").write_bytes(b"".join(strangers(lines_of(session))))

    run = program.play(THREE, "--resume", session.name, "third", cwd=program.home)

    assert (run.code, run.out) == (0, b"Three.\n")
    assert f"goes on in {program.cwd}" in run.err
    assert program.sessions[-1].parent == session.parent


def test_a_torn_end_is_set_aside_and_the_session_goes_on(program: Program, session: Path) -> None:
    log = session / "events.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"seq":99,"time":"2026')

    run = program.play(THREE, "-c", "third")

    assert (run.code, run.out) == (0, b"Three.\n")
    assert log.read_bytes().startswith(whole)
    (damage,) = program.log("log_damage")
    assert (session / damage["kept_in"]).read_bytes() == b'{"seq":99,"time":"2026'
    verify(list(read(log)), BlobStore(session).text)


def test_a_log_that_is_only_a_torn_first_batch_is_begun_again(program: Program) -> None:
    program.play("text: One.", "first")
    log = program.sessions[-1] / "events.jsonl"
    log.write_bytes(log.read_bytes()[:100])

    run = program.play("text: Again.", "-c", "again")

    assert (run.code, run.out) == (0, b"Again.\n")
    assert program.log()[0]["type"] == "session_start"
    assert program.log("log_damage")


def sealed_again(session: Path, change: Callable[[bytes], bytes]) -> None:
    """Write the log anew with each line changed, and true seals."""
    raw, previous = b"", GENESIS
    for batch in read(session / "events.jsonl"):
        bare = (re.sub(rb',"seal":.*', b"}", line) for line in batch.raw.splitlines())
        sealed, previous = seal(map(change, bare), previous, batch.seal.state)
        raw += sealed
    (session / "events.jsonl").write_bytes(raw)


def test_a_log_with_types_and_fields_of_the_future_loads(program: Program, session: Path) -> None:
    def newer(line: bytes) -> bytes:
        if b'"type":"session_end"' in line:
            return line.replace(b'"session_end"', b'"future_end"')
        return line[:-1] + b',"colour":"blue"}'

    sealed_again(session, newer)
    assert (session / "events.jsonl").read_bytes().count(b"future_end") == 2

    run = program.play(THREE, "-c", "third")

    assert (run.code, run.out) == (0, b"Three.\n")
    assert "going on in a new session" not in run.err
    assert "not known here, which are kept: future_end (2)" in run.err
    assert len(program.log("future_end")) == 2


def test_a_log_of_a_later_format_is_refused_and_both_versions_are_named(
    program: Program, session: Path
) -> None:
    sealed_again(session, lambda line: line.replace(b'"v":1,', b'"v":7,', 1))
    before = (session / "events.jsonl").read_bytes()

    run = program.play(THREE, "-c", "third")

    assert run.code == 6
    assert "log format 7" in run.err
    assert "format 1" in run.err
    assert (session / "events.jsonl").read_bytes() == before


def test_a_log_without_its_head_is_refused_and_not_called_damaged(
    program: Program, session: Path
) -> None:
    first = next(iter(read(session / "events.jsonl"))).raw
    whole = (session / "events.jsonl").read_bytes()
    (session / "events.jsonl").write_bytes(whole[len(first) :])

    run = program.play(THREE, "-c", "third")

    assert run.code == 6
    assert "begins without session_start" in run.err
