"""Where nothing can be written, that is said, and what was written stays."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsm_agent.testing.program import Program

HELLO = "text: Hello."
LONG = f'---\ncall: Bash {{"command": "yes {"x" * 90} | head -700"}}\n'
DROP, OVERRIDE = 24, (1, 2)
"""PR_CAPBSET_DROP; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""


def obey_modes() -> None:
    """Let the program be bound by mode bits, even as root."""
    for capability in OVERRIDE:
        ctypes.CDLL(None).prctl(DROP, capability, 0, 0, 0)


def test_a_file_in_place_of_the_home(program: Program) -> None:
    program.home.write_text("not a directory")

    run = program.play(HELLO, "go")

    assert (run.code, run.out) == (11, b"")
    assert "Not a directory" in run.err
    assert str(program.home) in run.err
    assert program.home.read_text() == "not a directory"


def test_a_home_that_is_read_only(program: Program) -> None:
    program.home.mkdir(mode=0o500)

    run = program.play(HELLO, "go", preexec_fn=obey_modes)

    assert (run.code, run.out) == (11, b"")
    assert "Permission denied" in run.err
    assert "Make it writable" in run.err


def test_a_session_that_became_read_only_is_not_opened_and_not_harmed(program: Program) -> None:
    program.play(HELLO, "go")
    session = program.sessions[-1]
    log = session / "events.jsonl"
    before = log.read_bytes()
    for path in (*session.rglob("*"), session):
        path.chmod(0o500 if path.is_dir() else 0o400)

    run = program.play(f"---\n{HELLO}\n---\ntext: More.", "-c", "go", preexec_fn=obey_modes)

    assert run.code == 11
    assert "Permission denied" in run.err
    assert log.read_bytes() == before


def test_files_that_cannot_be_read_are_said(program: Program) -> None:
    for name in ("AGENTS.md", "secret.txt"):
        (program.cwd / name).write_text("unread\n")
        (program.cwd / name).chmod(0)
    script = '---\ncall: Read {"path": "secret.txt"}\n---\ntext: Done.'

    run = program.play(script, "look at @secret.txt", preexec_fn=obey_modes)

    assert run.code == 0
    assert "@secret.txt: Permission denied" in run.err
    assert "permission denied" in program.log("tool_result")[0]["content"]
    assert "AGENTS.md cannot be read: Permission denied" in run.err


def test_a_directory_that_closes_is_said_by_every_tool(program: Program) -> None:
    script = """---
call: Bash {"command": "chmod 0 ."}
---
call: Bash {"command": "pwd"}
call: Read {"path": "a.txt"}
call: Grep {"pattern": "x"}
call: Write {"path": "b.txt", "content": "x"}
---
text: Closed.
"""
    run = program.play(script, "go", preexec_fn=obey_modes)
    program.cwd.chmod(0o700)

    assert (run.code, run.out) == (0, b"Closed.\n")
    contents = [line["content"] for line in program.log("tool_result")][1:]
    assert len(contents) == 4
    assert all("denied" in content.lower() for content in contents), contents


@pytest.mark.parametrize("limit", [0, 1, 3000, 6000, 20_000])
def test_a_limit_on_file_sizes_ends_the_run_and_the_log_stays_whole(
    program: Program, limit: int
) -> None:
    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    script = f"{LONG}{LONG}---\ntext: Done."
    run = program.play(script, "go", preexec_fn=bound)

    assert run.code == 11
    assert "cannot be written" in run.err
    for session in program.sessions:
        raw = (session / "events.jsonl").read_bytes()
        assert len(raw) <= limit
        assert raw == b"" or raw.endswith(b'"}}\n')
    again = program.play(script, "-c", "go on")
    assert again.code == (0 if any(map(program.log, [""] * len(program.sessions))) else 2)


@pytest.fixture
def small_disk(program: Program) -> Iterator[Path]:
    """A home on a disk of 600 kB; needs the right to mount."""
    program.home.mkdir()
    options = ["-t", "tmpfs", "-o", "size=600k", "tmpfs", str(program.home)]
    if os.geteuid() or subprocess.run(["mount", *options], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    yield program.home
    subprocess.run(["umount", str(program.home)], check=True)


def test_a_full_disk_ends_the_run_and_it_goes_on_once_there_is_space(
    program: Program, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(500_000))
    script = f"{LONG * 3}---\ntext: Done."

    run = program.play(script, "go")
    acknowledged = program.log()
    ballast.unlink()
    again = program.play(script, "-c")

    assert run.code == 11
    assert "disk full" in run.err
    assert (again.code, again.out) == (0, b"Done.\n")
    assert program.log()[: len(acknowledged)] == acknowledged
    assert program.log()[-1]["type"] == "session_end"


def test_a_place_of_sessions_that_closes_is_not_one_without_sessions(program: Program) -> None:
    program.play(HELLO, "go")
    session = program.sessions[-1]
    verbs = (["sessions"], ["log"], ["replay", session.name], ["sessions", "grep", "go", "--all"])
    for place in (session.parent, session.parents[1]):
        place.chmod(0)
        for verb in verbs:
            run = program.run(*verb, preexec_fn=obey_modes)
            assert (run.code, f"{place}" in run.err) == (2, True), (verb, run.err)
            assert "Permission denied" in run.err
        place.chmod(0o700)


@pytest.mark.parametrize("which", ["the log", "the directory"])
def test_a_session_that_closes_is_listed_as_such_and_hides_no_other(
    which: str, program: Program
) -> None:
    for name in ("first", "second"):
        program.play(HELLO, name)
    closed = program.sessions[-1]
    (closed / "events.jsonl" if which == "the log" else closed).chmod(0)

    listed = program.run("sessions", preexec_fn=obey_modes)
    found = program.run("sessions", "grep", "first", preexec_fn=obey_modes)
    named = program.run("log", closed.name, preexec_fn=obey_modes)
    forked = program.run("fork", f"{closed}/events.jsonl@3", preexec_fn=obey_modes)
    closed.chmod(0o700)

    assert f"{closed.name}  (cannot be read: Permission denied)" in listed.out.decode()
    assert b"first" in listed.out
    assert (found.code, b"user_input: first" in found.out) == (0, True)
    assert "events.jsonl: not looked into: Permission denied" in found.err
    for run in (named, forked):
        assert (run.code, "Permission denied" in run.err) == (2, True), run.err


@pytest.mark.parametrize(
    "verb", ["audit", "audit --coverage lcov", "export --to html", "export --to json -o /dev/full"]
)
def test_what_was_to_be_written_is_named_where_the_disk_is_full(
    verb: str, program: Program
) -> None:
    program.play(HELLO, "go")

    with Path("/dev/full").open("wb") as full:
        run = program.run(*verb.split(), stdout=full)

    place = "/dev/full" if "-o" in verb else "stdout"
    assert run.code == 2
    assert f"{place}: No space left on device" in run.err
