"""Words that slash commands take, to be offered at the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from fsm_agent.context.memory import SECTIONS
from fsm_agent.interfaces.listing import listed
from fsm_agent.interfaces.terminal.completing import Words
from fsm_agent.interfaces.terminal.filenames import OFFERED
from fsm_agent.runtime.places import sessions
from fsm_agent.runtime.pricing import models

MODES = (
    ("ask", "changes and commands ask first"),
    ("edits", "edits in the workspace run unasked"),
    ("allow", "everything runs unasked"),
    ("read", "nothing is changed"),
    ("plan", "nothing is changed but a draft"),
)
"""What `/mode` takes."""
PLAN = (
    ("show", "draft and plan"),
    ("confirm", "carry the draft out"),
    ("cancel", "give the draft up"),
    ("clear", "the plan is done with"),
)
"""What `/plan` takes."""
MEMORY = (
    ("show", "what is remembered"),
    ("add", "[SECTION] TEXT"),
    ("clear", f"[SECTION]: {', '.join(SECTIONS)}"),
)
"""What `/memory` takes."""


def words(home: Path, cwd: Path) -> Mapping[str, Words]:
    """What commands take, by their names; all of it is looked up when it is asked for."""

    def model_names() -> Iterator[tuple[str, str]]:
        for name, model in models(home).items():
            yield name.partition("/")[2], f"{model.window:,} tokens" if model.window else ""

    def session_names() -> Iterator[tuple[str, str]]:
        for directory, line in listed(islice(sessions(home, cwd), OFFERED)):
            yield directory.name, line.removeprefix(directory.name).strip()

    return {
        "model": model_names,
        "resume": session_names,
        "mode": lambda: MODES,
        "plan": lambda: PLAN,
        "memory": lambda: MEMORY,
    }
