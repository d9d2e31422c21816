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


def test_a_person_s_own_instructions_come_first_and_a_bad_file_is_said(program: Program) -> None:
    (program.home / "config").mkdir(parents=True)
    (program.home / "config" / "AGENTS.md").write_text("of the person\n")
    (program.cwd / "AGENTS.md").mkdir()
    (program.cwd / "CLAUDE.md").write_text("of the project\n")
    with ModelServer(Reply(openai(HELLO))) as server:
        run = program.run("--base-url", server.url, "-m", "m", "go")
        prompt = system(server)

    assert prompt.index("of the person\n") < prompt.index("of the project\n")
    assert run.err.splitlines() == [
        f"fsm-agent: {program.cwd}/AGENTS.md is no file; it is passed over"
    ]


@pytest.mark.parametrize("given", [("--language", "ja_JP"), ()])
def test_a_language_is_asked_for_by_option_or_environment(
    given: tuple[str, ...], program: Program
) -> None:
    program.environment |= {"LC_ALL": "de_DE.UTF-8", "FSM_AGENT_LANGUAGE": "fr_FR"}
    with ModelServer(Reply(openai(HELLO))) as server:
        program.run("--base-url", server.url, "-m", "m", *given, "go")
        prompt = system(server)

    assert ("日本語" if given else "français") in prompt.splitlines()[-2]


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
    "lines of a file": ("@a.txt:1", '<file path="a.txt" lines="1-1">\ncontent\n</file>', ""),
    "a directory": ("@folder", '<directory path="folder">\n(empty)\n</directory>', ""),
    "a picture": ("see @shot.png", "see [Image #1]\n\n<attached-images>\n[Image #1] => ", ""),
    "an npm package": ("use @scope/pkg", "use @scope/pkg", ""),
    "nothing": ("@nowhere.txt", "@nowhere.txt", "@nowhere.txt: No such file"),
    "a name too long": ("@" + "n" * 300, "@nnn", "File name too long"),
    "a pipe": ("@pipe", "@pipe", "@pipe: Not a regular file"),
    "a huge file": ("@huge", "(cut: the file is longer than 50000 bytes)", "@huge: cut"),
    "no text at all": ("@hole", "(no text: 104857600 bytes, not shown)", "@hole: no text"),
    "not a mention": ("mail me@a.txt", "mail me@a.txt", ""),
}


@pytest.fixture
def odd_files(program: Program) -> None:
    """Files that are not what one expects."""
    (program.cwd / "a.txt").write_text("content\n")
    (program.cwd / "latin.txt").write_bytes(b"gr\xfc\xdfe\n")
    (program.cwd / "folder").mkdir()
    (program.cwd / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    (program.cwd / "huge").write_bytes(b"x" * 60_000)
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


def test_a_file_s_name_with_a_space_is_one_word_of_the_command_line(program: Program) -> None:
    (program.cwd / "a b.txt").write_text("content\n")

    run = program.play("text: Read.", "-p", "@a b.txt", "explain")

    (line,) = program.log("user_input")
    assert run.err == ""
    assert line["text"] == '@"a b.txt" explain'
    assert line["sent"] == '<file path="a b.txt">\ncontent\n</file> explain'


def test_pictures_are_counted_over_the_runs_of_a_session(program: Program) -> None:
    (program.cwd / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))

    for more in ((), ("-c",)):
        program.play("text: Seen.", "-p", *more, "see @shot.png", said=b"a diff")

    sent = [line["sent"] for line in program.log("user_input")]
    for number, text in enumerate(sent, 1):
        assert text.startswith(f"see [Image #{number}]\n\n<stdin>\na diff\n</stdin>\n\n<attached")
        assert f"\n[Image #{number}] => {program.cwd}/shot.png\n" in text


def test_stdin_and_prompt_are_one_line_of_the_person(program: Program) -> None:
    program.play("text: Reviewed.", "-p", "review", said=b"diff \xff\n")

    (line,) = program.log("user_input")
    assert line["text"] == "review\n\n<stdin>\ndiff \ufffd\n</stdin>"


def test_a_mention_in_what_is_piped_in_is_just_text(program: Program) -> None:
    (program.cwd / "secret").write_text("a secret\n")

    program.play("text: Reviewed.", "-p", "review", said=b"see @secret\n")

    assert "a secret" not in str(program.log("user_input"))


def test_a_prompt_file_is_asked_for_as_at_the_prompt(program: Program) -> None:
    commands = program.cwd / ".fsm-agent" / "commands"
    commands.mkdir(parents=True)
    (commands / "fix.md").write_text("Mend $1, and see @../outside.txt.\n")
    (program.cwd.parent / "outside.txt").write_text("elsewhere\n")
    run = program.play("text: Done.\n", "-p", "/fix", "12", said=b"the parser\n")

    (line,) = program.log("user_input")
    assert run.code == 0
    assert line["text"] == "/fix 12\n\n<stdin>\nthe parser\n</stdin>"
    assert line["sent"] == "Mend 12, and see @../outside.txt.\n\n<stdin>\nthe parser\n</stdin>"
    assert run.err.splitlines() == [
        "fsm-agent: /fix is the project's: .fsm-agent/commands/fix.md",
        "fsm-agent: @../outside.txt: it lies outside the project; left as it is",
    ]


def test_what_only_begins_like_a_command_is_said_as_it_is(program: Program) -> None:
    for line, sent in (("/etc/hosts", None), ("/nothing 12", None), ("//fix 12", "/fix 12")):
        assert program.play("text: Done.\n", "-p", line).code == 0
        (said,) = program.log("user_input")
        assert (said["text"], said.get("sent")) == (line, sent)
