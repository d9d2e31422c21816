"""Remember writes whole sections, and never over what it was not told."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.context.memory import CAP, with_section
from fsm_agent.events.outcome import Change, ToolOutcome
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.remembering import look, remember_tool, rewritten, write
from fsm_agent.tools.undo import undo


@pytest.fixture
def place(workspace: Path, home: Path) -> Workplace:
    return Workplace(
        str(workspace),
        {},
        user_memory=str(home / "config" / "memory.md"),
        project_memory=str(home / "projects" / "-p" / "memory.md"),
    )


def remember(
    place: Workplace, told: dict[str, bytes | None] | None = None, **sections: Any
) -> ToolOutcome:
    async def call() -> ToolOutcome:
        return await (await remember_tool(told or {}).start(sections, place)).wait()

    return asyncio.run(call())


def project(place: Workplace, text: str | None = None) -> Path:
    path = Path(place.project_memory)
    if text is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return path


def test_each_section_goes_into_its_file_and_undo_takes_it_back(place: Workplace) -> None:
    done = remember(place, user_memory="tabs", constraints="never push", project_memory="make")

    assert done.ok
    assert Path(place.user_memory).read_text() == "## User Memory\n\ntabs\n"
    assert project(place).read_text() == (
        "## Project Memory\n\nmake\n\n## Constraints\n\nnever push\n"
    )
    assert [change.before for change in done.changes] == [None, None]

    assert undo(done.changes, place).removed == (place.user_memory, place.project_memory)
    assert look(place.user_memory) is None


def test_what_is_not_given_stays_and_scratch_notes_cannot_be_given(place: Workplace) -> None:
    project(place, "## Constraints\nold\n\n# Scratch Notes\r\nmine\r\n")
    done = remember(place, constraints="new", scratch_notes="gone", project_memory=None)

    assert done.ok
    assert project(place).read_bytes() == (
        b"## Constraints\n\r\nnew\r\n\r\n# Scratch Notes\r\nmine\r\n"
    )


@pytest.mark.parametrize(
    "given", [{"constraints": 3}, {"user_memory": ["a"]}, {"constraints": {"text": "a"}}]
)
def test_an_answer_that_cannot_be_read_changes_nothing(place: Workplace, given: Any) -> None:
    project(place, "## Constraints\nold\n")

    assert not remember(place, **given).ok
    assert project(place).read_text() == "## Constraints\nold\n"


def test_nothing_new_writes_nothing(place: Workplace) -> None:
    project(place, "## Constraints\nold")

    assert remember(place, constraints="old\n").changes == ()
    assert remember(place).changes == ()
    assert project(place).read_text() == "## Constraints\nold"


def test_what_somebody_changed_meanwhile_is_not_written_over(place: Workplace) -> None:
    path = project(place, "## Constraints\nold\n")
    told = {place.project_memory: look(place.project_memory)}
    path.write_text("## Constraints\nold\nnew by hand\n")
    done = remember(place, told, constraints="other")

    assert done.output.endswith("has just changed: look at it as it is now")
    assert path.read_text() == "## Constraints\nold\nnew by hand\n"
    told[place.project_memory] = look(place.project_memory)
    assert remember(place, told, constraints="other").ok


def test_memory_stays_as_short_as_what_is_shown_of_it(place: Workplace) -> None:
    assert "is all that is shown" in remember(place, constraints="x" * CAP).output
    assert look(place.project_memory) is None

    long = with_section("", "Constraints", "x\n" * CAP)
    project(place, long)
    assert "a person must shorten it first" in remember(place, constraints="short").output
    assert project(place).read_text() == long
    (change,) = rewritten(place, {"Constraints": lambda _: ""})
    assert change.after == b"## Constraints\n"


def test_characters_that_steer_a_terminal_are_written_out(place: Workplace) -> None:
    assert remember(place, constraints="a\x1b[2Jb\0\udc80").ok
    assert look(place.project_memory) == "## Constraints\n\na\\x1b[2Jb\\x00\ufffd\n".encode()


def test_bytes_that_are_no_utf_8_stay_and_what_is_no_text_is_refused(place: Workplace) -> None:
    path = project(place)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe\n## Constraints\na\n")
    assert remember(place, constraints="b").ok
    assert path.read_bytes() == b"\xff\xfe\n## Constraints\n\nb\n"

    path.write_bytes("## Constraints\na\n".encode("utf-16"))
    assert remember(place, constraints="b").output.endswith("is no text in UTF-8")


def test_a_pipe_is_nobodys_memory(place: Workplace) -> None:
    project(place).parent.mkdir(parents=True)
    os.mkfifo(project(place))

    assert look(place.project_memory) is None
    assert "not a regular file" in remember(place, constraints="b").output


def test_where_nothing_is_remembered_the_tool_says_so(workspace: Path) -> None:
    assert remember(Workplace(str(workspace), {}), constraints="b").output == (
        "Error: nothing is remembered here"
    )


def test_a_change_that_was_overtaken_is_refused(place: Workplace) -> None:
    path = project(place, "## Constraints\nold\n")
    changes = rewritten(place, {"Constraints": lambda _: "new"})
    path.write_text("mine")

    assert write(changes, place).refused == (f"{path} has changed since",)
    assert path.read_text() == "mine"


def test_two_at_once_do_not_lose_each_other_s_words(place: Workplace) -> None:
    path = project(place, "")
    kept: list[str] = []

    def adds(name: str) -> None:
        for n in range(20):
            item = f"- {name}{n}"
            changes = rewritten(place, {"Constraints": partial("{}\n{}".format, item)})
            if not write(changes, place).refused:
                kept.append(item)

    writers = [threading.Thread(target=adds, args=(name,)) for name in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    there = [line for line in path.read_text().splitlines() if line.startswith("- ")]
    assert sorted(there) == sorted(kept)


def test_a_reader_sees_the_old_file_or_the_new(place: Workplace) -> None:
    path = project(place, f"{'a' * 20_000}\n")
    seen: set[bytes] = set()
    done = threading.Event()

    def reads() -> None:
        while not done.is_set():
            seen.add(path.read_bytes()[-1:])

    reader = threading.Thread(target=reads)
    reader.start()
    before = path.read_bytes()
    for n in range(50):
        after = b"b" * 20_000 + b"%d\n" % n
        assert not write([Change(str(path), before, after)], place).refused
        before = after
    done.set()
    reader.join()
    assert seen == {b"\n"}


def test_its_contract_is_short() -> None:
    assert len(msgspec.json.encode(remember_tool({}).spec)) < 450
