"""A standing yes to a command lets through what was shown, no more."""

from __future__ import annotations

import shlex
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsm_agent.events.inputs import Approved, ToolCall
from fsm_agent.events.values import CommandKind
from fsm_agent.policy.grants import Grants
from fsm_agent.policy.reaching import FORMS, LONGEST, covers, reach, simple

CWD = "/w/proj"
STATUS = CommandKind(("git", "status"), ("-s",))


def call(command: str) -> ToolCall:
    given = {"command": command}
    return ToolCall(instance="tool-1.1", activity=3, n=0, name="Bash", id="c", input=given)


def asked(command: str) -> Grants:
    """What stands after a person said `c` to a command."""
    kind = reach(command, CWD)
    yes = Approved(instance="t", activity=5, scope="command", reach=kind)
    return Grants().with_answer(yes, call(command), CWD)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git status", "git status"),
        ("git log --oneline -5 -- src/a.py", "git log"),
        ("'git'  \"log\" -p", "git log"),
        ("git show HEAD~1", "git show"),
        ("pytest -q tests/test_a.py::test_b -k 'a and not b'", "pytest"),
        (f"pytest {CWD}/tests", "pytest"),
        ("cargo test -p core -- --nocapture", "cargo test"),
    ],
)
def test_a_simple_command_of_a_known_kind_stands_for_its_kind(command: str, words: str) -> None:
    kind = reach(command, CWD)

    assert kind is not None
    assert " ".join(kind.words) == words
    assert asked(command).cover(call(f"{words} src"), CWD)


@pytest.mark.parametrize(
    "command",
    [
        *("git push origin main", "git statusx", "gitstatus", "git st", "git", "rm x", "make test"),
        *("sudo git status", "env git status", "xargs pytest", "timeout 5 pytest", "bash -c ls"),
        *(
            "python -c pass",
            "python -m pytest",
            "find . -exec ls",
            "awk x",
            "npm run test",
            "eval ls",
        ),
        *(
            "git --exec-path=x status",
            "git -c a=b status",
            "git diff --output=x",
            "git diff --outp=x",
        ),
        *("git diff --ext-diff", "pytest -p evil", "pytest --basetemp=src", "pytest @more", "ls ~"),
        *("pytest ../other", "pytest /etc", "ls /w/proj-2", "./git status", "pytest a=b", "ls +x"),
        *("cargo test --config x", "cargo ./x", "go test -exec x", "ruff check --config=x", "ls *"),
    ],
)
def test_any_other_command_stands_for_itself_alone(command: str) -> None:
    assert reach(command, CWD) is None
    assert asked(command).cover(call(command), CWD)
    assert not asked(command).cover(call(f"{command} more"), CWD)


@pytest.mark.parametrize(
    "command",
    [
        *("git status; rm -rf x", "git status && id", "git status || id", "git status | sh"),
        *("git status & id", "git status &", "git status\nid", "git status\r\nid", "git status\rid"),
        *("git status $(id)", "git status `id`", 'git status "$(id)"', "git status ${X:-x}", "git st$X"),
        *("git status > /etc/x", "git status >x", "git status < x", ">x git status", "git status 2>&1"),
        *('git "status" && x', "git 'status' ; x", "git status 'a", 'git status "a', "git status \\a"),
        *("git --exec-path=x status", "git --git-dir=x status", "git -c core.pager=x status"),
        *("A=b git status", "A=`id` git status", "'A'=b git status", "env git status"),
        *("git\u00a0status", "git\u2003status x", "git status \uff1b id", "git\u200b status"),
        *("git status \u202e", "git status 'a\u202eb'", "git status 'a\nb'", "g\u0456t status"),
        *("git status \x1b[2K", "git status\0", "git\tstatus", "\ngit status", "git statusx"),
        *("git status # x", "git status *", "git status {a,b}", "git status ~/x", "git status a=~/x"),
        *("git status ../x", "git status /etc", "git status --porcelain", "git status -ss", "git statu"),
        *("(git status)", "{ git status; }", "! git status", "time git status", "./git status"),
        *("git status <(id)", "git status <<x", "git status $'a'", 'git status $"a"', "git status @x"),
        f"git status {'x' * LONGEST}",
    ],
)  # fmt: skip
def test_nothing_hides_behind_a_prefix(command: str) -> None:
    assert not Grants(commands=(STATUS,)).cover(call(command), CWD)


def test_a_prefix_takes_names_in_the_workspace_and_the_options_it_names() -> None:
    grants = Grants(commands=(STATUS,))

    for command in (
        "git status",
        " git  status ",
        "git status -s 'a b' ./c",
        f"git status {CWD}/x",
    ):
        assert grants.cover(call(command), CWD)
    assert not grants.cover(call(f"git status {CWD}/x"), "/w/other")
    assert not Grants(commands=("git status",)).cover(call("git status "), CWD)


def test_a_count_is_taken_where_one_is_named() -> None:
    assert covers(CommandKind(("git", "log"), ("-N",)), "git log -12", CWD)
    assert not covers(CommandKind(("git", "log")), "git log -12", CWD)


def test_a_grant_is_taken_back_by_what_it_says() -> None:
    grants = Grants(edits=True, commands=("make", STATUS))

    assert grants.without(Grants(commands=(STATUS,))) == Grants(edits=True, commands=("make",))
    assert grants.without(Grants(edits=True, commands=("git status",))) == Grants(
        commands=("make", STATUS)
    )


def test_no_kind_takes_an_option_that_names_a_program_or_a_file_to_write() -> None:
    bad = ("-o", "-O", "-c", "-C", "-f", "-i", "--output", "--exec", "--config", "--ext-diff")

    for words, options in FORMS.items():
        assert not set(bad) & set(options.split()), words


@given(
    st.text("ab '\"\\$`;|&<>(){}*?[]~#!=\n\t-/.", max_size=12) | st.text("ab '\"-~^,", max_size=12)
)
def test_what_is_read_as_simple_is_what_a_shell_reads(text: str) -> None:
    argv = simple(f"printf {text}")
    if argv:
        assert argv == tuple(shlex.split(f"printf {text}"))
        shown = [
            "sh",
            "-c",
            f'printf() {{ for w; do command printf "%s|" "$w"; done; }}; printf {text}',
        ]
        ran = subprocess.run(shown, capture_output=True, text=True, check=True)
        assert ran.stdout == "".join(f"{word}|" for word in argv[1:])


def test_a_long_command_is_not_looked_at_for_long() -> None:
    hostile = ["'" * 99_999, "'a " * 33_000, "a" * 100_000 + "\x00", "'" * (LONGEST - 1)]
    began = time.process_time()
    assert not any(simple(command) for command in hostile)
    assert time.process_time() - began < 0.5
