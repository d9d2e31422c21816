"""`/reload`, `/skill`: what was read at the start is read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from fsm_agent.events import inputs as i
from fsm_agent.events.values import Section
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk

RELOAD = "reload"
"""Name of the command that is in the log before anything is read again."""
NO_SKILLS = (
    "skills are not there yet; a prompt file does for many of them: "
    ".fsm-agent/commands/NAME.md is /NAME, see `/help NAME`"
)


def _reload(desk: Desk, _: str) -> None:
    desk.give([i.Command(name=RELOAD)])


def reload_now(desk: Desk, _: i.Command) -> None:
    """Read files again, and say what is not as it was; the model gets it with the next request."""
    known, told = desk.session.world.sections, dict(desk.custom.told)

    def warn(text: str) -> None:
        desk.print(Text(f"· {escape_line(text)}", "warning"))

    settings = desk.settings()
    changed = [event for event in desk.reread(settings, warn) if event != settings]
    said = [*_changes(known, changed), *_commands(told, desk)]
    for fault in desk.custom.faults:
        warn(fault)
    if changed:
        desk.give(changed)
    for text in said or ["nothing has changed"]:
        desk.print(Text(f"  {escape_line(text)}", "quiet"))


def _changes(known: Iterable[Section], changed: Iterable[i.Event]) -> Iterator[str]:
    for event in changed:
        if isinstance(event, i.Settings):
            yield f"window and price of {event.model} are as the list of models has them now"
        elif isinstance(event, i.PromptRead):
            was = {(part.tag, part.name): part for part in known}
            now = {(part.tag, part.name): part for part in event.sections}
            names = [key for key in {**now, **was} if was.get(key) != now.get(key)]
            yield f"the prompt is read again: {', '.join(name or tag for tag, name in names)}"


def _commands(told: dict[str, str], desk: Desk) -> Iterator[str]:
    desk.custom.reload()
    now = desk.custom.told
    words = {
        "new": [name for name in now if name not in told],
        "gone": [name for name in told if name not in now],
        "changed": [name for name in now if told.get(name, now[name]) != now[name]],
    }
    for word, names in words.items():
        if names:
            yield f"{word}: {', '.join(f'/{name}' for name in names)}"


def _skill(desk: Desk, _: str) -> None:
    desk.print(Text(f"  {NO_SKILLS}", "quiet"))


COMMANDS = (
    Command(
        RELOAD,
        "read instruction files, memory, prompt files and the list of models again",
        _reload,
        waits=True,
        more="It says what has changed. The model gets it with the next request, whose prompt no "
        "cache has then. Changed files it is told of without this, in a note.",
        example="/reload",
    ),
    Command(
        "skill",
        "skills are not there yet",
        _skill,
        takes="[NAME]",
        more="Prompt files are: /NAME hands in the text of .fsm-agent/commands/NAME.md.",
        example="/skill",
    ),
)
