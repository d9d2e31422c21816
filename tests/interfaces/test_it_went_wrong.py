"""From "it went wrong" to the responsible line, in three commands at most.

Each session goes wrong in one way. The commands are those of docs/how-to/debug-a-session.md: words
of the command line, or of the debugger. What the last one says must name the line, and few others.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest

from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.testing.acting import is_line
from fsm_agent.testing.program import Ended, Program
from fsm_agent.testing.stage import Scene, Stage, say
from fsm_agent.tools.protocol import Workplace

DEBUGGER = ("break ", "c", "n", "why")
"""How commands of the debugger begin; they are said to one run of it."""
NAMED = re.compile(r"^(?:\S+ | *)(\d+) (?:\S+ (?:input|derived|note) +)?(\w+)", re.MULTILINE)
"""A line that is named: by the debugger, by a finding's chain, or behind its session's id."""
READ = '---\ncall: Read {"path": "a.py"}\n'
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "debug-a-session.md"


def one_shot(script: str, *options: str) -> Callable[[Program], None]:
    """The program, asked once."""

    def play(program: Program) -> None:
        program.play(script, *options, "go")

    return play


def killed(script: str) -> Callable[[Program], None]:
    """A run that a command of its own kills, and then another."""

    def play(program: Program) -> None:
        assert program.play(script, "go").code == -9
        assert program.play(script, "-c").code == 0

    return play


def staged(script: str, line: str = "") -> Callable[[Program], None]:
    """A play in the program's directory; the line is typed while it works, then the person leaves.

    Pauses between tries are short on the stage.
    """

    def react(written: Line) -> Iterator[Sequence[i.Event]]:
        if line and is_line(written, "read_answer"):
            yield say(line)
            yield [i.Leave()]

    def play(program: Program) -> None:
        scene = Scene({}, Workplace(root=str(program.cwd), environment={}))
        asyncio.run(Stage(program.home, script, scene=scene).play(say("go"), react=react))

    return play


class Wrong(NamedTuple):
    """What was played, what is typed then, and the responsible line: its type, a text in it."""

    play: Callable[[Program], None]
    commands: tuple[str, ...]
    line: tuple[str, str]


WRONG = {
    "a wrong file is edited": Wrong(
        one_shot(
            '---\ncall: Edit {"path": "test_a.py", "old_string": "1", "new_string": "2"}\n'
            "---\ntext: I raised it in a.py."
        ),
        ("sessions grep test_a.py",),
        ("tool_call", "test_a.py"),
    ),
    "the same call goes round and round": Wrong(
        one_shot(f"{READ * 3}---\ntext: Hm."),
        ("audit",),
        ("tool_result", "x = 1"),
    ),
    "the middle of a result is lost": Wrong(
        one_shot('---\ncall: Bash {"command": "seq 20000"}\n---\ntext: No 9000 in it.'),
        ("sessions grep bytes in all",),
        ("tool_result", "cut: "),
    ),
    "a call is denied": Wrong(
        one_shot('---\ncall: Bash {"command": "make"}\n---\ntext: I may not.', "--permission=read"),
        ("break answer verdict=deny", "c", "n"),
        ("permission", "deny"),
    ),
    "an answer is cut off": Wrong(
        one_shot("text: First, we\nstop: max_tokens"),
        ("break answer answer=cut", "c", "why"),
        ("completed", "max_tokens"),
    ),
    "an instruction comes too late": Wrong(
        one_shot(
            '---\ntext: Let me see.\ncall: Bash {"command": "echo Use tabs. > AGENTS.md"}\n'
            "---\ntext: Spaces it is."
        ),
        ("sessions grep AGENTS.md",),
        ("seen", "Use tabs."),
    ),
    "a command dies with the agent": Wrong(
        killed('---\ncall: Bash {"command": "kill -9 $PPID"}\n---\ntext: I do not know.'),
        ("break state tool=unknown", "c", "why"),
        ("crashed", ""),
    ),
    "a request is refused": Wrong(
        one_shot("error: 401 no such key"),
        ("sessions grep no such key",),
        ("rejected", "401"),
    ),
    "an answer breaks off and is asked for again": Wrong(
        staged("broken\ntext: First.\ntext: Second."),
        ("break state turn=wait", "c", "why"),
        ("broken", "stream_interrupted"),
    ),
    "an edit changes nothing": Wrong(
        one_shot(
            f'{READ}---\ncall: Edit {{"path": "a.py", "old_string": "y", "new_string": "z"}}\n'
            "---\ntext: Fixed."
        ),
        ('break text "ok":false', "c"),
        ("finished", "not found"),
    ),
    "a line that was typed is never run": Wrong(
        staged("text: Hello, \nhang", line="and run the tests"),
        ("break text lines_returned", "c", "why"),
        ("leave", ""),
    ),
    "a file is another one than was read": Wrong(
        one_shot(
            f'{READ}---\ncall: Bash {{"command": "echo x = 3 > a.py"}}\n'
            '---\ncall: Edit {"path": "a.py", "old_string": "1", "new_string": "2"}\n'
            "---\ntext: Fixed."
        ),
        ("sessions grep a.py",),
        ("tool_call", "echo"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_three_commands_lead_to_the_responsible_line(
    name: str, program: Program, verb: Callable[..., Ended]
) -> None:
    wrong = WRONG[name]
    for file in ("a.py", "test_a.py"):
        (program.cwd / file).write_text("x = 1\n")
    wrong.play(program)
    kind, text = wrong.line
    *_, line = [line for line in program.log(kind) if text in str(line)]

    said = ""
    for stepping, commands in groupby(wrong.commands, lambda c: c.startswith(DEBUGGER)):
        if stepping:
            said = verb("replay", "--step", said="\n".join(commands).encode()).out.decode()
        else:
            for first, *rest in (command.split(" ") for command in commands):
                words = [rest[0], " ".join(rest[1:])] if rest else []
                said = verb(first, *words).out.decode()

    named = NAMED.findall(said)
    assert (str(line["seq"]), kind) in named
    assert len(named) <= 17
    assert len(wrong.commands) <= 3


@pytest.mark.parametrize("name", WRONG)
def test_the_how_to_says_what_to_type(name: str) -> None:
    (row,) = re.findall(rf"^\| {name} \|.*", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE)
    kind, _ = WRONG[name].line
    typed = (
        c if c.startswith(DEBUGGER) else " ".join(c.split(" ")[:2]) for c in WRONG[name].commands
    )

    assert f"`{kind}`" in row
    assert all(f"`{command}" in row for command in typed)
