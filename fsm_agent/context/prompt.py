"""The system prompt: its sections in a stable order, and their one text."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType

import msgspec

from fsm_agent.context import guidance
from fsm_agent.context.languages import anchors
from fsm_agent.events.values import BlobText, Section

ORDER: Mapping[str, str] = MappingProxyType(
    {
        "agent-identity": "who the model is, in the person's language",
        "environment": "locale, directories, platform and shell",
        "rules": "how to work",
        "using-your-tools": "how to use the tools that there are",
        "sub-agent-guidance": "when to hand work to sub-agents",
        "todo-guidance": "when to keep a todo list, and how; only with TodoWrite",
        "plan-lifecycle-guidance": "how a plan is drafted, confirmed and cleared",
        "checkpoint-guidance": "what to note in `.fsm-agent/task.md`; only with a tool that writes",
        "instruction-file": "an AGENTS.md or the like, named by its path; outermost first",
        "skill-index": "the skills there are, a line each",
        "selected-skills": "skills that were asked for, whole",
        "memory": "what is remembered between sessions, a file each, named by its path",
        "current-plan": "the locked plan, named by its path",
        "context-snapshot": "the summary of what was cut",
        "output-language": "what to write in, in the person's language",
    }
)
"""Tags in the order in which their sections stand, and what each holds.

Stable ones first, for a server's cache matches only from the start; first and last are anchors.
"""
INSTRUCTIONS_CAP = 64 * 1024
"""Bytes that all instruction files may have together; the innermost count first."""


class Surroundings(msgspec.Struct, frozen=True):
    """What the prompt says of machine and project; read by the runtime where an epoch starts.

    Attributes:
        language: A locale's name, without encoding.
        instructions: AGENTS.md files and the like, outermost first, as (path, text).
        memory: What is remembered between sessions, as (path, text).
        draft: The absolute path of `plan.draft`; empty where there are no plans.
    """

    language: str
    cwd: str
    home: str
    platform: str
    shell: str
    instructions: tuple[tuple[str, str], ...] = ()
    memory: tuple[tuple[str, str], ...] = ()
    draft: str = ""


def sections(around: Surroundings, tools: Collection[str]) -> tuple[Section, ...]:
    """What the runtime's look around gives of the prompt; empty sections are left out.

    Plan and summary are not seen there but known from the log: `replaced` puts them in.
    """
    told = anchors(around.language)
    made = (
        Section("agent-identity", told.identity),
        Section("environment", _environment(around)),
        Section("rules", guidance.RULES),
        Section("using-your-tools", "\n".join(guidance.advice(tools))),
        Section("todo-guidance", guidance.TODO_LIST if "TodoWrite" in tools else ""),
        Section("plan-lifecycle-guidance", guidance.plan(around.draft) if around.draft else ""),
        Section("checkpoint-guidance", guidance.CHECKPOINT if "Write" in tools else ""),
        *instruction_sections(around.instructions),
        *(Section("memory", text, name) for name, text in around.memory),
        Section("output-language", told.output),
    )
    return tuple(section for section in made if _says(section))


def instruction_sections(files: Sequence[tuple[str, str]]) -> Sequence[Section]:
    """A section for each (path, text), outermost first, together within `INSTRUCTIONS_CAP`.

    What is nearest to the work counts most: where it becomes too much, outer ones are cut.
    """
    left, made = INSTRUCTIONS_CAP, list[Section]()
    for path, text in reversed(files):
        raw = text.encode()
        if len(raw) > left:
            kept = raw[:left].decode(errors="ignore")
            note = f"(cut: all instruction files together are longer than {INSTRUCTIONS_CAP} bytes)"
            text = f"{kept}\n{note}" if kept else note  # noqa: PLW2901 - the same, shorter
        left = max(left - len(raw), 0)
        made.append(Section("instruction-file", text, path))
    return made[::-1]


def replaced(parts: Sequence[Section], tag: str, new: Sequence[Section]) -> tuple[Section, ...]:
    """The prompt with these sections as the ones of a tag, at that tag's place; no blank ones.

    Sections whose tag is not known here stay where they are.
    """
    tags = list(ORDER)
    later = tags[tags.index(tag) + 1 :]
    kept = [part for part in parts if part.tag != tag]
    at = next((n for n, part in enumerate(kept) if part.tag in later), len(kept))
    return (*kept[:at], *filter(_says, new), *kept[at:])


def render(parts: Sequence[Section], text: Callable[[BlobText], str]) -> str:
    """The prompt's one text: `<tag name="…">`, content, `</tag>`, joined by newlines."""
    shown = []
    for part in parts:
        name = "" if part.name is None else f" name={json.dumps(part.name, ensure_ascii=False)}"
        content = text(part.text).rstrip("\r\n")
        shown.append(f"<{part.tag}{name}>\n{content}\n</{part.tag}>")
    return "\n".join(shown)


def _environment(around: Surroundings) -> str:
    names = ("language", "cwd", "home", "platform", "shell")
    return "\n".join(f"{name}: {getattr(around, name)}" for name in names)


def _says(section: Section) -> bool:
    """Whether there is anything in it; a text that lies in a blob is long."""
    return not isinstance(section.text, str) or bool(section.text.strip())
