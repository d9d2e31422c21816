"""What the reference states, read from the program itself, as Markdown."""

from __future__ import annotations

import argparse
import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from fsm_agent import errors
from fsm_agent.audit.catalogue import RULES
from fsm_agent.context.memory import SECTIONS
from fsm_agent.context.prompt import ORDER, Surroundings, render, sections
from fsm_agent.events import derived, inputs, values
from fsm_agent.events.inputs import Event, Settings
from fsm_agent.events.lines import DERIVED, INPUTS, KNOWN, NOTES
from fsm_agent.interfaces.terminal.commands.helping import when
from fsm_agent.interfaces.terminal.commands.table import Commands
from fsm_agent.tools.registry import builtin_tools

ROOT = Path(__file__).parents[2]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    titles = tuple(head)
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


def summary(of: type) -> str:
    """The first paragraph of a class's docstring, in one line."""
    return " ".join((of.__doc__ or "").split("\n\n", 1)[0].split())


def written(of: type) -> dict[str, str]:
    """The types of a class's fields, as they are written."""
    return {
        name: str(annotation)
        for ancestor in reversed(of.__mro__)
        for name, annotation in inspect.get_annotations(ancestor).items()
    }


def fields(of: type[msgspec.Struct]) -> str:
    """The fields of a struct: name in the line, type, and what holds if it is left out."""
    types = written(of)
    rows = [
        (f"`{f.encode_name}`", f"`{types[f.name]}`", "" if f.required else f"`{_default(f)}`")
        for f in msgspec.structs.fields(of)
    ]
    return table(("field", "type", "if left out"), rows) if rows else "No fields of its own."


def _default(field: msgspec.structs.FieldInfo) -> str:
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    return "absent" if isinstance(value, msgspec.Raw) else repr(value)


def events() -> str:
    """Every type of line, by kind, and the values that their fields hold."""
    kinds: tuple[tuple[str, Mapping[str, type[Event]]], ...] = (
        ("Inputs", INPUTS),
        ("Derived lines", DERIVED),
        ("Notes", NOTES),
    )
    parts: list[str] = []
    for kind, types in kinds:
        parts.append(f"## {kind}")
        for name, of in types.items():
            parts += [f"### `{name}`", summary(of), fields(of)]
    return "\n\n".join([*parts, "## Values", *_values()])


def _values() -> Iterator[str]:
    used = " ".join(" ".join(written(of).values()) for of in KNOWN.values())
    named = {**vars(inputs), **vars(derived), **vars(values)}
    for name in sorted(set(re.findall(r"\b[A-Z]\w+", used)) & set(named)):
        of = named[name]
        if isinstance(of, type) and issubclass(of, msgspec.Struct):
            yield from (f"### {name}", summary(of), fields(of))
        elif get_args(of):
            yield from (f"### {name}", f"One of {_words(list(_choices(of)))}.")


def _choices(of: object) -> Iterator[str]:
    """What an alias stands for: the words of a `Literal`, the types of a union."""
    for one in get_args(of):
        yield from _choices(one) if get_args(one) else (getattr(one, "__name__", str(one)),)


def settings() -> str:
    """What shapes requests and decisions, with its defaults."""
    return fields(Settings)


def prompt_sections() -> str:
    """The sections of the system prompt in their order."""
    return table(("tag", "what it holds"), ((f"`{tag}`", held) for tag, held in ORDER.items()))


def prompt() -> str:
    """What the prompt says by itself, as a person in English sees it sent."""
    around = Surroundings(
        "en_US", "/project", "/home/me", "Linux", "bash", draft="/state/…/plan.draft"
    )
    return f"```xml\n{render(sections(around, builtin_tools()), str)}\n```"


def memory() -> str:
    """The sections of memory, in their order."""
    return table(("section", "what it holds"), SECTIONS.items())


def exit_codes() -> str:
    """Every exit code and what it means."""
    return table(("code", "meaning"), ((str(c), text) for c, text in errors.EXIT_CODES.items()))


def rules() -> str:
    """Every built-in rule of the audit: what it claims, why, and what to do."""
    return table(
        ("rule", "severity", "claim", "why", "what to do", "exit code"),
        (
            (rule.id, rule.severity, rule.claim, rule.why, rule.advice, str(rule.exit))
            for rule in RULES
        ),
    )


def failures() -> str:
    """Every class of `fsm_agent.errors`, what it is a kind of, and its exit code."""
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    return table(
        ("error", "is a", "exit code", "when"),
        (
            (f"`{c.__name__}`", f"`{c.__base__.__name__}`", str(c.exit_code), summary(c))
            for c in classes
            if issubclass(c, errors.FsmAgentError) and c.__base__
        ),
    )


def states() -> str:
    """Every machine: its picture, its states and its rows."""
    return "\n\n".join(
        part for path in sorted((ROOT / "states").glob("*.toml")) for part in _machine(path)
    )


def outline(machine: str) -> str:
    """Which state can follow which, without the reasons."""
    declared = _declared(ROOT / "states" / f"{machine}.toml")
    edges = dict.fromkeys(
        f"    {source} --> {row['to']}"
        for row in declared["rows"].values()
        for source in ([row["from"]] if isinstance(row["from"], str) else row["from"])
        if "to" in row
    )
    return "\n".join(["```mermaid", "stateDiagram-v2", "    direction LR", *edges, "```"])


def _declared(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _machine(path: Path) -> Iterator[str]:
    declared = _declared(path)
    picture = (ROOT / "diagrams" / f"{path.stem}.mmd").read_text(encoding="utf-8")
    yield f"## {path.stem}"
    yield declared["machine"]["caption"]
    yield f"```mermaid\n{picture.strip()}\n```"
    yield table(
        ("state", "caption", "does", "on crash"),
        (
            (f"`{name}`", s["caption"], _words(s.get("does", [])), _words(s.get("on_crash", [])))
            for name, s in declared["states"].items()
        ),
    )
    if asks := declared.get("asks"):
        yield table(
            ("question", "caption", "answers"),
            ((f"`{name}`", ask["caption"], _words(ask["of"])) for name, ask in asks.items()),
        )
    yield table(
        ("row", "from", "on", "when", "to", "emits", "sends"),
        ((name, *_row(row)) for name, row in declared["rows"].items()),
    )


def _row(row: Mapping[str, Any]) -> Iterator[str]:
    yield _words(row["from"])
    yield _words(row["on"])
    yield "; ".join(
        f"{ask} is {_words(answers, ' or ')}" for ask, answers in row.get("when", {}).items()
    )
    for key in ("to", "emits", "sends"):
        yield _words(row.get(key, []))


def _words(of: str | list[str], between: str = ", ") -> str:
    return between.join(f"`{word}`" for word in ([of] if isinstance(of, str) else of))


def slash_commands() -> str:
    """The commands of the prompt, by kind: how each is written, what it does, when."""
    parts: list[str] = []
    for title, kind in Commands().groups.items():
        parts.append(f"## {title}")
        for one in kind:
            what = f"{one.what[0].upper()}{one.what[1:]}. {one.more}".rstrip()
            such = f", such as `{one.example}`" if one.takes else ""
            written = f"- {f'`/{one.name} {one.takes}'.rstrip()}`{such}"
            parts += [f"### `/{one.name}`", what, f"{written}\n- {when(one)}"]
    return "\n\n".join(parts)


def commands(parser: argparse.ArgumentParser, about: str = "") -> str:
    """A command line: the options of the program, then of each verb."""
    # Not `format_help()`: its layout differs between Python versions.
    parts = [about or parser.description or "", _options(parser)]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {verb.dest: verb.help or "" for verb in action._choices_actions}
            parts += [commands(verb, helps[name]) for name, verb in action.choices.items()]
    if parts[0]:
        parts.insert(0, f"## `{parser.prog}`")
    return "\n\n".join(filter(None, parts))


def _options(parser: argparse.ArgumentParser) -> str:
    rows = [
        (f"`{_usage(action)}`", (action.help or "").replace("%%", "%"))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and action.help != argparse.SUPPRESS
    ]
    return table(("argument", "meaning"), rows) if rows else ""


def _usage(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices and not action.metavar:
        value = "|".join(map(str, action.choices))
    return f"{names} {value}".strip()
