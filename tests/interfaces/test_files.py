"""What files bring in: instructions, mentions, and what is no text at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fsm_agent.events.values import Block, TextBlock
from fsm_agent.testing import ModelServer, Reply, openai
from fsm_agent.testing.program import Program

HELLO: list[Block] = [TextBlock("Hello.")]


def reads(path: str) -> str:
    """A script whose model reads this file."""
    return f'---\ncall: Read {{"path": "{path}"}}\n---\ntext: Read.'


def system(server: ModelServer, request: int = -1) -> str:
    """The system prompt of a request."""
    first: dict[str, Any] = server.requests[request].json()["messages"][0]
    assert first["role"] in ("system", "developer")
    return str(first["content"])


@pytest.fixture
def below(program: Program) -> Path:
    """A directory two below the root of a repository, with instructions all over the place."""
    (program.cwd / ".git").mkdir()
    (program.cwd.parent / "AGENTS.md").write_text("outside the repository\n")
    (program.cwd / "AGENTS.md").write_text("at the root\n")
    (program.cwd / "CLAUDE.md").write_text("beside AGENTS.md\n")
    middle = program.cwd / "middle"
    (middle / "below").mkdir(parents=True)
    (middle / "CLAUDE.md").write_text("in the middle\n")
    (middle / "below" / "AGENTS.md").write_bytes(b"\xef\xbb\xbfbelow\r\nb\xffd\r\n")
    (middle / "beside").mkdir()
    (middle / "beside" / "AGENTS.md").write_text("beside it all\n")
    return middle / "below"


def test_instructions_stand_in_the_first_request_outermost_first(
    program: Program, below: Path
) -> None:
    with ModelServer(Reply(openai(HELLO))) as server:
        program.run("--base-url", server.url, "-m", "m", "go", cwd=below)
        prompt = system(server)

    places = [prompt.index(text) for text in ("at the root", "in the middle", "below\nb\ufffdd")]
    assert places == sorted(places)
    for text in ("outside the repository", "beside AGENTS.md", "beside it all", "\ufeff"):
        assert text not in prompt


def test_instructions_that_changed_are_a_new_prompt_of_the_next_run(program: Program) -> None:
    (program.cwd / "AGENTS.md").write_text("first words\n")
    with ModelServer(*[Reply(openai(HELLO))] * 3) as server:
        for more in ([], ["-c"], ["-c"]):
            program.run("--base-url", server.url, "-m", "m", *more, "go")
            if not more:
                (program.cwd / "AGENTS.md").write_text("second words\n")
        prompts = [system(server, number) for number in range(3)]
        assert server.requests[2].body.startswith(server.requests[1].body.removesuffix(b"]}"))

    assert "first words" in prompts[0]
    assert "second words" in prompts[1]
    assert "first words" not in prompts[1]
    assert prompts[2] == prompts[1]
    assert len(program.log("prompt")) == 2


def test_instructions_that_change_in_a_run_are_told_in_a_note(program: Program) -> None:
    (program.cwd / "AGENTS.md").write_text("first words\n")
    change = '---\ncall: Bash {"command": "echo second words > AGENTS.md"}\n---\ntext: Done.'

    run = program.play(change, "go")

    assert run.code == 0
    (seen,) = program.log("seen")
    (note,) = program.log("notices")
    assert seen["text"] == "second words\n"
    assert "second words" in note["text"]


MENTIONS = {
    "a file": ("@a.txt", '<file path="a.txt">\ncontent\n</file>', ""),
    "a sentence's end": ("see @a.txt.", "content\n</file>.", ""),
    "no text": ("@latin.txt", "gr\ufffd\ufffde", ""),
    "a directory": ("@folder", "@folder", "@folder: Is a directory"),
    "nothing": ("@nowhere.txt", "@nowhere.txt", "@nowhere.txt: No such file"),
    "a name too long": ("@" + "n" * 300, "@nnn", "File name too long"),
    "a pipe": ("@pipe", "@pipe", "@pipe: Not a regular file"),
    "a huge file": ("@huge", "(cut: the file is longer than 50000 bytes)", ""),
    "not a mention": ("mail me@a.txt", "mail me@a.txt", ""),
}


@pytest.fixture
def odd_files(program: Program) -> None:
    """Files that are not what one expects."""
    (program.cwd / "a.txt").write_text("content\n")
    (program.cwd / "latin.txt").write_bytes(b"gr\xfc\xdfe\n")
    (program.cwd / "folder").mkdir()
    os.mkfifo(program.cwd / "pipe")
    (program.cwd / "zeros").write_bytes(bytes(3000))
    (program.cwd / "hole").touch()
    for name in ("huge", "hole"):
        with (program.cwd / name).open("ab") as file:
            file.truncate(100 << 20)


@pytest.mark.usefixtures("odd_files")
@pytest.mark.parametrize("name", MENTIONS)
def test_a_mention_brings_in_a_file_or_a_warning(name: str, program: Program) -> None:
    prompt, sent, warning = MENTIONS[name]

    run = program.play("text: Hello.", prompt)

    (line,) = program.log("user_input")
    assert (run.code, run.out) == (0, b"Hello.\n")
    assert line["text"] == prompt
    assert sent in line.get("sent", line["text"])
    assert (warning in run.err) if warning else run.err == ""


READ = {
    "latin.txt": "gr\ufffd\ufffde",
    "folder": "directory",
    "nowhere.txt": "nowhere.txt",
    "pipe": "pipe",
    "zeros": "Error",
    "hole": "Error",
    "/etc/passwd": "outside the workspace",
}


@pytest.mark.usefixtures("odd_files")
@pytest.mark.parametrize("name", READ)
def test_whatever_a_tool_reads_the_turn_goes_on(name: str, program: Program) -> None:
    run = program.play(reads(name), "go")

    (result,) = program.log("tool_result")
    assert (run.code, run.out) == (0, b"Read.\n")
    assert READ[name] in result["content"]
    assert len(result["content"]) < 60_000


def test_stdin_and_prompt_are_one_line_of_the_person(program: Program) -> None:
    program.play("text: Reviewed.", "-p", "review", said=b"diff \xff\n")

    (line,) = program.log("user_input")
    assert line["text"] == "review\n\n<stdin>\ndiff \ufffd\n</stdin>"


def test_a_mention_in_what_is_piped_in_is_just_text(program: Program) -> None:
    (program.cwd / "secret").write_text("a secret\n")

    program.play("text: Reviewed.", "-p", "review", said=b"see @secret\n")

    assert "a secret" not in str(program.log("user_input"))
