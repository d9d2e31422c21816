"""`fsm-agent memory`: what is remembered, shown and changed by hand."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from functools import partial

from fsm_agent.context.memory import SCRATCH, SECTIONS, USER, shown
from fsm_agent.errors import UsageError
from fsm_agent.events.outcome import Change
from fsm_agent.interfaces.configuring import config_home, home, working_directory
from fsm_agent.interfaces.outlets import aside
from fsm_agent.interfaces.painting.escaping import escape
from fsm_agent.policy.secrets import held
from fsm_agent.runtime.places import project_home
from fsm_agent.runtime.remembering import located
from fsm_agent.tools.calls import ToolFailure
from fsm_agent.tools.diffs import diff
from fsm_agent.tools.protocol import Workplace
from fsm_agent.tools.remembering import Rewrite, look, rewritten, write

SECTION = "user, project, constraints, facts or scratch"


def main(argv: Sequence[str]) -> int:
    """Run the verb; return its exit code.

    Raises:
        UsageError: If there is nothing to add, or the file cannot be changed.
    """
    given = parser().parse_args(argv[1:])
    cwd = working_directory()
    place = Workplace(
        root=str(cwd),
        environment={},
        user_memory=located(config_home()),
        project_memory=located(project_home(home(), cwd)),
    )
    if given.action in (None, "show"):
        print(escape("\n\n".join(told(place))))
        return 0
    changes = wanted(given.action, " ".join(given.words), place)
    if refused := write(changes, place).refused:
        raise UsageError("; ".join(refused))
    for change in changes:
        text = diff(change.path, change.before or b"", change.after or b"").text
        print(escape(text), end="")
    if not changes:
        aside("nothing changes")
    return 0


def parser() -> argparse.ArgumentParser:
    """The grammar of the verb."""
    made = argparse.ArgumentParser(
        prog="fsm-agent memory",
        description="What is remembered of you and of this project, in every session.",
        allow_abbrev=False,
    )
    actions = made.add_subparsers(metavar="ACTION", dest="action")
    actions.add_parser("show", help="print it as the model is told of it")
    add = actions.add_parser(
        "add", help="put an item into a section, without one into the scratch notes"
    )
    add.add_argument("words", nargs="+", metavar="[SECTION] TEXT", help=SECTION)
    clear = actions.add_parser("clear", help="empty a section, without one all of the project's")
    clear.add_argument("words", nargs="*", metavar="SECTION", help=SECTION)
    return made


def told(place: Workplace) -> Iterator[str]:
    """Each memory file: where it is, and what the model is told of it."""
    for path in (place.user_memory, place.project_memory):
        text = shown(look(path) or b"") or "(nothing)"
        yield f"{path}\n\n{text}"


def wanted(action: str, said: str, place: Workplace) -> list[Change]:
    """The changes that a person asks for with `add` or `clear`. Writes nothing.

    Raises:
        UsageError: If it cannot be told what they ask for, or it cannot be done.
    """
    title, text = addressed(said.strip())
    new: dict[str, Rewrite]
    if action == "add":
        if not text.strip():
            raise UsageError("there is no text to add: add [SECTION] TEXT")
        if secret := held(text):
            raise UsageError(f"{secret} stands for a secret; memory keeps none")
        new = {title or SCRATCH: partial(with_item, new=text)}
    elif action != "clear":
        raise UsageError(f"'{action}' is none of: show, add [SECTION] TEXT, clear [SECTION]")
    elif text.strip():
        raise UsageError(f"there is no section '{said.strip()}'; there are {', '.join(SECTIONS)}")
    else:
        titles = [title] if title else [other for other in SECTIONS if other != USER]
        new = dict.fromkeys(titles, lambda _: "")
    try:
        return rewritten(place, new)
    except ToolFailure as failure:
        raise UsageError(str(failure)) from None


def addressed(said: str) -> tuple[str, str]:
    """The section that a person's words begin with, or none, and the rest of them.

    It may be quoted, and of its title one word is enough, in whatever case: `facts`, `user`.
    """
    for name in (r'"([^"]+)":?', r"(\S+\s+\S+)", r"(\S+)"):
        found = re.match(rf"{name}(?:\s+|\Z)(.*)", said, re.DOTALL)
        if found and (title := _named(found[1])):
            return title, found[2]
    return "", said


def _named(words: str) -> str:
    said = " ".join(re.split(r"[\s_]+", words)).rstrip(":").casefold()
    for title in SECTIONS:
        names = {title, *title.split()} - {"Memory"}
        if said in map(str.casefold, names):
            return title
    return ""


def with_item(text: str, new: str) -> str:
    """A section's text with one more item in its list."""
    item = "- " + new.strip().replace("\n", "\n  ")
    return f"{text}\n{item}" if text else item
