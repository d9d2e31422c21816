"""`/model`, `/effort`, `/mode`: who is asked, how, what runs unasked."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from msgspec.structs import replace
from rich.text import Text

from fsm_agent.dialects import dialect
from fsm_agent.dialects.compat import LEVELS, vendor_of
from fsm_agent.errors import UsageError
from fsm_agent.events.inputs import Settings
from fsm_agent.interfaces.assembly import with_what_is_known
from fsm_agent.interfaces.configuring import DEFAULT_URLS, ENVIRONMENT
from fsm_agent.interfaces.painting.escaping import escape_line
from fsm_agent.interfaces.providing import switched
from fsm_agent.interfaces.terminal.commands.command import Command
from fsm_agent.interfaces.terminal.commands.desk import Desk
from fsm_agent.runtime.pricing import models
from fsm_agent.settings import Permission

MODES = (
    ("ask", "changes and commands ask first"),
    ("edits", "edits in the workspace run unasked"),
    ("allow", "everything runs unasked"),
    ("read", "nothing is changed"),
    ("plan", "nothing is changed but a draft"),
)
"""What `/mode` takes."""


OWN = "default"
"""Word for the effort that a model makes where none is asked for."""
EFFORTS = ((OWN, "as the model does by itself"), *((level, "") for level in LEVELS))
"""What `/effort` takes; `none` is `off`."""
NAMED = 6
"""Models that are named as known."""


def _model(desk: Desk, name: str) -> None:
    """Say who is asked, or ask another one from the next request on.

    Raises:
        UsageError: If that one is surely asked elsewhere, or cannot be asked.
    """
    settings = desk.settings()
    if not name:
        desk.print(*_asked(settings, desk.home))
        return
    known = models(desk.home)
    for protocol, url in DEFAULT_URLS.items():
        elsewhere = url != settings.base_url and settings.base_url in DEFAULT_URLS.values()
        if elsewhere and f"{protocol}/{name}" in known:
            raise UsageError(f"{name} is asked at {url}: /model {protocol}:{name}")
    other = switched(settings, name, desk.home, ENVIRONMENT)
    _change(desk, with_what_is_known(other, desk.home, desk.session.name))


def _asked(settings: Settings, home: Path) -> Iterator[Text]:
    at = f" at {settings.base_url}" if settings.base_url else ""
    yield Text(f"  {escape_line(f'{settings.model}{at} ({settings.protocol})')}")
    if settings.protocol != "scripted":
        served = f"{settings.vendor or vendor_of(settings.base_url)}/"
        found = [key.removeprefix(served) for key in models(home) if key.startswith(served)]
        near = get_close_matches(settings.model, found, n=NAMED, cutoff=0)
        if near:
            yield Text(f"  {len(found)} known there: {', '.join(near)}", "quiet")
    hint = "  /model NAME asks another one there, openai:NAME or anthropic:NAME elsewhere"
    yield Text(hint, "quiet")


def _change(desk: Desk, settings: Settings) -> None:
    """Have other settings logged; what they change is said when they are."""
    if settings == desk.settings():
        desk.print(Text("  nothing changes", "quiet"))
    else:
        desk.give([settings])


def _effort(desk: Desk, level: str) -> None:
    """Say how hard the model is to think, or change it from the next request on.

    Raises:
        UsageError: If there is no such effort.
    """
    settings = desk.settings()
    level = "off" if level == "none" else level
    if not level:
        desk.print(Text(f"  {settings.effort or OWN}"), Text(f"  {_efforts(settings)}", "quiet"))
    elif level in dict(EFFORTS):
        _change(desk, replace(settings, effort="" if level == OWN else level))
    else:
        raise UsageError(f"there is no effort '{level}'; {_efforts(settings)}")


def _efforts(settings: Settings) -> str:
    """The efforts that the server tells apart: those that make the same request stand together."""
    form, requests = dialect(settings.protocol), dict[bytes, list[str]]()
    for level in LEVELS:
        head = form.head(replace(settings, effort=level), "", ())
        requests.setdefault(head, []).append(level)
    told = ", ".join(" = ".join(levels) for levels in requests.values())
    return f"it takes {OWN}, {told}"


def _mode(desk: Desk, name: str) -> None:
    """Say what runs unasked, or change it; it holds for what is being asked now, too.

    Raises:
        UsageError: If there is no such mode.
    """
    settings, modes = desk.settings(), get_args(Permission)
    if not name:
        desk.print(Text(f"  {settings.permission}; /mode {'|'.join(modes)} changes it"))
    elif name in modes:
        desk.give([replace(settings, permission=name)])
    else:
        raise UsageError(f"it takes {', '.join(modes)}, not '{name}'")


def _model_names(home: Path, _: Path) -> Iterator[tuple[str, str]]:
    for name, model in models(home).items():
        yield name.partition("/")[2], f"{model.window:,} tokens" if model.window else ""


COMMANDS = (
    Command(
        "model",
        "who is asked; with a name, ask that model from now on",
        _model,
        waits=True,
        words=_model_names,
        takes="[NAME|PROTOCOL:NAME]",
        more="A name alone is asked at the same server. openai: or anthropic: before it goes to the "
        "server of that protocol, with address and key from the environment. It holds from the next "
        "request on, and when the session is taken up again.",
        example="/model claude-sonnet-5",
    ),
    Command(
        "effort",
        "how hard the model is to think",
        _effort,
        waits=True,
        words=lambda _, __: EFFORTS,
        takes="[LEVEL]",
        more="Alone it says which levels the server tells apart. It holds from the next request on, "
        "and when the session is taken up again.",
        example="/effort high",
    ),
    Command(
        "mode",
        "what runs unasked",
        _mode,
        words=lambda _, __: MODES,
        takes="[MODE]",
        more="It holds at once, for what is being asked now, too.",
        example="/mode edits",
    ),
)
