"""How far a standing yes to a command reaches: commands of one kind.

A prefix is offered for few programs, and of their options only for those named here: what names
another program, a file to write or other settings is in no row. Nor is a program that is there to
print files: links, which nobody looks at here, lead out of the workspace (`git diff` of two names
follows them, but only outside a repository). All else is granted word for word.
"""

from __future__ import annotations

import re
import shlex

from fsm_agent.events.values import CommandKind
from fsm_agent.policy.paths import is_inside

LONGEST = 4096
"""Characters of a command that is looked at: a longer one is no simple one."""
_WORD = r"(?:[A-Za-z0-9_@%+=:,./^-]|(?<=[A-Za-z0-9])~|'[^']*'|\"[^\"$`\\]*\")+"
_SIMPLE = re.compile(rf" *{_WORD}(?: +{_WORD})* *")
_COUNT = re.compile(r"-[0-9]+")
_HISTORY = (
    "-- --all --follow --graph --name-only --name-status --no-merges --oneline --stat -N -n -p"
)
FORMS = {
    "git status": "--branch --ignored --long --porcelain --short -b -s -u -v -z",
    "git log": _HISTORY,
    "git show": _HISTORY,
    "git diff": "-- --cached --check --name-only --name-status --numstat --staged --stat -w",
    "git blame": "-L -w",
    "ls": "-1 -A -F -R -S -a -d -h -l -r -t -al -la -lah -lh -ltr",
    "pytest": "--collect-only --ff --lf --tb=long --tb=short -k -l -m -q -rA -ra -rf -s -v -vv -x",
    "ruff check": "",
    "ruff format": "--check --diff",
    "mypy": "--strict",
    "cargo build": "--all-targets --release --workspace -p -q",
    "cargo check": "--all-targets --release --workspace -p -q",
    "cargo clippy": "--all-targets --workspace -p -q",
    "cargo test": "-- --all-targets --lib --no-run --nocapture --release --workspace -p -q",
    "go build": "-race -v",
    "go test": "-count=1 -race -run -short -v",
    "go vet": "",
}
"""The words that commands of a kind begin with, and their options; `-N` is a number's place."""


def covers(kind: CommandKind, command: str, cwd: str) -> bool:
    """Whether it is one simple command of this kind, its arguments inside the workspace."""
    argv, many = simple(command), len(kind.words)
    return argv[:many] == kind.words and all(_takes(kind, word, cwd) for word in argv[many:])


def _takes(kind: CommandKind, word: str, cwd: str) -> bool:
    if word.startswith("-"):
        return word in kind.options or ("-N" in kind.options and bool(_COUNT.fullmatch(word)))
    # `+x` and `a=b` steer as options do, `@x` is a file of arguments
    return not word.startswith(("+", "@", "~")) and "=" not in word and is_inside(word, cwd)


def simple(command: str) -> tuple[str, ...]:
    """The words of one simple command; none if a shell might see anything else in it.

    No operator, expansion, pattern, redirection, escape, assignment or comment; no character that
    is not seen; no white space but the space.
    """
    if len(command) > LONGEST or not command.isprintable() or not _SIMPLE.fullmatch(command):
        return ()
    argv = tuple(shlex.split(command))
    return () if "=" in argv[0] else argv


def reach(command: str, cwd: str) -> CommandKind | None:
    """The kind of commands that a standing yes to this one lets through; None: only itself."""
    kinds = (CommandKind(tuple(words.split()), tuple(of.split())) for words, of in FORMS.items())
    return next((kind for kind in kinds if covers(kind, command, cwd)), None)
