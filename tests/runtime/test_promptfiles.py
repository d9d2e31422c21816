"""Prompt files: which there are, what they say, what they take."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.errors import UsageError
from fsm_agent.runtime.instructions import Places
from fsm_agent.runtime.promptfiles import CAP, FOLDERS, MOST, filled, find, read_prompt


@pytest.fixture
def places(tmp_path: Path) -> Places:
    cwd = tmp_path / "project" / "app"
    cwd.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    return Places(cwd, tmp_path / "home", tmp_path / "config")


def write(file: Path, text: str | bytes = "Do it.\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def yours(places: Places) -> Path:
    return places.config / "commands"


def of_project(places: Places) -> Path:
    return places.cwd.parent / ".fsm-agent" / "commands"


def faults(places: Places) -> str:
    return "\n".join(find(places, {"help"}).faults)


def test_files_are_found_from_the_git_root_down_and_among_the_person_s_own(places: Places) -> None:
    write(yours(places) / "mine.md")
    write(of_project(places) / "git" / "commit.md")
    write(places.cwd / ".fsm-agent" / "commands" / "here.md")
    write(places.cwd.parents[1] / ".fsm-agent" / "commands" / "outside.md")

    assert sorted(find(places, {}).files) == ["git:commit", "here", "mine"]


def test_the_nearest_of_a_project_wins_and_the_person_s_own_before_any(places: Places) -> None:
    write(of_project(places) / "fix.md", "far")
    near = write(places.cwd / ".fsm-agent" / "commands" / "fix.md", "near")
    assert find(places, {}).files["fix"].path == near
    assert find(places, {}).faults == []

    own = write(yours(places) / "fix.md", "own")
    assert find(places, {}).files["fix"].path == own
    assert "you have a /fix of your own" in faults(places)


def test_a_name_that_is_built_in_stays_so_and_that_is_said(places: Places) -> None:
    write(yours(places) / "help.md")

    assert find(places, {"help"}).files == {}
    assert "help.md is passed over: /help is built in" in faults(places)


def test_fields_before_the_text_say_what_it_is_and_takes(places: Places) -> None:
    write(
        yours(places) / "fix.md",
        '---\ndescription: "Mend it"\nargument-hint: [issue]\nmodel: other\n---\n\nMend $1.\n',
    )
    (found,) = find(places, {}).files.values()

    assert (found.description, found.hint) == ("Mend it", "[issue]")
    assert read_prompt(found.path).text == "Mend $1."


def test_without_them_it_is_known_by_its_first_line(places: Places) -> None:
    write(yours(places) / "fix.md", "\n# Mend it\n\nNow.\n")
    (found,) = find(places, {}).files.values()

    assert (found.description, found.hint) == ("Mend it", "")


@pytest.mark.parametrize(
    "text", ["---\ndescription: x\nMend.", "--\na: b\n--\nMend.", "Mend.\n---\n"]
)
def test_what_is_no_front_is_text(text: str, tmp_path: Path) -> None:
    assert read_prompt(write(tmp_path / "a.md", text)).text == text.strip()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff\xfe", "is no text in UTF-8"),
        (b"a\0b", "is no text in UTF-8"),
        (b"x" * (CAP + 1), "is longer than 100,000 bytes"),
        (b"", "says nothing"),
        (b"---\ndescription: x\n---\n \n", "says nothing"),
    ],
    ids=["bytes", "zero", "long", "empty", "fields"],
)
def test_a_bad_file_is_named_and_the_others_are_found(
    text: bytes, said: str, places: Places
) -> None:
    bad = write(yours(places) / "bad.md", text)
    write(yours(places) / "good.md")

    assert list(find(places, {}).files) == ["good"]
    assert find(places, {}).faults == [f"{bad} {said}; it is passed over"]


@pytest.mark.parametrize("name", ["a b.md", "-a.md", "ä.md", "a.b.md", f"{'a' * 65}.md"])
def test_a_name_that_no_command_can_have_is_said(name: str, places: Places) -> None:
    write(yours(places) / name)

    assert find(places, {}).files == {}
    assert "has a name that no command can have" in faults(places)


def test_a_name_that_is_no_text_is_said(places: Places) -> None:
    yours(places).mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(yours(places)) + b"/\xff.md")).write_text("Do it.")

    assert "/\ufffd.md has a name" in faults(places)


def test_what_is_hidden_or_no_markdown_is_nobody_s_command(places: Places) -> None:
    for name in (".a.md", ".git/b.md", "c.txt", "D.MD"):
        write(yours(places) / name)

    assert find(places, {}) == ({}, [])


def test_links_out_of_the_project_are_refused_and_the_person_s_own_are_not(places: Places) -> None:
    secret = write(places.cwd.parents[1] / "secret.md", "Mine.")
    for folder in (of_project(places), yours(places)):
        folder.mkdir(parents=True)
        (folder / "a.md").symlink_to(secret)

    found = find(places, {})
    assert [one.root for one in found.files.values()] == [None]
    assert "is a link that leads out of the project" in faults(places)


def test_loops_pipes_and_folders_are_named_not_followed(places: Places) -> None:
    folder = of_project(places)
    folder.mkdir(parents=True)
    (folder / "loop").symlink_to(folder)
    (folder / "self.md").symlink_to("self.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    write(folder / "folder.md" / "in.md")

    assert find(places, {}).files == {}
    said = faults(places)
    assert "loop is a link to a folder: not followed" in said
    assert "self.md is no file" in said
    assert "pipe.md is no file" in said


def test_ten_thousand_files_are_not_read(places: Places) -> None:
    yours(places).mkdir(parents=True)
    for number in range(10_000):
        (yours(places) / f"c{number:05}.md").touch()
    for number in range(MOST):
        write(yours(places) / f"c{number:05}.md")

    found = find(places, {})
    assert len(found.files) == MOST
    assert found.faults == [f"{yours(places)}: more than {MOST} files; the rest is passed over"]


def test_so_many_folders_are_not_looked_into(places: Places) -> None:
    for number in range(FOLDERS + 1):
        (yours(places) / f"f{number}").mkdir(parents=True)

    assert f"more than {FOLDERS} folders" in faults(places)


def test_a_place_that_is_no_folder_is_none(places: Places) -> None:
    write(yours(places), "a file")

    assert find(places, {}) == ({}, [])


@pytest.mark.parametrize(
    ("text", "given", "made"),
    [
        ("Mend $ARGUMENTS.", "12 now", "Mend 12 now."),
        ("Mend $1 in $2.", "12 'a b.py' rest", "Mend 12 in a b.py."),
        ("Mend $1 in $2.", "12", "Mend 12 in ."),
        ("Mend it.", "12 now", "Mend it.\n\n12 now"),
        ("Mend it.", "", "Mend it."),
        (
            "It costs $10, $HOME, $0 and $ARGUMENTS_.",
            "",
            "It costs $10, $HOME, $0 and $ARGUMENTS_.",
        ),
        ("Mend $1.", "don't 2", "Mend don't."),
        ("Mend $1.", "[Pasted text #1, 312 lines] now", "Mend [Pasted text #1, 312 lines]."),
        ("$1 $ARGUMENTS", "$2 $ARGUMENTS", "$2 $2 $ARGUMENTS"),
    ],
)
def test_arguments_stand_in_their_places_or_at_the_end(text: str, given: str, made: str) -> None:
    assert filled(text, given) == made


@given(st.text(max_size=200), st.text(max_size=100))
def test_arguments_never_fail_and_are_never_lost(text: str, given: str) -> None:
    made = filled(text, given)

    assert "$" in text or made == (f"{text}\n\n{given}" if given else text)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_prompt_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.md"
    file.write_bytes(b"---\n" + raw)
    with contextlib.suppress(UsageError):
        assert read_prompt(file).text
