"""What a line brings in: files, parts of them, directories, pictures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsm_agent.runtime.expanding import CAP, LISTED, TOTAL, expand, joined, with_stdin
from fsm_agent.runtime.images import Images

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


def expanded(line: str, cwd: Path, piped: str = "") -> str:
    """The line as the model gets it, if there was nothing to warn of."""
    text, warnings = expand(line, cwd, Images(cwd.parent), piped)
    assert warnings == []
    return text


def warned(line: str, cwd: Path) -> str:
    """The one warning of a line that stays as it is."""
    text, warnings = expand(line, cwd, Images(cwd.parent))
    assert text == line
    (warning,) = warnings
    return warning


def test_a_mention_is_replaced_by_the_file(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n")
    (workspace / "b c.txt").write_text("no newline")

    assert expanded(r'see @a.py, @"b c.txt", @b\ c.txt and x@a.py.', workspace) == (
        'see <file path="a.py">\nx = 1\n</file>, '
        '<file path="b c.txt">\nno newline\n</file>, '
        '<file path="b c.txt">\nno newline\n</file> and x@a.py.'
    )


@pytest.mark.parametrize(
    ("mention", "lines", "content"),
    [
        ("@f.txt:2", "2-2", "two\n"),
        ("@f.txt:2-3", "2-3", "two\nthree\n"),
        ("@f.txt:3-99", "3-4", "three\nfour\n"),
        ("@f.txt:1-4.", "1-4", "one\ntwo\nthree\nfour\n"),
    ],
)
def test_lines_of_a_file(mention: str, lines: str, content: str, workspace: Path) -> None:
    (workspace / "f.txt").write_text("one\ntwo\nthree\nfour")

    text = expanded(mention, workspace)

    assert text.rstrip(".") == f'<file path="f.txt" lines="{lines}">\n{content}</file>'


@pytest.mark.parametrize(
    ("mention", "why"),
    [
        ("@f.txt:9", "it has 4 lines"),
        ("@f.txt:3-2", "not 3-2"),
        ("@f.txt:0-2", "not 0-2"),
        ("@none.txt:1", "No such file"),
        ('@"none"', "No such file"),
        ("@nowhere.py", "No such file"),
        ("@f.txt/below.txt", "Not a directory"),
        ("@pipe", "Not a regular file"),
        ("@" + "n" * 300, "File name too long"),
        ("@a\0b", "null"),
    ],
)
def test_what_cannot_be_brought_in_stays_and_is_said(
    mention: str, why: str, workspace: Path
) -> None:
    (workspace / "f.txt").write_text("one\ntwo\nthree\nfour")
    os.mkfifo(workspace / "pipe")

    assert why in warned(f"x {mention} y", workspace)


@pytest.mark.parametrize("line", ["@decorator", "@scope/pkg", "me@example.com", "@user, hello"])
def test_what_is_no_path_stays_without_a_word(line: str, workspace: Path) -> None:
    assert expanded(line, workspace) == line


def test_a_name_that_ends_like_lines_is_a_name_first(workspace: Path) -> None:
    (workspace / "odd:2").write_text("odd\n")
    (workspace / "odd").write_text("one\ntwo\n")

    assert expanded("@odd:2", workspace) == '<file path="odd:2">\nodd\n</file>'
    assert expanded("@odd:1", workspace) == '<file path="odd" lines="1-1">\none\n</file>'


def test_a_person_may_name_a_file_anywhere(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.parent / "out.txt").write_text("outside\n")
    monkeypatch.setenv("HOME", str(workspace.parent))

    for name in ("../out.txt", f"{workspace.parent}/out.txt", "~/out.txt"):
        assert expanded(f"@{name}", workspace) == f'<file path="{name}">\noutside\n</file>'


def test_a_file_s_text_brings_nothing_in(workspace: Path) -> None:
    (workspace / "a.txt").write_text("@b.txt and \\1 and [Image #1]\n")
    (workspace / "b.txt").write_text("never")
    Images(workspace.parent).add(workspace / "b.txt", "png")

    text = expanded("@a.txt", workspace, piped="@b.txt")

    assert text == (
        '<file path="a.txt">\n@b.txt and \\1 and [Image #1]\n</file>\n\n<stdin>\n@b.txt\n</stdin>'
    )


def test_a_directory_is_listed(workspace: Path) -> None:
    (workspace / "src" / "sub").mkdir(parents=True)
    (workspace / "src" / "b.py").touch()
    (workspace / "src" / "a\nx.py").touch()

    assert expanded("@src", workspace) == (
        '<directory path="src">\na\\nx.py\nb.py\nsub/\n</directory>'
    )
    assert "(empty)" in expanded("@src/sub/", workspace)


def test_a_long_listing_is_cut_with_a_note(workspace: Path) -> None:
    for number in range(LISTED + 3):
        (workspace / f"{number:04}").touch()

    lines = expanded("@.", workspace).splitlines()

    assert lines[LISTED : LISTED + 2] == [f"{LISTED - 1:04}", "(cut: 3 more names)"]


def test_what_is_no_text_is_named(workspace: Path) -> None:
    (workspace / "a.bin").write_bytes(b"\0\1\2")

    text, warnings = expand("see @a.bin", workspace, Images(workspace.parent))

    assert text == 'see <file path="a.bin">\n(no text: 3 bytes, not shown)\n</file>'
    assert warnings == ["@a.bin: no text, so it is named but not shown"]


def test_a_text_is_shown_without_what_cannot_be_seen(workspace: Path) -> None:
    (workspace / "a.txt").write_bytes("\ufeffgr\u202e ".encode() + b"\xfc\x1b[2J\n")

    assert expanded("@a.txt", workspace) == (
        '<file path="a.txt">\ngr[1 hidden character removed] \ufffd\\x1b[2J\n</file>'
    )


def test_a_long_file_is_cut_between_characters(workspace: Path) -> None:
    (workspace / "big").write_text("x" + "é" * CAP)

    text, warnings = expand("@big", workspace, Images(workspace.parent))

    assert text == (
        f'<file path="big">\nx{"é" * (CAP // 2 - 1)}\n'
        f"(cut: the file is longer than {CAP} bytes)\n</file>"
    )
    assert warnings == [f"@big: cut, as it is longer than {CAP} bytes"]


def test_files_of_one_line_have_a_limit_together(workspace: Path) -> None:
    (workspace / "big").write_text("x" * CAP)

    text, warnings = expand("@big " * 5, workspace, Images(workspace.parent))

    assert text.count("x") == TOTAL
    assert warnings == ["@big: cut, as it is longer than 0 bytes"]


def test_lines_far_into_a_large_file(workspace: Path) -> None:
    with (workspace / "large").open("w") as file:
        file.writelines(f"line {number}\n" for number in range(1, 200_001))

    assert "\nline 150000\nline 150001\n<" in expanded("@large:150000-150001", workspace)


def test_pictures_become_numbers_and_paths(workspace: Path) -> None:
    for name in ("shot.png", "b c.dat"):
        (workspace / name).write_bytes(PNG)

    text = expanded('compare @shot.png, @"b c.dat".', workspace)

    line, _, block = text.partition("\n\n")
    assert line == "compare [Image #1], [Image #2]."
    assert block.splitlines()[:3] == [
        "<attached-images>",
        f"[Image #1] => {workspace}/shot.png",
        f"[Image #2] => {workspace}/b c.dat",
    ]
    assert block.endswith("</attached-images>")
    assert expanded("@shot.png", workspace).startswith("[Image #3]\n\n")


def test_a_number_in_the_line_brings_its_picture_in(workspace: Path) -> None:
    (workspace / "shot.png").write_bytes(PNG)
    number = Images(workspace.parent).add(workspace / "shot.png", "png")

    line = f"see [Image #{number}] and [Image #9]"
    text, warnings = expand(line, workspace, Images(workspace.parent), "a diff")

    assert warnings == ["[Image #9] is no picture of this session; left as it is"]
    assert text.count("=>") == 1
    assert text.index("</stdin>") < text.index(f"[Image #{number}] => {workspace}/shot.png")


def test_a_name_that_only_looks_like_a_picture_is_a_file(workspace: Path) -> None:
    (workspace / "fake.png").write_text("text\n")

    assert expanded("@fake.png", workspace) == '<file path="fake.png">\ntext\n</file>'


def test_stdin_joins_the_prompt() -> None:
    assert with_stdin("review", "diff\n") == "review\n\n<stdin>\ndiff\n</stdin>"
    assert with_stdin("", "question\n") == "question\n"
    assert with_stdin("review", " \n") == "review"


def test_a_word_of_the_command_line_stays_one_name(workspace: Path) -> None:
    (workspace / "a b.txt").touch()

    assert joined(["@a b.txt", "@a b.c", "why so"], workspace) == '@"a b.txt" @a b.c why so'
